/**
 * The page of a saved handler: whether it is reachable, what failed there, its check, its flows and
 * its forwarding.
 */
import { Ellipsis, Pencil, Play, RotateCw } from 'lucide-react'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { counted } from '../../../shared/text/english.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useParts } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { ButtonMenu, MenuItem } from '../../ui/menu.tsx'
import { LoadProblem } from '../../ui/message.tsx'
import { useNow } from '../../ui/moment.ts'
import { DetailPane } from '../../ui/split-panes.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { Forwarding } from './forwarding.tsx'
import { HandlerCheck } from './handler-check.tsx'
import { failingQuery, reachabilityOf } from './handler-facts.ts'
import { HandlerFailures } from './handler-failures.tsx'
import { HandlerFigures } from './handler-figures.tsx'
import { HandlerFlows } from './handler-flows.tsx'
import { ReachabilityMark } from './handler-parts.tsx'
import { HandlerVerification } from './handler-verification.tsx'
import { ResponseTimes } from './response-times.tsx'
import { useHandlerActions, type HandlerPageProps } from './use-handler-actions.ts'

const READ_EVERY_MS = 5_000

/** Count limit; the number only labels a button. */
const MOST_COUNTED = 10_000

export function HandlerPageView({ handler }: { readonly handler: SavedHandler }) {
  const everyMs = READ_EVERY_MS
  const {
    output: page,
    problem,
    readAgain,
  } = useRead('handlers.page', { id: handler.id }, { everyMs })
  const counts = useRead(
    'deliveries.counts',
    { queries: [failingQuery(handler)], most: MOST_COUNTED },
    { everyMs, keep: true },
  )
  const runId = page?.checks.at(-1)?.runId
  const check = useRead('check.get', runId === undefined ? null : { runId }, { keep: true })
  const failing = counts.output?.counts[0]?.count ?? 0
  const actions = useHandlerActions(handler)
  return (
    <DetailPane label={`Handler ${visibleText(handler.name)}`} pane="handler">
      <Heading handler={handler} failing={failing} actions={actions} />
      <div
        className="min-h-0 flex-1 overflow-auto"
        tabIndex={0}
        role="region"
        aria-label="Handler details"
      >
        {actions.problem !== null && (
          <div className="border-b border-line px-5 py-3">
            <ProblemView problem={actions.problem} />
          </div>
        )}
        {page !== undefined ? (
          <>
            <HandlerFigures page={page} />
            <HandlerFailures handler={handler} page={page} failing={failing} actions={actions} />
            <div className="grid grid-cols-2 border-t border-line @max-[760px]:grid-cols-1">
              <HandlerCheck run={check.output?.run ?? null} failing={failing} actions={actions} />
              <div className="min-w-0 border-l border-line @max-[760px]:border-t @max-[760px]:border-l-0">
                <HandlerFlows page={page} actions={actions} />
                <HandlerVerification handler={handler} />
              </div>
            </div>
            <Forwarding handler={handler} />
            <ResponseTimes page={page} />
          </>
        ) : problem === null ? (
          <div role="status" aria-label="Loading handler" className="late m-5 skeleton h-20" />
        ) : (
          <div className="px-8 pt-12">
            <LoadProblem title="Couldn't load the handler" problem={problem} onAgain={readAgain} />
          </div>
        )}
      </div>
    </DetailPane>
  )
}

function Heading({
  handler,
  failing,
  actions: { busy, test, check, runFlows, replay },
}: Omit<HandlerPageProps, 'page'> & { readonly failing: number }) {
  const { edit, use, remove, probes } = useParts('handlers', 'edit', 'use', 'remove', 'probes')
  const { note } = reachabilityOf(probes[handler.id] ?? null, useNow(1_000))
  return (
    <header className="window-drag flex min-h-12 shrink-0 flex-wrap items-center gap-2 border-b border-line py-2 pr-4 pl-5">
      <h2 className="flex min-w-0 flex-1 basis-80 items-center gap-2.5">
        <span className="min-w-0 shrink-0 font-mono text-title font-medium">
          <ExactText text={handlerRef(handler)} />
        </span>
        <span className="inline-flex shrink-0" title={note}>
          <ReachabilityMark handler={handler} />
        </span>
        {handler.current && (
          <span className="shrink-0 rounded-small bg-control px-1.5 text-small leading-5 text-muted">
            Current
          </span>
        )}
        <span className="data min-w-0 truncate text-muted" title={visibleText(handler.url)}>
          {visibleText(handler.url)}
        </span>
        <CopyButton text={handler.url} label="Copy URL" />
      </h2>
      <span className="flex flex-wrap items-center gap-2">
        {failing > 0 ? (
          <Button
            kind="primary"
            icon={RotateCw}
            onClick={() => replay({ query: failingQuery(handler) })}
          >
            Replay {counted(failing, 'failure')}
          </Button>
        ) : (
          <Button kind="primary" icon={Play} disabled={busy} onClick={check}>
            Run check
          </Button>
        )}
        <Button icon={Pencil} onClick={() => edit(handler)}>
          Edit
        </Button>
        <ButtonMenu
          className="min-w-48"
          trigger={<IconButton label="More actions" icon={Ellipsis} />}
        >
          <MenuItem onClick={() => void use(handler.current ? null : handler.id)}>
            {handler.current ? 'Clear current handler' : 'Set as current handler'}
          </MenuItem>
          <MenuItem disabled={busy} onClick={test}>
            Test connection
          </MenuItem>
          <MenuItem disabled={busy} onClick={() => runFlows(null)}>
            Run all flows
          </MenuItem>
          <MenuItem onClick={() => void remove(handler)}>Delete</MenuItem>
        </ButtonMenu>
      </span>
    </header>
  )
}
