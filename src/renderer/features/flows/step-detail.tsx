/** The selected step: verdict, actions, checks, response, attempts or signature, request, and the step after it. */
import { FileSearch, GitCompareArrows, Play, RotateCw, Send, StepForward } from 'lucide-react'
import { useEffect, useState } from 'react'
import { actorLabels, timeWords } from '../../../shared/flow-diagram/words.ts'
import type { FlowRun } from '../../../shared/model/flow.ts'
import { isFailedStep } from '../../../shared/model/outcomes.ts'
import { useApp, useAppStore } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import type { CallResult } from '../../ui/call-problem.ts'
import { QuotedText } from '../../ui/finding-text.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { exactTime } from '../../ui/moment.ts'
import { DetailPane, DetailScroll } from '../../ui/split-panes.tsx'
import { VerdictGlyph, verdictLook, verdictToneText } from '../../ui/verdict.tsx'
import {
  FLOW_REPLAY_ID,
  openShownDelivery,
  replayShownStep,
  replayTargetOf,
} from './flow-actions.ts'
import { FLOW_STEP_ID } from './flow-controls.tsx'
import { PlaceMark } from './flow-look.tsx'
import type { StepDelivery } from './flow-step-slice.ts'
import { deliveryBefore, deliveryOf, focusPlace, responseOf, type FlowPlace } from './places.ts'
import {
  AttemptsPart,
  ChecksPart,
  RequestPart,
  ResponsePart,
  ReplayPart,
  SignaturePart,
} from './step-evidence.tsx'

export interface StepDetailProps {
  readonly place: FlowPlace
  readonly places: readonly FlowPlace[]
  readonly run: FlowRun | null
  /** Runs the earlier steps at full speed; null if the run can't start at this step. */
  readonly onRunFrom: (() => void) | null
}

export function StepDetail({ place, places, run, onRunFrom }: StepDetailProps) {
  const delivery = deliveryOf(place)
  const read = useStepDelivery(delivery)
  const value = read?.ok === true ? read.value : null
  const isInvalid = value !== null && value.delivery.verdict === 'invalid'
  const replay = useApp((state) =>
    delivery === null ? undefined : state.flows.replays.get(delivery),
  )
  return (
    <DetailPane label="Step" pane="step">
      <header className="flex shrink-0 flex-col gap-2 border-b border-line px-4 pt-3 pb-3">
        <Title place={place} places={places} />
        <WhatHappened place={place} />
        <Actions place={place} places={places} onRunFrom={onRunFrom} />
      </header>
      <DetailScroll label="Step details" padded={false}>
        <div className="@min-[700px]:grid @min-[700px]:grid-cols-2">
          <div className="min-w-0 @min-[700px]:border-r @min-[700px]:border-line">
            <ChecksPart place={place} run={run} />
            {isInvalid && value.signature !== null && (
              <SignaturePart step={value} report={value.signature} />
            )}
            {value !== null && value.attempts.length > 1 && (
              <AttemptsPart attempts={value.attempts} places={places} run={run} />
            )}
          </div>
          <div className="min-w-0">
            {replay !== undefined && <ReplayPart replay={replay} />}
            <ResponsePart place={place} handlerName={run?.handlerName ?? null} />
            {read?.ok === false && (
              <p className="px-4 py-3 wrap-anywhere text-bad">
                Couldn't load the delivery: {read.problem.message}
              </p>
            )}
            {value !== null && <RequestPart place={place} step={value} />}
          </div>
        </div>
      </DetailScroll>
      <Next place={place} places={places} run={run} onRunFrom={onRunFrom} />
    </DetailPane>
  )
}

/** The delivery of a step, once loaded. An earlier one isn't shown meanwhile. */
function useStepDelivery(id: string | null): CallResult<StepDelivery> | null {
  const readDelivery = useApp((state) => state.flows.readDelivery)
  const [read, setRead] = useState<{
    readonly id: string
    readonly result: CallResult<StepDelivery>
  } | null>(null)
  useEffect(() => {
    if (id === null) return undefined
    let isWanted = true
    void readDelivery(id).then((result) => {
      if (isWanted) setRead({ id, result })
    })
    return () => {
      isWanted = false
    }
  }, [id, readDelivery])
  return read?.id === id ? read.result : null
}

function Title({ place, places }: Pick<StepDetailProps, 'place' | 'places'>) {
  const title = place.kind === 'stray' ? (place.stray.event ?? 'Delivery') : place.step.title
  const number = places.findIndex(({ id }) => id === place.id) + 1
  const at =
    place.kind === 'stray'
      ? place.stray.businessAt
      : 'state' in place.step
        ? place.step.businessAt
        : null
  const between =
    place.kind === 'stray'
      ? 'Unexpected'
      : place.step.from === place.step.to
        ? actorLabels[place.step.actor]
        : `${actorLabels[place.step.from]} → ${actorLabels[place.step.to]}`
  return (
    <div>
      <h2 className="flex min-w-0 items-start gap-3">
        <span className="order-2 ml-auto shrink-0 pt-px">
          <PlaceMark place={place} />
        </span>
        <span className="min-w-0 text-title font-medium wrap-anywhere">
          <QuotedText text={title} />
        </span>
      </h2>
      <p className="text-small text-muted">
        {place.kind === 'step' &&
          `Step ${number} of ${places.filter(({ kind }) => kind === 'step').length} · `}
        {between}
        {at !== null && (
          <>
            {' '}
            · <span className="data whitespace-nowrap">{exactTime(at)}</span>
          </>
        )}
      </p>
    </div>
  )
}

