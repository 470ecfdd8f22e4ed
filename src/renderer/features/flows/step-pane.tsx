/** The selected step: what happened, its checks, your handler's response, and the request. */
import { FileSearch, Play, Send } from 'lucide-react'
import { useId, useMemo, useState, type ReactNode } from 'react'
import { responseText } from '../../../shared/flow-diagram/received-words.ts'
import { timeWords } from '../../../shared/flow-diagram/words.ts'
import type { Delivery } from '../../../shared/model/delivery.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import type { FlowCheck, FlowRun, FlowRunStep } from '../../../shared/model/flow-run.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { labelOf } from '../../../shared/model/outcomes.ts'
import { stepOutcomes } from '../../../shared/model/flow-outcomes.ts'
import type { SendAnswer } from '../../../shared/model/send.ts'
import { isUuid } from '../../../shared/service/hook-rules.ts'
import { useRead } from '../../core-data/use-read.ts'
import type { AppStore } from '../../ui-state/store.ts'
import { useApp, useAppStore } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { fromBase64 } from '../../core-data/bytes.ts'
import { DisclosureButton } from '../../ui/disclosure.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { Fact, Facts } from '../../ui/name-value-table.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { byteSize, exactTime } from '../../ui/moment.ts'
import { OutcomeIcon, OutcomeMark } from '../../ui/outcome-mark.tsx'
import { DetailPane, DetailScroll } from '../../ui/split-panes.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { BodyBytes } from '../body/index.ts'
import { handlerRef, namedHandler } from '../../ui/endpoint-offers.ts'
import { chosenHandler } from './flow-draft.ts'
import { addressedFlow, type FlowPlace } from './open-flow.ts'

export const FLOW_REPLAY_ID = 'flow-replay'

/**
 * Returns the endpoint for a replay from a step: the run's saved handler, the chosen one, or the
 * run's URL; null without a handler.
 */
export function replayTargetOf(
  run: Pick<FlowRun, 'handler' | 'handlerName'> | null,
  draft: Parameters<typeof chosenHandler>[0],
  handlers: readonly SavedHandler[],
): string | null {
  const saved =
    namedHandler(`@${run?.handlerName ?? ''}`, handlers) ?? chosenHandler(draft, handlers)
  return saved === null ? (run?.handler ?? null) : handlerRef(saved)
}

/** Opens the selected place's delivery; false if it has no delivery. Back returns to the place. */
export function openShownDelivery(store: AppStore): boolean {
  const state = store.getState()
  const { shown } = addressedFlow(state)
  if (shown?.deliveryId == null) return false
  state.flows.selectPlace(shown.id)
  state.navigation.go('deliveries', { id: shown.deliveryId })
  return true
}

interface StepPaneProps {
  readonly place: FlowPlace
  readonly run: FlowRun | null
  /** Runs the earlier steps at full speed; null if the run can't start at this step. */
  readonly onRunFrom: (() => void) | null
}

export function StepPane({ place, run, onRunFrom }: StepPaneProps) {
  const { title, positionText, outcome, isBad, businessAt, message, fix, deliveryId } = place
  const delivery = useRead('deliveries.get', deliveryId === null ? null : { id: deliveryId })
  return (
    <DetailPane label="Step" pane="step">
      <header className="flex shrink-0 flex-col gap-2 border-b border-line px-4 py-3">
        <div>
          <h2 className="flex min-w-0 items-start gap-3">
            <span className="order-2 ml-auto shrink-0 pt-px">
              <OutcomeMark outcome={outcome} />
            </span>
            <span className="min-w-0 text-title font-medium wrap-anywhere">
              <QuotedText text={title} />
            </span>
          </h2>
          <p className="text-small text-muted">
            {positionText}
            {businessAt !== null && (
              <>
                {' '}
                · <span className="data whitespace-nowrap">{exactTime(businessAt)}</span>
              </>
            )}
          </p>
        </div>
        {message !== '' && (
          <p className={`wrap-anywhere ${isBad ? 'text-bad' : ''}`}>
            <QuotedText text={message} />
          </p>
        )}
        {fix !== null && (
          <p className="text-small text-muted wrap-anywhere">
            <span className="font-medium">How to fix:</span> <QuotedText text={fix} />
          </p>
        )}
        <Actions place={place} run={run} onRunFrom={onRunFrom} />
      </header>
      <DetailScroll label="Step details" padded={false}>
        {place.checks.length > 0 ? <Checks checks={place.checks} /> : <StepFacts place={place} />}
        <Response place={place} handlerName={run?.handlerName ?? null} />
        {delivery.problem !== null && (
          <p className="px-4 py-3 wrap-anywhere text-bad">
            Couldn't load the delivery: {delivery.problem}
          </p>
        )}
        {delivery.output !== undefined && (
          <Request delivery={delivery.output} checks={place.checks} />
        )}
      </DetailScroll>
    </DetailPane>
  )
}

