/**
 * The page of a saved handler: whether it is reachable, what failed there, its check, its flows and
 * its forwarding.
 */
import { ChevronRight, CircleCheck, CircleX, Ellipsis, Pencil, Play, RotateCw } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { checkGroups, isExplained, type CheckRun } from '../../../shared/model/check.ts'
import type { HandlerPage, SavedHandler } from '../../../shared/model/handler.ts'
import { amountText } from '../../../shared/text/amount.ts'
import { counted } from '../../../shared/text/counted.ts'
import { useData, useRead } from '../../core-data/use-read.ts'
import { useApp, useAppParts, useParts } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { settleCall } from '../../ui/call-problem.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { ButtonMenu, MenuItem } from '../../ui/menu.tsx'
import { LoadProblem } from '../../ui/message.tsx'
import { clockTime, duration, milliseconds, useNow } from '../../ui/moment.ts'
import { DetailPane } from '../../ui/split-panes.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useCallState } from '../../ui/use-outcome.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { Forwarding } from './forwarding.tsx'
import {
  failingQuery,
  failureName,
  failureReason,
  flowResults,
  groupResults,
  isAutoProbed,
  reachabilityOf,
} from './handler-facts.ts'
import {
  EmptySection,
  HeadingLink,
  PageSection,
  ReachabilityMark,
  rowStyle,
  SigningFacts,
} from './handler-parts.tsx'
import { ResponseTimes } from './response-times.tsx'

const READ_EVERY_MS = 5_000

/** The number only labels a button. */
const MOST_COUNTED = 10_000

/** Returns the actions that connect to a handler or send there. */
function useActions(handler: SavedHandler) {
  const { client } = useData()
  const { probe, replayTo, changeDraft, runAll, go } = useAppParts((state) => ({
    probe: state.handlers.probe,
    replayTo: state.replay.sendTo,
    changeDraft: state.flows.changeDraft,
    runAll: state.flows.runAll,
    go: state.navigation.go,
  }))
  const { busy, problem, run } = useCallState()
  const ref = handlerRef(handler)
  const begin = (call: () => Promise<unknown>) => void run(() => settleCall(call()))
  return {
    busy,
    problem,
    test: () => begin(() => probe({ id: handler.id })),
    check: () =>
      begin(async () => {
        const started = await client.call('check.start', { target: ref })
        go('check', { run: started.run.id })
      }),
    /** Runs the named flows; null runs all. */
    runFlows(names: readonly string[] | null) {
      changeDraft({ handler: handler.name })
      begin(() => runAll(names).then(() => go('flows')))
    },
    /** The end is announced as after `r`. */
    replay: (what: Parameters<typeof replayTo>[1]) => void replayTo(ref, what),
  }
}

type Actions = ReturnType<typeof useActions>

interface PageProps {
  readonly handler: SavedHandler
  readonly page: HandlerPage
  readonly actions: Actions
}

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
  const actions = useActions(handler)
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
            <Figures page={page} />
            <Failures handler={handler} page={page} failing={failing} actions={actions} />
            <div className="grid grid-cols-2 border-t border-line @max-[760px]:grid-cols-1">
              <Check run={check.output?.run ?? null} failing={failing} actions={actions} />
              <div className="min-w-0 border-l border-line @max-[760px]:border-t @max-[760px]:border-l-0">
                <Flows page={page} actions={actions} />
                <Verification handler={handler} />
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
}: Omit<PageProps, 'page'> & { readonly failing: number }) {
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

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <p className="flex min-h-11 min-w-0 flex-1 flex-wrap items-center gap-x-2.5 border-line px-5 py-1 text-small text-muted not-last:border-r @max-[760px]:basis-full @max-[760px]:not-last:border-r-0">
      <span>{name}</span>
      {children}
    </p>
  )
}

/** Shows `34 of 37`, a bar of both, and the time. Green only if something passed. */
function Passed({
  passed,
  failed,
  at,
}: {
  readonly passed: number
  readonly failed: number
  readonly at: string | undefined
}) {
  return (
    <>
      <span>
        <Big value={passed} className={failed > 0 ? 'text-bad' : passed > 0 ? 'text-ok' : ''} /> of{' '}
        {passed + failed}
      </span>
      <span aria-hidden className="flex h-2 w-24 gap-px forced-color-adjust-none">
        {failed > 0 && <span className="min-w-2 bg-mark-red" style={{ flexGrow: failed }} />}
        <span className="bg-mark-green" style={{ flexGrow: passed }} />
      </span>
      {at !== undefined && <span className="data">{clockTime(at).slice(0, 5)}</span>}
    </>
  )
}

function Big({ value, className = '' }: { readonly value: number; readonly className?: string }) {
  return (
    <span className={`font-mono text-title font-medium ${className}`}>
      {value.toLocaleString('en')}
    </span>
  )
}

