/** The Forward screen: targets and the selected target. */
import { Plus } from 'lucide-react'
import { useRead } from '../../data/use-read.ts'
import { useApp } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { LoadingRows, Message, NotRead } from '../../ui/message.tsx'
import { SplitPanes } from '../../ui/split-panes.tsx'
import { TargetDetail } from './target-detail.tsx'
import type { ForwardTarget } from '../../../shared/model/forward.ts'
import { Middle } from '../../ui/middle.tsx'
import { ago, exactTime } from '../../ui/moment.ts'
import { List, type ListColumn } from '../../ui/list.tsx'
import { useNow } from '../../ui/use-now.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { LightMark, routeWords } from './target-words.tsx'

export function ForwardScreen() {
  const { output: forward, problem, readAgain } = useRead('forward.list', {})
  const { id } = useApp((state) => state.navigation.at.forward)
  const targets = forward?.targets ?? []
  const shown = targets.find((target) => target.id === id) ?? targets[0]

  const list = (
    <section
      aria-label="Forward"
      className="flex h-full min-w-0 flex-col bg-ground"
      data-pane="forward"
    >
      <Heading count={targets.length} />
      {forward === undefined ? (
        problem === null ? (
          <LoadingRows
            label="Loading targets"
            count={4}
            columns={['w-16', 'flex-1', 'w-10']}
            row="h-11 items-center gap-8"
            className="px-4 pt-4"
          />
        ) : (
          <div className="px-8 pt-12">
            <NotRead title="Couldn't load targets" problem={problem} onAgain={readAgain} />
          </div>
        )
      ) : targets.length === 0 ? (
        <div className="px-8 pt-12">
          <NoTargets />
        </div>
      ) : (
        <TargetTable targets={targets} shownId={shown?.id ?? null} />
      )}
    </section>
  )
  return (
    <SplitPanes
      name="forward"
      first={{ id: 'targets', content: list }}
      second={
        shown === undefined
          ? null
          : { id: 'target', defaultSize: '46%', content: <TargetDetail target={shown} /> }
      }
      resize="Resize target details"
    />
  )
}

function useAddTarget(): () => void {
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  return () => openOverlay('forward-target')
}

function Heading({ count }: { readonly count: number }) {
  const add = useAddTarget()
  return (
    <header className="window-drag flex h-11 shrink-0 items-center gap-3 border-b border-line bg-surface pr-3 pl-4">
      <h1 className="text-title font-medium">Forward</h1>
      <span className="min-w-0 flex-1 truncate text-small text-subtle tabular-nums">
        {count > 0 && (count === 1 ? '1 target' : `${count} targets`)}
      </span>
      <Button kind="primary" icon={<Plus size={14} aria-hidden />} onClick={add}>
        Add target
      </Button>
    </header>
  )
}

function NoTargets() {
  const add = useAddTarget()
  return (
    <Message
      title="No targets yet"
      action={
        <Button kind="primary" onClick={add}>
          Add your first target…
        </Button>
      }
    >
      Targets are your endpoints. Each gets every matching delivery, re-signed and in order; if one
      is down, its deliveries wait. The service receives the hook's response or the target's. From a
      terminal:{' '}
      <span className="data text-text">
        countersign forward --to http://127.0.0.1:3000/webhooks
      </span>
    </Message>
  )
}

const columns: readonly ListColumn<ForwardTarget>[] = [
  {
    name: 'Status',
    className: 'w-[84px] shrink-0',
    cell: ({ light }) => <LightMark light={light} />,
  },
  {
    name: 'Target',
    className: 'min-w-0 flex-[3]',
    cell: ({ name, url }) => (
      <span className="block leading-4">
        <span className="block truncate">{visibleText(name)}</span>
        <Middle
          text={url.replace(/^https?:\/\//, '')}
          title={url}
          tail={10}
          className="data text-subtle"
        />
      </span>
    ),
  },
  {
    name: 'Filter',
    className: 'min-w-0 flex-[2] @max-[520px]:hidden',
    cell: ({ query }) => (
      <span
        className={query.trim() === '' ? 'text-muted' : 'data text-muted'}
        title={visibleText(query)}
      >
        {visibleText(routeWords(query))}
      </span>
    ),
  },
  {
    name: 'Pending',
    className: 'w-[72px] shrink-0',
    right: true,
    cell: ({ queue }) => (
      <span className={queue.waiting > 0 ? 'data text-warn' : 'data text-subtle'}>
        {queue.waiting.toLocaleString('en')}
      </span>
    ),
  },
  {
    name: 'Last sent',
    className: 'w-[92px] shrink-0 @max-[440px]:hidden',
    cell: ({ lastSentAt }) =>
      lastSentAt === null ? <span className="text-subtle">Never</span> : <Ago iso={lastSentAt} />,
  },
]

function Ago({ iso }: { readonly iso: string }) {
  return (
    <span className="text-muted" title={exactTime(iso)}>
      {ago(iso, useNow(5_000))}
    </span>
  )
}

function TargetTable({
  targets,
  shownId,
}: {
  readonly targets: readonly ForwardTarget[]
  readonly shownId: string | null
}) {
  const select = useApp((state) => state.navigation.select)
  const singleKeys = useApp((state) => state.preferences.singleKeys)
  return (
    <List
      label="Targets"
      rows={targets}
      idOf={({ id }) => id}
      columns={columns}
      rowHeight={44}
      selectedId={shownId}
      onSelect={({ id }) => select('forward', { id })}
      singleKeys={singleKeys}
    />
  )
}
