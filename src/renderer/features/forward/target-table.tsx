/** The list of targets. Arrow keys move between rows and select them. */
import type { ForwardTarget } from '../../../shared/model/forward.ts'
import { useApp } from '../../state/use-app.ts'
import { Middle } from '../../ui/middle.tsx'
import { ago, exactTime } from '../../ui/moment.ts'
import { RowGrid, type RowColumn } from '../../ui/row-grid.tsx'
import { useNow } from '../../ui/use-now.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { LightMark, routeWords } from './target-words.tsx'

const columns: readonly RowColumn<ForwardTarget>[] = [
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

export function TargetTable({
  targets,
  shownId,
}: {
  readonly targets: readonly ForwardTarget[]
  readonly shownId: string | null
}) {
  const selectTarget = useApp((state) => state.forward.selectTarget)
  const singleKeys = useApp((state) => state.preferences.singleKeys)
  return (
    <RowGrid
      label="Targets"
      rows={targets}
      idOf={({ id }) => id}
      columns={columns}
      rowHeight={44}
      selectedId={shownId}
      onSelect={({ id }) => {
        selectTarget(id)
      }}
      singleKeys={singleKeys}
    />
  )
}
