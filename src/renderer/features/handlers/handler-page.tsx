/**
 * The page of a saved handler: whether it is reachable, why it fails, its check, its flows and its
 * forwarding.
 */
import { Ellipsis, Pencil, Play, PlugZap, RotateCw } from 'lucide-react'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { deliveryCount } from '../../../shared/text/english.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useAppParts, useParts } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { MiddleTruncated } from '../../ui/exact-text.tsx'
import { ButtonMenu, MenuItem } from '../../ui/menu.tsx'
import { LoadProblem } from '../../ui/message.tsx'
import { ago, useNow } from '../../ui/moment.ts'
import { DetailPane } from '../../ui/split-panes.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { CauseList, isReplayable } from './cause-list.tsx'
import { Forwarding, ForwardSwitch } from './forwarding.tsx'
import { HandlerCheck } from './handler-check.tsx'
import { failingQuery, hasFailures, hasResults, isAutoProbed } from './handler-facts.ts'
import { HandlerFailures } from './handler-failures.tsx'
import { HandlerFigures } from './handler-figures.tsx'
import { HandlerFlows } from './handler-flows.tsx'
import { LoadingPart, ReachabilityMark } from './handler-parts.tsx'
import { HandlerVerification } from './handler-verification.tsx'
import { ResponseTimes } from './response-times.tsx'
import { useHandlerActions, type HandlerActions } from './use-handler-actions.ts'

const READ_EVERY_MS = 5_000

/** Count limit; the number only labels a button. */
const MOST_COUNTED = 10_000

/** Returns what is known about a handler, kept current. */
function useHandlerData(handler: SavedHandler) {
  const { id } = handler
  const everyMs = READ_EVERY_MS
  const read = useRead('handlers.page', { id }, { everyMs })
  const counts = useRead(
    'deliveries.counts',
    { queries: [failingQuery(handler)], most: MOST_COUNTED },
    { everyMs, keep: true },
  )
  const runId = read.output?.checks.at(-1)?.runId
  const check = useRead('check.get', runId === undefined ? null : { runId }, { keep: true })
  const causes = useRead('handlers.causes', { id }, { everyMs: 2 * READ_EVERY_MS })
  return { read, failing: counts.output?.counts[0]?.count ?? 0, check, causes }
}

export function HandlerPageView({ handler }: { readonly handler: SavedHandler }) {
  const { read, failing, check, causes } = useHandlerData(handler)
  const { output: page, problem, readAgain } = read
  const run = check.output?.run ?? null
  const hasRun = page !== undefined && hasResults(page)
  const actions = useHandlerActions(handler)
  const probe = useParts('handlers', 'probes').probes[handler.id]
  const isUnreachable = probe?.reachable === false
  const isUntested = probe === undefined && !isAutoProbed(handler)
  const { go, setQuery } = useAppParts((state) => ({
    go: state.navigation.go,
    setQuery: state.filter.setDraft,
  }))
  const primary =
    isUnreachable || isUntested
      ? 'test'
      : causes.output?.causes.some(isReplayable) === true
        ? 'cause'
        : failing > 0
          ? 'replay'
          : 'check'
  const showFailing = () => {
    go('deliveries')
    // Not all that got no response should have been accepted.
    setQuery(isUnreachable ? `handler:${handler.name}` : failingQuery(handler))
  }
  return (
    <DetailPane label={`Handler ${visibleText(handler.name)}`} pane="handler">
      <Heading
        handler={handler}
        failing={failing}
        primary={primary === 'check' && !hasRun ? 'cause' : primary}
        actions={actions}
      />
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
            <HandlerFigures
              {...{ page, run, failing, actions }}
              isCheckPrimary={primary === 'check'}
              onShowFailing={showFailing}
            />
            {causes.output !== undefined ? (
              <CauseList
                explained={causes.output}
                run={run}
                replay={actions.replay}
                isPrimary={primary === 'cause'}
              />
            ) : (
              hasFailures(page) && <LoadingPart what="causes" {...causes} />
            )}
            <HandlerFailures page={page} actions={actions} />
            <div className="grid grid-cols-[repeat(auto-fit,minmax(380px,1fr))] gap-px border-line bg-line not-empty:border-t first:border-t-0 @max-[760px]:grid-cols-1 *:border-t-0 *:bg-surface">
              {page.checks.length > 0 && <HandlerCheck check={check} />}
              {page.flows.length > 0 && <HandlerFlows page={page} actions={actions} />}
            </div>
            <Forwarding handler={handler} />
            <HandlerVerification handler={handler} />
            <ResponseTimes page={page} />
          </>
        ) : problem === null ? (
          <div role="status" aria-label="Loading handler" className="late m-5 skeleton h-20" />
        ) : (
          <LoadProblem title="Couldn't load the handler" problem={problem} onAgain={readAgain} />
        )}
      </div>
    </DetailPane>
  )
}