/** Shows one line with the check, the flows and the last hour. */
function Figures({ page: { checks, flows, requests, failed, p50 } }: Pick<PageProps, 'page'>) {
  const check = checks.at(-1)
  const results = flowResults(flows)
  return (
    <div role="group" aria-label="Summary" className="flex flex-wrap border-b border-line">
      <Figure name="Check">{check === undefined ? 'not run yet' : <Passed {...check} />}</Figure>
      <Figure name="Flows">
        {flows.length === 0 ? (
          'not run yet'
        ) : (
          <Passed
            passed={results.passed.length}
            failed={results.failed.length}
            at={results.startedAt}
          />
        )}
      </Figure>
      <Figure name="Last hour">
        <span>
          <Big value={requests} className="text-text" /> {requests === 1 ? 'request' : 'requests'}
        </span>
        {failed > 0 && (
          <span className="flex items-center gap-1 font-medium text-bad">
            <CircleX size={14} />
            {failed.toLocaleString('en')} failed
          </span>
        )}
        {p50 !== null && (
          <span>
            median <span className="data">{milliseconds(p50)} ms</span>
          </span>
        )}
      </Figure>
    </div>
  )
}

/** The list has all of them. */
const LATEST_SHOWN = 6

/** Lists the latest failures; empty without any. */
function Failures({
  handler,
  page: { latest, failed },
  failing,
  actions: { replay },
}: PageProps & { readonly failing: number }) {
  const { go, setQuery } = useAppParts((state) => ({
    go: state.navigation.go,
    setQuery: state.filter.setDraft,
  }))
  if (latest.length === 0 && failing === 0) return null
  return (
    <PageSection
      name="Latest failures"
      note={`${failed.toLocaleString('en')} in the last hour`}
      action={
        failing > 0 && (
          <HeadingLink
            onClick={() => {
              go('deliveries')
              setQuery(failingQuery(handler))
            }}
          >
            Show in Deliveries
          </HeadingLink>
        )
      }
    >
      {latest.slice(0, LATEST_SHOWN).map((send) => (
        <div key={send.sendId} className={`${rowStyle} hover:bg-raised`}>
          <button
            type="button"
            className="flex h-full min-w-0 flex-1 items-center gap-3 text-left"
            onClick={() => go('deliveries', { id: send.deliveryId, tab: 'history' })}
          >
            <span className="data shrink-0 text-muted">{clockTime(send.at).slice(0, 8)}</span>
            <span className="data w-44 shrink-0 truncate @max-[520px]:w-32">
              {visibleText(send.event ?? 'Unknown event')}
            </span>
            <span className="data w-28 shrink-0 truncate text-right @max-[640px]:hidden">
              {send.amount !== null &&
                send.currency !== null &&
                amountText(send.amount, send.currency)}
            </span>
            <span className="data flex w-24 shrink-0 items-center gap-1 font-medium text-bad">
              <CircleX size={14} className="shrink-0" />
              <span className="truncate">{failureName(send)}</span>
            </span>
            <span
              className="min-w-0 flex-1 truncate text-muted"
              title={visibleText(failureReason(send))}
            >
              {visibleText(failureReason(send))}
            </span>
          </button>
          <IconButton
            label={`Replay to ${handlerRef(handler)}`}
            icon={RotateCw}
            className="-mr-1.5 size-6"
            onClick={() => replay({ ids: [send.deliveryId] })}
          />
        </div>
      ))}
    </PageSection>
  )
}

function FailedCount({ count }: { readonly count: number }) {
  return count > 0 && <span className="text-bad">{count} failed</span>
}

