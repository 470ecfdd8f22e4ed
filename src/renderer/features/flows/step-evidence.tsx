/** The parts of a step's details: checks, response, attempts, signature and request. */
import { Check, X } from 'lucide-react'
import { useMemo, useState, type ReactNode } from 'react'
import { momentWords, timeWords } from '../../../shared/flow-diagram/words.ts'
import type { DeliveryRow, RawHeaders } from '../../../shared/model/delivery.ts'
import type { FlowCheck, FlowResponse, FlowRun } from '../../../shared/model/flow.ts'
import { statusName } from '../../../shared/http.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import { labelOf, lookOfSend, responseWords } from '../../../shared/model/outcomes.ts'
import { isUuid } from '../../../shared/service/hook-rules.ts'
import { NO_RESPONSE_IN_TIME } from '../../../shared/service/limits.ts'
import type { SendAnswer } from '../../../shared/model/send.ts'
import type { SignatureReport } from '../../../shared/model/signature.ts'
import { useRead } from '../../data/use-read.ts'
import { useApp } from '../../state/use-app.ts'
import { fromBase64 } from '../../ui/bytes.ts'
import { isUnsaved } from '../../ui/endpoint-offers.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { byteSize, exactTime, ordinal } from '../../ui/moment.ts'
import { OutcomeIcon, OutcomeMark } from '../../ui/outcome-mark.tsx'
import { Segments } from '../../ui/segments.tsx'
import { BodyBytes } from '../body/index.ts'
import { ComparedSignatures, HeaderTable, SignedParts } from '../detail/index.ts'
import { SaveHandlerButton } from './flow-settings.tsx'
import type { StepDelivery, StepReplay } from './flow-step-slice.ts'
import { focusPlace, deliveryOf, responseOf, type FlowPlace } from './places.ts'

function Part({ title, note, action, children }: PartProps) {
  return (
    <section aria-label={title} className="border-b border-line px-4 py-3">
      <h3 className="mb-1.5 flex min-h-5 items-center gap-x-2">
        <span className="shrink-0 font-medium">{title}</span>
        {note}
        {action !== undefined && <span className="ml-auto shrink-0">{action}</span>}
      </h3>
      {children}
    </section>
  )
}

interface PartProps {
  readonly title: string
  readonly note?: ReactNode
  readonly action?: ReactNode
  readonly children: ReactNode
}

/** Failed ones first; otherwise in the order checked. */
function checksOf(place: FlowPlace): readonly FlowCheck[] {
  if (place.kind === 'stray' || !('checks' in place.step)) return []
  return place.step.checks.toSorted((one, other) => Number(one.passed) - Number(other.passed))
}

/** Each expectation with the actual value. A plan, and a run of an older version, has the expectation in words only. */
export function ChecksPart({
  place,
  run,
}: {
  readonly place: FlowPlace
  readonly run: FlowRun | null
}) {
  const checks = checksOf(place)
  if (checks.length === 0) return <Words place={place} run={run} />
  const failed = checks.filter(({ passed }) => !passed).length
  return (
    <Part
      title="Checks"
      note={
        failed === 0 ? (
          <span className="text-muted">
            {checks.length} of {checks.length} pass
          </span>
        ) : (
          <span className="font-medium text-bad">
            {failed} of {checks.length} {failed === 1 ? 'fails' : 'fail'}
          </span>
        )
      }
    >
      <table className="-mx-4 w-[calc(100%+2rem)] table-fixed border-collapse text-small">
        <thead className="text-left text-subtle">
          <tr>
            <th className="w-10" scope="col">
              <span className="sr-only">Result</span>
            </th>
            <th scope="col" className="w-[34%] py-0.5 font-normal">
              Field
            </th>
            <th scope="col" className="py-0.5 text-right font-normal">
              Expected
            </th>
            <th scope="col" className="w-14">
              <span className="sr-only">Operator</span>
            </th>
            <th scope="col" className="py-0.5 pr-4 font-normal">
              Actual
            </th>
          </tr>
        </thead>
        <tbody>
          {checks.map((check, index) => (
            <CheckRow key={index} check={check} />
          ))}
        </tbody>
      </table>
    </Part>
  )
}

