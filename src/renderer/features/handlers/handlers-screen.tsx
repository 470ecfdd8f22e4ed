/**
 * The Handlers screen: saved handlers, other endpoints that deliveries are forwarded to, and the
 * page of the selected one.
 */
import { Plus } from 'lucide-react'
import { useEffect } from 'react'
import type { ForwardTarget } from '../../../shared/model/forward.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { forwardOutcomes } from '../../../shared/model/send-outcomes.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { MiddleTruncated } from '../../ui/exact-text.tsx'
import { LoadingRows, LoadProblem } from '../../ui/message.tsx'
import { focusedRow } from '../../ui/list.tsx'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { NotFoundPane, SplitPanes } from '../../ui/split-panes.tsx'
import { TargetPage } from './forwarding.tsx'
import { HandlerForm } from './handler-form.tsx'
import { HandlerPageView } from './handler-page.tsx'
import { ReachabilityMark } from './handler-parts.tsx'

const PROBE_EVERY_MS = 15_000

/**
 * Tests again and again whether the handlers on this computer are reachable, while a screen shows
 * it.
 */
export function useProbes(): void {
  const { handlers, connection } = useParts('core', 'handlers', 'connection')
  const probeHere = useParts('handlers', 'probeHere').probeHere
  const isOpen = connection.phase === 'open'
  const urls = handlers.map(({ url }) => url).join('\n')
  useEffect(() => {
    if (!isOpen) return undefined
    void probeHere()
    const timer = setInterval(() => void probeHere(), PROBE_EVERY_MS)
    return () => clearInterval(timer)
  }, [isOpen, urls, probeHere])
}

/** Returns the handler or target in the address, otherwise the current handler. */
function useShown() {
  const { screen, at } = useParts('navigation', 'screen', 'at')
  const { handlers } = useParts('core', 'handlers')
  const { output } = useRead('forward.list', {})
  const targets = output?.targets ?? []
  const isForward = screen === 'forward'
  const named = isForward ? at.forward.id : at.handlers.name
  const byId = targets.find(({ id }) => id === named)
  const byName = isForward ? undefined : handlers.find(({ name }) => name === named)
  const forwardTarget = isForward ? (byId ?? targets[0]) : undefined
  // Handlers forward on their own page.
  const others = targets.filter(({ handlerId }) => handlers.every(({ id }) => id !== handlerId))
  const handler =
    handlers.find(({ id }) => id === forwardTarget?.handlerId) ??
    byName ??
    handlers.find(({ current }) => current) ??
    handlers[0]
  const target =
    forwardTarget !== undefined && others.includes(forwardTarget) ? forwardTarget : undefined
  const isMissing = isForward ? output !== undefined && byId === undefined : byName === undefined
  if (named !== undefined && isMissing) return { handlers, others, missing: named }
  return {
    handlers,
    others,
    handler: target === undefined ? handler : undefined,
    target: target ?? (handler === undefined ? others[0] : undefined),
  }
}

export function HandlersScreen() {
  const { status, problem, readAgain } = useParts('core', 'status', 'problem', 'readAgain')
  const shown = useShown()
  const { handler, target, missing } = shown
  const { screen } = useParts('navigation', 'screen')
  useProbes()

  const page =
    status === null ? null : handler !== undefined ? (
      <HandlerPageView key={handler.id} handler={handler} />
    ) : target !== undefined ? (
      <TargetPage key={target.id} target={target} />
    ) : missing === undefined ? null : (
      <NotFoundPane what={screen === 'forward' ? 'Target' : 'Handler'} name={missing} />
    )
  const list = (
    <section
      aria-label="Handlers"
      data-pane="handlers"
      className="flex h-full min-w-0 flex-col bg-ground"
    >
      <Heading isEmpty={page === null} />
      {page !== null ? (
        <HandlerList {...shown} />
      ) : status !== null ? (
        <NoHandlers />
      ) : problem === null ? (
        <LoadingRows
          label="Loading handlers"
          count={4}
          columns={['w-24', 'flex-1']}
          className="px-4 pt-4"
        />
      ) : (
        <LoadProblem title="Couldn't load handlers" problem={problem} onAgain={readAgain} />
      )}
    </section>
  )
  if (page === null) return list
  return (
    <SplitPanes
      name="handlers"
      first={{ id: 'handlers', minSize: '18%', defaultSize: '23%', content: list }}
      second={{ id: 'handler', minSize: '50%', content: page }}
      resize="Resize handler list"
    />
  )
}