function Actions({ place, run, onRunFrom }: StepPaneProps) {
  const store = useAppStore()
  const target = useApp(({ flows, core }) => replayTargetOf(run, flows.draft, core.handlers))
  const { deliveryId, isBad, response } = place
  const { output: answer } = useAnswer(place)
  if (deliveryId === null && onRunFrom === null) return null
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {deliveryId !== null && target !== null && (
        <Button
          id={FLOW_REPLAY_ID}
          kind={isBad && response?.by === 'handler' ? 'primary' : 'plain'}
          icon={Send}
          className="max-w-full min-w-0"
          title="Sends this delivery again with a fresh signature"
          onClick={() => {
            // Forged in the same way as the run did.
            const tamper = answer?.tamper ?? null
            void store.getState().replay.start({ ids: [deliveryId], to: target, tamper })
          }}
        >
          <span className="truncate">Replay to {visibleText(target)}</span>
          <ActionKeys action="flow-replay" />
        </Button>
      )}
      {deliveryId !== null && (
        <Button
          icon={FileSearch}
          title="Go back to return to this step"
          onClick={() => void openShownDelivery(store)}
        >
          Open delivery
          <ActionKeys action="flow-open" />
        </Button>
      )}
      {onRunFrom !== null && (
        <Button
          icon={Play}
          title="Runs the steps before this one at full speed, then pauses here"
          onClick={onRunFrom}
        >
          Run from here
        </Button>
      )}
    </div>
  )
}

/** Reads the send to the handler, with its response. */
function useAnswer({ response }: FlowPlace) {
  const sendId = response?.sendId ?? null
  return useRead('replay.send', sendId === null ? null : { id: sendId })
}

function Part({
  title,
  note,
  children,
}: {
  readonly title: string
  readonly note?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section aria-label={title} className="border-b border-line px-4 py-3">
      <h3 className="mb-1.5 flex min-h-5 flex-wrap items-center gap-x-2">
        <span className="font-medium">{title}</span>
        {note}
      </h3>
      {children}
    </section>
  )
}

