/** The panel beside the list: the selected flow's last run, its steps, and the response that failed. */
import { RotateCw, SquareArrowOutUpRight } from 'lucide-react'
import { formatJson } from '../../../shared/json/format.ts'
import type { FlowRun } from '../../../shared/model/flow.ts'
import type { SendAnswer } from '../../../shared/model/send.ts'
import { percentilesOf } from '../../../shared/model/statistics.ts'
import { isFailedStep, labelOf, stepCounts, stepOutcomes } from '../../../shared/model/outcomes.ts'
import { useRead } from '../../data/use-read.ts'
import { useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { fromBase64 } from '../../ui/bytes.ts'
import { handlerAt, handlerRef, namedHandler } from '../../ui/endpoint-offers.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { duration } from '../../ui/moment.ts'
import { OutcomeIcon, OutcomeMark } from '../../ui/outcome-mark.tsx'
import { DetailPane } from '../../ui/split-panes.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { SigningFacts } from '../handlers/index.ts'
import { SaveHandlerButton } from './flow-settings.tsx'
import { lookOfRow, type FlowTableRow } from './flow-table.ts'

/** The response of the first failed handler step. */
function failedSend(run: FlowRun): string | null {
  const failed = run.steps.find(({ kind, outcome }) => kind === 'answer' && outcome === 'fail')
  return failed?.response?.sendId ?? null
}

export const NEXT_FAILURE_ID = 'flow-next-failure'

export function FlowResult({
  row,
  next,
  onRun,
}: {
  readonly row: FlowTableRow
  /** The next failed flow; null if there is no other. */
  readonly next: FlowTableRow | null
  readonly onRun: (names: readonly string[]) => void
}) {
  const { go, select, isBusy } = useAppParts((state) => ({
    go: state.navigation.go,
    select: state.flows.selectFlow,
    isBusy: state.flows.series !== null,
  }))
  const { flow, status, ms, runId, happened } = row
  const read = useRead('flows.run', runId === null || status === 'running' ? null : { runId })
  const run = read.output?.run ?? null
  const sendId = run === null ? null : failedSend(run)
  const { output: response } = useRead('replay.send', sendId === null ? null : { id: sendId })
  const look = lookOfRow(row)
  const failed = run?.steps.find(isFailedStep)
  return (
    <DetailPane label="Flow result" pane="result">
      <div className="min-h-0 flex-1 overflow-auto" tabIndex={0} role="region" aria-label="Result">
        <div className="border-b border-line px-4 py-3">
          <h2 className="flex items-start gap-3 font-medium">
            <span className="min-w-0 flex-1 text-title">{flow.title}</span>
            <span className="shrink-0 pt-0.5 text-small">
              <OutcomeMark outcome={look} />
            </span>
          </h2>
          <p className="data mt-0.5 text-small text-muted">
            {flow.name}
            {ms !== null && ` · ${duration(ms)}`}
            {Object.entries(run?.set ?? {}).map(
              ([path, value]) => ` · ${path} ${value.replaceAll('"', '')}`,
            )}
          </p>
          <p
            className={`mt-1.5 text-small wrap-anywhere ${status === 'fail' ? 'text-bad' : 'text-muted'}`}
          >
            {failed === undefined ? (
              status === 'none' ? (
                flow.about
              ) : (
                happened
              )
            ) : (
              <>
                Step {failed.index + 1}: <QuotedText text={failed.message} />
              </>
            )}
          </p>
          {failed?.fix != null && (
            <p className="mt-1 text-small wrap-anywhere text-muted">
              <QuotedText text={failed.fix} />
            </p>
          )}
          <div className="mt-2.5 flex flex-wrap gap-2">
            <Button
              kind="primary"
              icon={<RotateCw size={13} aria-hidden />}
              disabled={isBusy}
              onClick={() => onRun([flow.name])}
            >
              {runId === null ? 'Run flow' : 'Re-run flow'}
              <ActionKeys action="flow-run" />
            </Button>
            <Button
              icon={<SquareArrowOutUpRight size={13} aria-hidden />}
              onClick={() => go('flows', { flow: flow.name, run: runId ?? undefined })}
            >
              {runId === null ? 'Open flow' : 'Open run'}
              <ActionKeys action="flow-open" />
            </Button>
          </div>
        </div>
        <div className="@min-[560px]:grid @min-[560px]:grid-cols-2">
          {run !== null && <Steps run={run} />}
          {response !== undefined && <Response response={response} />}
          {run?.handler != null && (
            <UsedHandler name={run.handlerName} url={run.handler} run={run} />
          )}
        </div>
      </div>
      {next !== null && (
        <div className="flex shrink-0 items-center gap-3 border-t border-line px-4 py-2 text-small">
          <span className="min-w-0 flex-1 truncate text-muted">
            Next failure: <span className="font-medium text-text">{next.flow.title}</span>
          </span>
          <Button
            id={NEXT_FAILURE_ID}
            onClick={() => {
              select(next.flow.name)
              document
                .querySelector<HTMLElement>(`[data-flow-row="${next.flow.name}"]`)
                ?.scrollIntoView({ block: 'nearest' })
            }}
          >
            Show
            <ActionKeys action="flow-failed" />
          </Button>
        </div>
      )}
    </DetailPane>
  )
}

/** `p50 6 ms · p95 44 ms`: how fast the handler responded in a run; null without a response. */
function responseTimes({ steps }: Pick<FlowRun, 'steps'>): string | null {
  const { p50, p95 } = percentilesOf(
    steps.flatMap(({ response }) =>
      response?.by === 'handler' && response.status !== null && response.ms !== null
        ? [[response.ms, 1] as const]
        : [],
    ),
  )
  return p50 === null || p95 === null ? null : `p50 ${duration(p50)} · p95 ${duration(p95)}`
}

/** The handler of the run, with what signs the requests to it now. */
function UsedHandler({
  name,
  url,
  run,
}: {
  /** Null if the URL was typed. */
  readonly name: string | null
  readonly url: string
  readonly run: FlowRun
}) {
  const times = responseTimes(run)
  const { handlers, edit } = useAppParts((state) => ({
    handlers: state.core.handlers,
    edit: state.handlers.edit,
  }))
  const saved = namedHandler(`@${name ?? ''}`, handlers) ?? handlerAt(url, handlers)
  return (
    <section aria-label="Handler" className="border-b border-line px-4 py-3 text-small">
      <h3 className="mb-1.5 flex min-h-7 items-center gap-2">
        <span className="font-medium">Handler</span>
        {saved !== null && (
          <span className="data min-w-0 truncate text-muted">{visibleText(handlerRef(saved))}</span>
        )}
        <span className="ml-auto shrink-0">
          {saved === null ? (
            <SaveHandlerButton url={url} />
          ) : (
            <Button kind="quiet" onClick={() => edit(saved)}>
              Edit handler
            </Button>
          )}
        </span>
      </h3>
      <dl className="grid grid-cols-[88px_minmax(0,1fr)] gap-x-3 gap-y-1">
        <dt className="text-subtle">URL</dt>
        <dd className="data wrap-anywhere">
          <ExactText text={url} />
        </dd>
        {saved !== null && <SigningFacts handler={saved} />}
        {times !== null && (
          <>
            <dt className="text-subtle">Responses</dt>
            <dd className="data">{times}</dd>
          </>
        )}
      </dl>
    </section>
  )
}

function Steps({ run }: { readonly run: FlowRun }) {
  const began = Date.parse(run.startedAt)
  return (
    <section aria-label="Steps of the run" className="border-b border-line py-3">
      <h3 className="flex gap-2 px-4 text-small">
        <span className="font-medium">Steps</span>
        <span className="text-muted">
          {Object.entries(stepCounts(run))
            .flatMap(([word, many]) => (many === 0 ? [] : [`${many} ${word}`]))
            .join(', ')}
        </span>
      </h3>
      <table className="mt-1 w-full table-fixed border-collapse text-small">
        <thead className="text-left text-subtle">
          <tr>
            <th scope="col" className="w-9">
              <span className="sr-only">Outcome</span>
            </th>
            <th scope="col" className="font-normal">
              Step
            </th>
            <th scope="col" className="w-12 text-right font-normal">
              Status
            </th>
            <th scope="col" className="w-22 pr-4 text-right font-normal">
              Time
            </th>
          </tr>
        </thead>
        <tbody>
          {run.steps.map((step) => {
            const look = stepOutcomes[step.outcome ?? 'planned']
            const isBad = isFailedStep(step)
            return (
              <tr
                key={step.index}
                className={
                  isBad ? 'bg-bad-wash text-bad' : step.outcome === 'skip' ? 'text-subtle' : ''
                }
              >
                <td className="py-0.5 pl-4">
                  <OutcomeIcon outcome={look} size={12} label={labelOf(look)} />
                </td>
                <td className="truncate py-0.5 pr-2" title={step.title}>
                  <QuotedText text={step.title} />
                </td>
                <td className="data py-0.5 text-right">{step.response?.status ?? ''}</td>
                <td className="data py-0.5 pr-4 text-right text-muted">
                  {step.at === null ? '' : `+${duration(Math.max(0, Date.parse(step.at) - began))}`}
                </td>
              </tr>
            )
          })}
          {run.strays.map(({ deliveryId, message }) => (
            <tr key={deliveryId} className="bg-bad-wash text-bad">
              <td className="py-0.5 pl-4">
                <OutcomeIcon outcome={stepOutcomes.unexpected} size={12} label="Unexpected" />
              </td>
              <td className="py-0.5 pr-4" colSpan={3}>
                <QuotedText text={message} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** A longer body is opened with the run. */
const SHOWN_CHARS = 4_000

function Response({ response: { status, ms, error, base64 } }: { readonly response: SendAnswer }) {
  const body = new TextDecoder().decode(fromBase64(base64))
  const text = formatJson(body) ?? body
  return (
    <section aria-label="Your handler's response" className="border-b border-line px-4 py-3">
      <h3 className="text-small font-medium">Your handler's response</h3>
      <p className="mt-1 flex items-center gap-1.5 text-small text-bad">
        <OutcomeIcon outcome={stepOutcomes.fail} size={12} />
        {status === null ? (error ?? 'No response') : String(status)}
        {ms !== null && <span className="text-muted">in {duration(ms)}</span>}
      </p>
      {text !== '' && (
        <pre
          tabIndex={0}
          aria-label="Response body"
          className="data mt-2 max-h-64 overflow-auto rounded-control border border-line bg-ground p-2.5 text-small whitespace-pre-wrap wrap-anywhere"
        >
          {text
            .slice(0, SHOWN_CHARS)
            .split('\n')
            .map((line, index) => (
              <div key={index}>
                <ExactText text={line} />
              </div>
            ))}
          {text.length > SHOWN_CHARS && '…'}
        </pre>
      )}
    </section>
  )
}