function Heading({ isEmpty }: { readonly isEmpty: boolean }) {
  const edit = useParts('handlers', 'edit').edit
  return (
    <header className="window-drag @container flex h-12 shrink-0 items-center gap-2 border-b border-line bg-surface pr-4 pl-4">
      <h1 className="min-w-0 flex-1 text-title font-medium">Handlers</h1>
      {!isEmpty && (
        <Button icon={Plus} title="Add handler" onClick={() => edit({})}>
          <span className="@max-[240px]:sr-only">Add handler</span>
        </Button>
      )}
    </header>
  )
}

/** Lists the handlers as a single tab stop; arrow keys select. */
function HandlerList({ handlers, others, handler, target }: ReturnType<typeof useShown>) {
  const go = useApp((state) => state.navigation.go)
  const shownId = handler?.id ?? target?.id
  const entries: readonly (SavedHandler | ForwardTarget)[] = [...handlers, ...others]
  const index = entries.findIndex(({ id }) => id === shownId)
  const show = (entry: SavedHandler | ForwardTarget) =>
    'current' in entry ? go('handlers', { name: entry.name }) : go('forward', { id: entry.id })
  return (
    <div
      role="listbox"
      aria-label="Saved handlers"
      tabIndex={0}
      {...(shownId === undefined ? {} : { 'aria-activedescendant': `handler-${shownId}` })}
      onKeyDown={(event) => {
        const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: entries.length - 1 }[
          event.key
        ]
        if (to === undefined) return
        event.preventDefault()
        const next = entries[Math.min(entries.length - 1, Math.max(0, to))]
        if (next === undefined) return
        show(next)
        document.getElementById(`handler-${next.id}`)?.scrollIntoView({ block: 'nearest' })
      }}
      className="group/list min-h-0 flex-1 overflow-auto outline-none"
    >
      {entries.map((entry) => (
        <div
          key={entry.id}
          id={`handler-${entry.id}`}
          role="option"
          tabIndex={-1}
          aria-selected={entry.id === shownId}
          onClick={() => show(entry)}
          className={`border-b border-line px-4 py-2.5 ${entry.id === shownId ? `bg-selected shadow-[inset_2px_0_0_var(--accent)] ${focusedRow}` : 'hover:bg-raised'}`}
        >
          {/* Without room for all three, the state moves below the name. */}
          <div className="flex flex-wrap items-center gap-x-2">
            <MiddleTruncated
              text={'current' in entry ? handlerRef(entry) : entry.name}
              tail={10}
              className="font-mono font-medium"
            />
            {'current' in entry && entry.current && (
              <span className="shrink-0 rounded-small bg-control px-1.5 text-small text-muted">
                Current
              </span>
            )}
            <span className="ml-auto min-w-0 text-small [&_.truncate]:whitespace-normal">
              {'current' in entry ? (
                <ReachabilityMark handler={entry} />
              ) : (
                <OutcomeMark outcome={forwardOutcomes[entry.light]} />
              )}
            </span>
          </div>
          <MiddleTruncated text={entry.url} tail={10} className="data text-subtle" />
        </div>
      ))}
    </div>
  )
}

function NoHandlers() {
  return (
    <div className="min-h-0 flex-1 overflow-auto px-8 pt-12 pb-8">
      <div className="max-w-[560px]">
        <h2 className="text-title font-medium">No handlers yet</h2>
        <p className="mt-1 mb-4 text-muted">
          Save your endpoint once, and use it everywhere: in replays, flows, checks, forwarding and
          on the command line. Its page shows whether it is reachable, what fails and why.
        </p>
        <HandlerForm edited={{}} onCancel={null} onDone={() => undefined} />
      </div>
    </div>
  )
}