/** Lists the expectations with the actual values, failed ones first. */
function Checks({ checks }: { readonly checks: readonly FlowCheck[] }) {
  const failed = checks.filter(({ passed }) => !passed)
  return (
    <Part
      title="Checks"
      note={
        failed.length === 0 ? (
          <span className="text-muted">{checks.length} passed</span>
        ) : (
          <span className="font-medium text-bad">
            {failed.length} of {checks.length} failed
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
          {[...failed, ...checks.filter(({ passed }) => passed)].map((check, index) => (
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
  const outcome = stepOutcomes[passed ? 'pass' : 'fail']
  return (
    <tr className={`align-baseline ${passed ? '' : 'bg-bad-wash text-bad'}`}>
      <td className="py-0.5 pl-4 align-middle">
        <OutcomeIcon outcome={outcome} size={13} label={labelOf(outcome)} />
      </td>
      <td className="truncate py-0.5 pr-2" title={field}>
        <ExactText text={field} />
      </td>
      <td className="data truncate py-0.5 text-right" title={expected}>
        <ExactText text={shortValue(expected)} />
      </td>
      <td className="data py-0.5 text-center">{operator}</td>
      <td className="data truncate py-0.5 pr-4" title={actual}>
        <ExactText text={shortValue(actual)} />
      </td>
    </tr>
  )
}

function shortValue(value: string): string {
  return isUuid(value) ? shortIdOf(value) : value
}

function StepFacts({ place: { step } }: { readonly place: FlowPlace }) {
  if (step === null || (step.expected === null && step.lastsMs === null)) return null
  const { kind, expected, lastsMs } = step
  const got = 'got' in step ? (step as FlowRunStep).got : null
  return (
    <Part title="Details">
      <Facts>
        {expected !== null && (
          <Fact name="Expected">
            {expected.split('; ').map((line) => (
              <span key={line} className="block">
                <QuotedText text={line} />
              </span>
            ))}
          </Fact>
        )}
        {got !== null && (
          <Fact name="Received">
            <QuotedText text={got} />
          </Fact>
        )}
        {lastsMs !== null && (
          <Fact name={kind === 'wait' ? 'Duration' : 'Waits'}>
            {`${kind === 'wait' ? '' : 'up to '}${timeWords(lastsMs)} of ${kind === 'answer' ? 'real' : 'sandbox'} time`}
          </Fact>
        )}
      </Facts>
    </Part>
  )
}

/** Shows the handler's response with its body. Countersign's own is in the diagram. */
function Response({
  place,
  handlerName,
}: {
  readonly place: FlowPlace
  readonly handlerName: string | null
}) {
  const { response, outcome } = place
  const { output: answer } = useAnswer(place)
  if (response?.by !== 'handler') return null
  return (
    <Part
      title="Your handler's response"
      note={handlerName !== null && <span className="data text-muted">@{handlerName}</span>}
    >
      <p className="flex items-center gap-1.5">
        <OutcomeIcon outcome={outcome} />
        {responseText(place)}
      </p>
      {response.error !== null && (
        <p className="text-small text-muted wrap-anywhere">{response.error}</p>
      )}
      {answer !== undefined && answer.status !== null && <AnswerBody answer={answer} />}
    </Part>
  )
}

const RESPONSE_ROWS = 14

function AnswerBody({ answer }: { readonly answer: SendAnswer }) {
  const bytes = useMemo(() => fromBase64(answer.base64), [answer])
  if (bytes.length === 0) return <p className="mt-1 text-small text-muted">Empty body.</p>
  return (
    <div className="mt-1.5 overflow-hidden rounded-control border border-line">
      <BodyBytes
        label="Response body"
        bytes={bytes}
        cut={answer.truncated}
        mostRows={RESPONSE_ROWS}
      />
    </div>
  )
}

const REQUEST_ROWS = 40

interface RequestProps {
  readonly delivery: Delivery
  readonly checks: readonly FlowCheck[]
}

function Request(props: RequestProps) {
  const { delivery } = props
  const [open, setOpen] = useState(false)
  const id = useId()
  return (
    <section aria-label="Request" className="border-b border-line">
      <DisclosureButton open={open} content={id} onToggle={setOpen} className="gap-2 px-4">
        <span className="min-w-0">
          <span className="font-medium">Request</span>{' '}
          <span className="data text-small wrap-anywhere text-muted">
            {delivery.method} {visibleText(delivery.path ?? '')} · {byteSize(delivery.bodySize)}
          </span>
        </span>
      </DisclosureButton>
      {open && (
        <div id={id}>
          <RequestBody {...props} />
        </div>
      )}
    </section>
  )
}

/** Shows the start of the body with a mark beside each checked field. */
function RequestBody({ delivery: { id, truncated }, checks }: RequestProps) {
  const { output } = useRead('deliveries.body', { id, offset: 0 })
  const bytes = useMemo(() => (output === undefined ? null : fromBase64(output.base64)), [output])
  const checked = useMemo(
    () => new Map(checks.flatMap(({ path, passed }) => (path === null ? [] : [[path, passed]]))),
    [checks],
  )
  if (output === undefined || bytes === null) return null
  if (output.size === 0) return <p className="px-4 pb-3 text-small text-muted">Empty body.</p>
  return (
    <BodyBytes
      label="Request body"
      bytes={bytes}
      cut={bytes.length < output.size || truncated}
      mostRows={REQUEST_ROWS}
      checked={checked}
    />
  )
}