function CheckRow({
  check: { field, expected, operator, actual, passed },
}: {
  readonly check: FlowCheck
}) {
  const Icon = passed ? Check : X
  const tone = passed ? '' : 'text-bad'
  return (
    <tr className={`align-baseline ${passed ? '' : 'bg-bad-wash'}`} data-passed={passed}>
      <td className="py-0.5 pl-4">
        <Icon
          size={13}
          role="img"
          aria-label={passed ? 'As expected' : 'Failed'}
          className={`inline ${passed ? 'text-ok' : 'text-bad'}`}
        />
      </td>
      <td className={`truncate py-0.5 pr-2 ${passed ? 'text-muted' : 'text-bad'}`} title={field}>
        <ExactText text={field} />
      </td>
      <td className={`data truncate py-0.5 text-right ${tone}`} title={expected}>
        <ExactText text={shortValue(expected)} />
      </td>
      <td className={`data py-0.5 text-center ${passed ? 'text-subtle' : 'text-bad'}`}>
        {operator}
      </td>
      <td className={`data truncate py-0.5 pr-4 ${tone}`} title={actual}>
        <ExactText text={shortValue(actual)} />
      </td>
    </tr>
  )
}

/** An id in its short form. The title has the whole value. */
function shortValue(value: string): string {
  return isUuid(value) ? shortIdOf(value) : value
}