/** Lists the groups of the last check, failures first, each with a link to the report. */
function Check({
  run,
  failing,
  actions: { busy, check },
}: {
  readonly run: CheckRun | null
  readonly failing: number
  readonly actions: Actions
}) {
  const go = useApp((state) => state.navigation.go)
  return (
    <PageSection
      name="Check"
      note={<FailedCount count={run?.failed ?? 0} />}
      action={
        <>
          {run !== null && (
            <HeadingLink onClick={() => go('check', { run: run.id })}>Show report</HeadingLink>
          )}
          {(failing > 0 || run !== null) && (
            <Button icon={Play} disabled={busy} onClick={check}>
              {run === null ? 'Run check' : 'Run again'}
            </Button>
          )}
        </>
      }
    >
      {run === null && (
        <EmptySection>
          No check yet. A check shows whether this handler follows the spec.
        </EmptySection>
      )}
      {run?.conclusions.map(({ cause, message, fix }) => (
        <p key={cause} className="border-t border-line/50 bg-bad-wash px-5 py-1.5">
          <span className="font-medium">
            <QuotedText text={message} />
          </span>{' '}
          <span className="text-muted">
            <QuotedText text={fix} />
          </span>
        </p>
      ))}
      {run !== null &&
        groupResults(run.results).map(({ group, passed, failed }) => {
          const Icon = failed.length > 0 ? CircleX : CircleCheck
          const tone = failed.length > 0 ? 'text-bad' : 'text-ok'
          return (
            <div key={group}>
              <div className={rowStyle}>
                <Icon size={14} className={`shrink-0 ${tone}`} />
                <span className="min-w-0 flex-1 truncate font-medium">{checkGroups[group]}</span>
                <span className={`data shrink-0 ${failed.length > 0 ? 'text-bad' : 'text-muted'}`}>
                  {passed} of {passed + failed.length}
                </span>
              </div>
              {failed.map((result) => (
                <button
                  key={result.name}
                  type="button"
                  className={`${rowStyle} bg-ground pl-[42px] hover:bg-raised`}
                  title={visibleText(result.message)}
                  onClick={() => go('check', { run: run.id, case: result.name })}
                >
                  <span className="max-w-[60%] shrink-0 truncate">{result.title}</span>
                  <span className="min-w-0 flex-1 truncate text-right text-small text-muted">
                    {isExplained(result, run.conclusions)
                      ? 'no valid response'
                      : visibleText(result.message)}
                  </span>
                </button>
              ))}
            </div>
          )
        })}
    </PageSection>
  )
}

/** Lists the last run of each flow: failed ones with the reason, others folded. */
function Flows({
  page: { flows },
  actions: { busy, runFlows },
}: Pick<PageProps, 'page' | 'actions'>) {
  const go = useApp((state) => state.navigation.go)
  const [open, setOpen] = useState(false)
  const { failed, passed } = flowResults(flows)
  const row = (flow: (typeof flows)[number], isFailed: boolean) => (
    <button
      key={flow.flow}
      type="button"
      className={`${rowStyle} hover:bg-raised`}
      title={visibleText(`${flow.title}: ${flow.summary}`)}
      onClick={() => go('flows', { flow: flow.flow, run: flow.runId })}
    >
      {isFailed ? (
        <CircleX size={14} className="shrink-0 text-bad" />
      ) : (
        <CircleCheck size={14} className="shrink-0 text-ok" />
      )}
      <span className="max-w-[50%] shrink-0 truncate font-medium">{visibleText(flow.title)}</span>
      <span
        className={`min-w-0 flex-1 truncate text-right text-small ${isFailed ? 'text-bad' : 'text-muted'}`}
      >
        {visibleText(flow.summary)}
      </span>
    </button>
  )
  return (
    <PageSection
      name="Flows"
      note={<FailedCount count={failed.length} />}
      action={
        <Button
          icon={RotateCw}
          disabled={busy}
          onClick={() => runFlows(failed.length > 0 ? failed.map(({ flow }) => flow) : null)}
        >
          {failed.length > 0 ? `Re-run ${failed.length} failed` : 'Run all flows'}
        </Button>
      }
    >
      {flows.length === 0 && <EmptySection>No flow has run against this handler yet.</EmptySection>}
      {failed.map((flow) => row(flow, true))}
      {passed.length > 0 && (
        <button
          type="button"
          aria-expanded={open}
          className={`${rowStyle} text-muted hover:bg-raised`}
          onClick={() => setOpen(!open)}
        >
          <ChevronRight size={14} className={open ? 'rotate-90' : ''} />
          <span className="flex-1">{passed.length} passed</span>
          <span className="text-small">
            {duration(
              passed.reduce(
                (sum, { startedAt, endedAt }) => sum + Date.parse(endedAt) - Date.parse(startedAt),
                0,
              ),
            )}{' '}
            in all
          </span>
        </button>
      )}
      {open && passed.map((flow) => row(flow, false))}
    </PageSection>
  )
}

/** Shows how requests to the handler are signed and verified, and its command. */
function Verification({ handler }: { readonly handler: SavedHandler }) {
  const command = `countersign replay latest --to handler:${handler.name}`
  return (
    <PageSection name="Verification">
      <dl className="grid grid-cols-[100px_minmax(0,1fr)] gap-x-4 gap-y-2 border-t border-line/50 px-5 py-3 text-small">
        <SigningFacts handler={handler} />
        <dt className="text-subtle">Certificate</dt>
        <dd className="text-muted">
          {handler.url.startsWith('http:')
            ? 'Not used over HTTP'
            : handler.targetCa !== null
              ? "Must be signed by the handler's CA"
              : isAutoProbed(handler)
                ? 'Any (same computer)'
                : 'Must be trusted by this computer'}
        </dd>
        <dt className="text-subtle">Command</dt>
        <dd className="flex min-w-0 items-center gap-1">
          <span className="data min-w-0 truncate">{visibleText(command)}</span>
          <CopyButton text={command} label="Copy command" className="-my-1" />
        </dd>
      </dl>
    </PageSection>
  )
}