/** One line: why the step failed; or the delivery's verdict and what it says. */
function WhatHappened({ place }: { readonly place: FlowPlace }) {
  const came =
    place.kind === 'stray'
      ? { ...place.stray, fix: null, outcome: null }
      : 'state' in place.step
        ? place.step
        : null
  if (came === null || came.message === '') return null
  const isBad = place.kind === 'stray' || isFailedStep(came)
  const look =
    came.arrived === null
      ? null
      : verdictLook({ verdict: came.arrived.verdict, malformed: null, verifiedHere: true })
  const { fix } = came
  return (
    <div className="flex flex-col gap-0.5">
      <p className={`flex items-start gap-1.5 wrap-anywhere ${isBad ? 'text-bad' : ''}`}>
        {!isBad && look !== null && (
          <span
            className={`flex shrink-0 items-center gap-1.5 font-medium ${verdictToneText[look.tone]}`}
          >
            <VerdictGlyph drawing={look.drawing} />
            {look.word}.
          </span>
        )}
        <span className="min-w-0">
          <QuotedText
            text={
              came.arrived?.cause != null && !isBad ? sentence(came.arrived.cause) : came.message
            }
          />
        </span>
      </p>
      {fix !== null && (
        <p className="text-small text-muted wrap-anywhere">
          <span className="font-medium">How to fix:</span> <QuotedText text={fix} />
        </p>
      )}
    </div>
  )
}

/** A few words as a sentence. */
function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}

function Actions({ place, places, onRunFrom }: Omit<StepDetailProps, 'run'>) {
  const store = useAppStore()
  const compare = useApp((state) => state.compare.start)
  const target = useApp(replayTargetOf)
  const delivery = deliveryOf(place)
  const before = deliveryBefore(places, place)
  if (delivery === null && onRunFrom === null) return null
  const failed = place.kind === 'step' && 'outcome' in place.step && isFailedStep(place.step)
  const isHandlers = responseOf(place)?.by === 'handler'
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {delivery !== null && (
        <>
          <Button
            id={FLOW_REPLAY_ID}
            kind={failed && isHandlers ? 'primary' : 'plain'}
            icon={<Send size={13} aria-hidden />}
            disabled={target === null}
            title={
              target === null
                ? 'Choose your handler first'
                : `Sends this delivery to ${target} with a fresh signature`
            }
            onClick={() => void replayShownStep(store)}
          >
            Replay to my handler
            <ActionKeys action="flow-replay" />
          </Button>
          {before !== null && (
            <Button
              icon={<GitCompareArrows size={13} aria-hidden />}
              title="Compare with the previous delivery of this run"
              onClick={() =>
                void compare({ kind: 'delivery', id: before }, { kind: 'delivery', id: delivery })
              }
            >
              Compare with previous
            </Button>
          )}
          <Button
            icon={<FileSearch size={13} aria-hidden />}
            title="Go back to return to this step"
            onClick={() => void openShownDelivery(store)}
          >
            Open delivery
          </Button>
        </>
      )}
      {onRunFrom !== null && (
        <Button
          icon={<Play size={13} aria-hidden />}
          title="Runs the steps before this one at full speed, then pauses here"
          onClick={onRunFrom}
        >
          Run from here
        </Button>
      )}
    </div>
  )
}

/** The step after this one: the next to run, or, once the run is over, the next to look at. */
function Next({ place, places, run, onRunFrom }: StepDetailProps) {
  const isOpen = run !== null && (run.state === 'running' || run.state === 'paused')
  const at = places.findIndex(({ id }) => id === place.id)
  const next = isOpen
    ? places.find((each) => each.kind === 'step' && each.step.index === run.current)
    : places[at + 1]
  const isRunning = run?.state === 'running'
  return (
    <footer className="flex min-h-11 shrink-0 items-center gap-3 border-t border-line px-4 py-1.5">
      <p className="min-w-0 flex-1 wrap-anywhere">
        <span className="text-muted">{isRunning ? 'Running:' : 'Next:'}</span>{' '}
        {next === undefined ? 'none. This was the last step.' : <NextWords place={next} />}
      </p>
      {run !== null && !isOpen && next === undefined && onRunFrom !== null && (
        <Button icon={<RotateCw size={13} aria-hidden />} onClick={onRunFrom}>
          Re-run step
        </Button>
      )}
      {run?.state === 'paused' && (
        <Button
          aria-label="Step once"
          icon={<StepForward size={13} aria-hidden />}
          onClick={() => {
            document.getElementById(FLOW_STEP_ID)?.click()
          }}
        >
          Step <ActionKeys action="flow-step" />
        </Button>
      )}
      {!isOpen && next !== undefined && (
        <Button onClick={() => focusPlace(next.id)}>
          Next step <ActionKeys action="flow-next" />
        </Button>
      )}
    </footer>
  )
}

function NextWords({ place }: { readonly place: FlowPlace }) {
  if (place.kind === 'stray') return `${place.stray.event ?? 'A delivery'}, unexpected.`
  const { step } = place
  return (
    <>
      <QuotedText text={step.title} />
      {step.kind === 'wait' && step.lastsMs !== null && (
        <span className="text-muted"> ({timeWords(step.lastsMs)})</span>
      )}
    </>
  )
}