/** Expectation and result in words, and how long the step takes. */
function Words({ place, run }: { readonly place: FlowPlace; readonly run: FlowRun | null }) {
  if (place.kind === 'stray')
    return (
      <Part title="Checks">
        <Facts>
          <Fact name="Expected">No step expects this delivery</Fact>
        </Facts>
      </Part>
    )
  const { step } = place
  const came = 'state' in step ? step : null
  const facts: (readonly [string, ReactNode])[] = []
  if (step.expected !== null)
    facts.push([
      'Expected',
      step.expected.split('; ').map((line) => (
        <span key={line} className="block">
          <QuotedText text={line} />
        </span>
      )),
    ])
  if (came !== null && came.got !== null)
    facts.push(['Received', <QuotedText key="got" text={came.got} />])
  if (step.lastsMs !== null) {
    const clock = step.kind === 'answer' ? 'real' : 'sandbox'
    facts.push([
      step.kind === 'wait' ? 'Duration' : 'Waits',
      `${step.kind === 'wait' ? '' : 'up to '}${timeWords(step.lastsMs)} of ${clock} time`,
    ])
  }
  if (came !== null && came.at !== null && run !== null)
    facts.push([
      'Real time',
      `${timeWords(Math.max(0, Date.parse(came.at) - Date.parse(run.startedAt)))} after start`,
    ])
  facts.push([
    'Name',
    <span key="name" className="data">
      {step.name}
    </span>,
  ])
  return (
    <Part title="Details">
      <Facts>
        {facts.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </Facts>
    </Part>
  )
}

const endings: Readonly<Record<Exclude<FlowResponse['kind'], 'status'>, string>> = {
  timeout: labelOf({ word: NO_RESPONSE_IN_TIME }),
  dropped: 'Connection dropped',
  unreachable: "Couldn't connect",
}

/** The response of a step: your handler's with headers and body, or ours. */
export function ResponsePart({
  place,
  handlerName,
}: {
  readonly place: FlowPlace
  readonly handlerName: string | null
}) {
  const response = responseOf(place)
  const sendId = response?.sendId ?? null
  const { output: answer } = useRead('replay.send', sendId === null ? null : { id: sendId })
  if (response === null) return null
  const isOurs = response.by === 'receiver'
  const verdict =
    place.kind === 'stray'
      ? place.stray.arrived?.verdict
      : 'arrived' in place.step
        ? place.step.arrived?.verdict
        : null
  const isRecordedOnly =
    isOurs &&
    response.acknowledged &&
    verdict !== undefined &&
    verdict !== null &&
    verdict !== 'valid'
  // Your handler's 200 to a delivery that it must reject is a failure, though the service would count it as acknowledged.
  const isWrong =
    !isOurs && checksOf(place).some(({ field, passed }) => field === 'Status' && !passed)
  const tone = isRecordedOnly ? 'neutral' : response.acknowledged && !isWrong ? 'good' : 'bad'
  return (
    <Part
      title={isOurs ? 'Our response' : "Your handler's response"}
      action={
        !isOurs && handlerName !== null && <span className="data text-muted">@{handlerName}</span>
      }
    >
      <p className="flex flex-wrap items-center gap-x-1.5">
        <OutcomeIcon outcome={{ tone, glyph: tone === 'bad' ? 'fail' : 'pass', word: '' }} />
        <ResponseWords response={response} tone={tone} />
        {isRecordedOnly && <span className="text-muted">, recorded only</span>}
      </p>
      {response.error !== null && (
        <p className="text-small text-muted wrap-anywhere">{response.error}</p>
      )}
      {answer !== undefined && <AnswerContent answer={answer} label="Response body" />}
    </Part>
  )
}

const tones = { good: 'text-ok', bad: 'text-bad', neutral: 'text-muted' } as const

function ResponseWords({
  response,
  tone,
}: {
  readonly response: FlowResponse
  readonly tone: keyof typeof tones
}) {
  const { kind, status } = response
  const what =
    kind !== 'status' || status === null
      ? endings[kind === 'status' ? 'dropped' : kind]
      : `${status} ${statusName(status)}`.trim()
  return (
    <>
      <span className={`font-medium ${tones[tone]}`}>{what}</span>
      {response.ms !== null && (
        <span className="text-muted">
          {response.kind === 'status' ? 'in' : 'after'} {timeWords(response.ms)}
        </span>
      )}
    </>
  )
}

/** Headers that every response has. They are shown on request. */
const COMMON = /^(?:date|connection|keep-alive|transfer-encoding|content-length|server|vary|etag)$/i
const BODY_ROWS = 14

function AnswerContent({ answer, label }: { readonly answer: SendAnswer; readonly label: string }) {
  const bytes = useMemo(() => fromBase64(answer.base64), [answer])
  if (answer.status === null) return null
  return (
    <>
      <HeaderLines headers={answer.headers} />
      {bytes.length === 0 ? (
        <p className="mt-1 text-small text-muted">Empty body.</p>
      ) : (
        <div className="mt-1.5 overflow-hidden rounded-control border border-line">
          <BodyBytes label={label} bytes={bytes} cut={answer.truncated} mostRows={BODY_ROWS} />
        </div>
      )}
    </>
  )
}

function HeaderLines({ headers }: { readonly headers: RawHeaders }) {
  const [all, setAll] = useState(false)
  const shown = all ? headers : headers.filter(([name]) => !COMMON.test(name))
  const hidden = headers.length - shown.length
  return (
    <>
      <dl className="mt-1 grid grid-cols-[minmax(0,auto)_minmax(0,1fr)] gap-x-4 text-small">
        {shown.map(([name, value], index) => (
          <div key={index} className="contents">
            <dt className="data text-muted wrap-anywhere">
              <ExactText text={name} />
            </dt>
            <dd className="data wrap-anywhere">
              <ExactText text={value} />
            </dd>
          </div>
        ))}
      </dl>
      {hidden > 0 && (
        <button
          type="button"
          className="text-small text-accent hover:underline"
          onClick={() => setAll(true)}
        >
          {shown.length === 0 ? `Show ${hidden} headers` : `Show ${hidden} more`}
        </button>
      )}
    </>
  )
}

/** The response to the last replay from this step, above the run's own. */
export function ReplayPart({ replay: { to, answer, problem } }: { readonly replay: StepReplay }) {
  return (
    <Part title="Replay" action={<span className="data text-muted wrap-anywhere">{to}</span>}>
      <div role="status">
        {problem !== null && <p className="text-bad wrap-anywhere">{problem}</p>}
        {problem === null && answer === null && <p className="text-muted">Sending…</p>}
        {answer !== null && (
          <p className="flex flex-wrap items-center gap-x-1.5">
            <OutcomeMark outcome={lookOfSend(answer)} />
            <span className="data">{responseWords(answer.status, answer.ms)}</span>
            {answer.error !== null && (
              <span className="text-small text-muted wrap-anywhere">{answer.error}</span>
            )}
          </p>
        )}
      </div>
      {answer !== null && answer.tamper === null && /^4/.test(String(answer.status)) && (
        <UnsavedHandler url={to} />
      )}
      {answer !== null && <AnswerContent answer={answer} label="Body of the new response" />}
    </Part>
  )
}

/** Why a handler may have rejected a replay: only a saved handler's secret is known here. */
function UnsavedHandler({ url }: { readonly url: string }) {
  const handlers = useApp((state) => state.core.handlers)
  if (!isUnsaved(url, handlers)) return null
  return (
    <div className="mt-1.5 text-small text-muted">
      <p className="mb-1.5">
        This handler isn't saved, so the replay was signed with the secret of the flow's hook. Save
        it to sign with its own secret.
      </p>
      <SaveHandlerButton url={url} />
    </div>
  )
}

/** The end of an attempt in a word. The run knows a timeout from a dropped connection; a delivery of another run doesn't. */
function attemptEnd(response: FlowResponse | null, row: DeliveryRow): string {
  const words = { timeout: NO_RESPONSE_IN_TIME, dropped: 'dropped', unreachable: 'not reached' }
  if (response === null || response.kind === 'status')
    return String(response?.status ?? row.answer.status ?? 'no response')
  return words[response.kind]
}

/** Every delivery of the notification, with the times of the run. */
export function AttemptsPart({
  attempts,
  places,
  run,
}: {
  readonly attempts: readonly DeliveryRow[]
  readonly places: readonly FlowPlace[]
  readonly run: FlowRun | null
}) {
  return (
    <Part
      title="Retries"
      note={<span className="text-muted">{attempts.length} deliveries of one notification</span>}
    >
      <table className="w-full text-small">
        <thead className="text-left text-subtle">
          <tr>
            <th scope="col" className="font-normal">
              Attempt
            </th>
            <th scope="col" className="font-normal">
              {run === null ? 'Time' : 'Sandbox time'}
            </th>
            <th scope="col" className="text-right font-normal">
              Response
            </th>
          </tr>
        </thead>
        <tbody>
          {attempts.map((row) => {
            const place = places.find(
              (each) => deliveryOf(each) === row.id && responseOf(each)?.by !== 'handler',
            )
            const at =
              place?.kind === 'step' && 'state' in place.step ? place.step.businessAt : null
            const response = responseOf(place)
            const isOk = response?.acknowledged ?? row.answer.status === 200
            return (
              <tr key={row.id}>
                <th scope="row" className="py-0.5 text-left font-normal">
                  {place === undefined ? (
                    ordinal(row.attempt)
                  ) : (
                    <button
                      type="button"
                      className="text-accent hover:underline"
                      onClick={() => focusPlace(place.id)}
                    >
                      {row.duplicateOf === null ? ordinal(row.attempt) : 'Duplicate'}
                    </button>
                  )}
                </th>
                <td className="data py-0.5">
                  {at === null ? exactTime(row.receivedAt) : momentWords(at)}
                </td>
                <td className={`data py-0.5 text-right ${isOk ? 'text-ok' : 'text-bad'}`}>
                  {attemptEnd(response, row)}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </Part>
  )
}

/** The signed parts, and where the signature differs. */
export function SignaturePart({
  step,
  report,
}: {
  readonly step: StepDelivery
  readonly report: SignatureReport
}) {
  return (
    <Part title="Signature">
      <div className="flex flex-col gap-2">
        <ComparedSignatures
          right={{
            name: 'Computed',
            value: report.expected,
            missing: 'No secret to compute it with',
          }}
          other={{ name: 'Received', value: report.received, missing: 'No signature header' }}
          firstDifference={report.firstDifference}
        />
        <SignedParts shown={step} signature={report} />
      </div>
    </Part>
  )
}

const views = [
  { value: 'body', label: 'Body' },
  { value: 'headers', label: 'Headers' },
] as const

const REQUEST_ROWS = 40

/** The request as received, with a mark beside each checked field. */
export function RequestPart({
  place,
  step: { delivery, body },
}: {
  readonly place: FlowPlace
  readonly step: StepDelivery
}) {
  const [view, setView] = useState<'body' | 'headers'>('body')
  const checked = useMemo(
    () =>
      new Map(
        checksOf(place).flatMap(({ path, passed }) =>
          path === null ? [] : [[path, passed] as const],
        ),
      ),
    [place],
  )
  return (
    <Part
      title="Request"
      note={
        <span
          className="data min-w-0 truncate text-small text-muted"
          title={delivery.path ?? undefined}
        >
          {delivery.method} {delivery.path} · {byteSize(delivery.bodySize)}
        </span>
      }
      action={<Segments label="Request view" options={views} value={view} onChange={setView} />}
    >
      <div className="-mx-4">
        {view === 'headers' ? (
          <HeaderTable
            label="Request headers"
            headers={delivery.headers}
            receivedAt={delivery.receivedAt}
          />
        ) : delivery.bodySize === 0 ? (
          <p className="px-4 text-small text-muted">Empty body.</p>
        ) : (
          <BodyBytes
            label="Request body"
            bytes={body.bytes}
            cut={body.bytes.length < body.size || delivery.truncated}
            mostRows={REQUEST_ROWS}
            checked={checked}
          />
        )}
      </div>
    </Part>
  )
}