interface HeadingProps {
  readonly handler: SavedHandler
  readonly failing: number
  /** Primary action of the page; a cause and a first check have their own buttons. */
  readonly primary: 'test' | 'cause' | 'replay' | 'check'
  readonly actions: HandlerActions
}

function Heading({
  handler,
  failing,
  primary,
  actions: { busy, test, check, replay, runFlows, compareRuns },
}: HeadingProps) {
  const { edit, use, remove, probes } = useParts('handlers', 'edit', 'use', 'remove', 'probes')
  const now = useNow(1_000)
  const probe = probes[handler.id] ?? null
  const main = {
    test: { icon: PlugZap, act: test, words: 'Test connection' },
    replay: {
      icon: RotateCw,
      act: () => replay({ query: failingQuery(handler) }),
      words: `Replay ${deliveryCount(failing)}`,
    },
    check: { icon: Play, act: check, words: 'Run check' },
    cause: null,
  }[primary]
  return (
    <header className="window-drag flex min-h-12 shrink-0 flex-wrap items-center gap-2 border-b border-line py-2 pr-4 pl-5">
      <h2 className="flex min-w-0 flex-1 basis-80 items-center gap-2.5">
        <MiddleTruncated
          text={handlerRef(handler)}
          tail={10}
          className="font-mono text-title font-medium"
        />
        <span className="inline-flex shrink-0 items-center gap-1.5 text-small">
          <ReachabilityMark handler={handler} />
          {probe !== null && (
            <span className="text-subtle @max-[960px]:hidden">{ago(probe.at, now)}</span>
          )}
        </span>
        {handler.current && (
          <span className="shrink-0 rounded-small bg-control px-1.5 text-small leading-5 text-muted">
            Current
          </span>
        )}
        <HandlerUrl url={handler.url} />
      </h2>
      <span className="flex flex-wrap items-center gap-2">
        <ForwardSwitch handler={handler} />
        {main !== null && (
          <Button kind="primary" icon={main.icon} disabled={busy} onClick={main.act}>
            {main.words}
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
          {primary !== 'test' && (
            <MenuItem disabled={busy} onClick={test}>
              Test connection
            </MenuItem>
          )}
          <MenuItem disabled={busy} onClick={() => runFlows(null)}>
            Run all flows
          </MenuItem>
          <MenuItem onClick={compareRuns}>Compare runs…</MenuItem>
          <MenuItem kind="danger" onClick={() => void remove(handler)}>
            Delete
          </MenuItem>
        </ButtonMenu>
      </span>
    </header>
  )
}

/** Shows a URL with its copy button; without room, they wrap to a line that is not shown. */
function HandlerUrl({ url }: Pick<SavedHandler, 'url'>) {
  return (
    <span className="flex h-8 min-w-0 flex-1 flex-wrap overflow-hidden pr-1">
      <span className="h-8 w-px" />
      <span className="flex h-8 min-w-0 flex-1 basis-28 items-center gap-2.5">
        <MiddleTruncated text={url} tail={12} className="data text-muted" />
        <CopyButton text={url} label="Copy URL" />
      </span>
    </span>
  )
}
