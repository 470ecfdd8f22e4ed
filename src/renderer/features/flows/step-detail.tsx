/** Details of a step: expectation, result, fix and delivery. */
import { FileSearch, GitCompareArrows, PenLine, Play } from 'lucide-react'
import { actorLabels, timeWords } from '../../../shared/flow-diagram/words.ts'
import type { FlowPlanStep, FlowRun, FlowRunStep, FlowStray } from '../../../shared/model/flow-run.ts'
import { useApp, useAppStore } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { DetailPane, DetailScroll } from '../../ui/split-panes.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { exactTime } from '../../ui/moment.ts'
import { openShownDelivery } from './flow-actions.ts'
import { PlaceMark } from './flow-look.tsx'
import { deliveryBefore, deliveryOf, type FlowPlace } from './places.ts'

export interface StepDetailProps {
  readonly place: FlowPlace
  readonly places: readonly FlowPlace[]
  readonly run: FlowRun | null
  /** Runs the earlier steps at full speed; null if the run can't start at this step. */
  readonly onRunFrom: (() => void) | null
}

export function StepDetail({ place, places, run, onRunFrom }: StepDetailProps) {
  const title = place.kind === 'stray' ? (place.stray.event ?? 'Delivery') : place.step.title
  return (
    <DetailPane label="Step" pane="step">
      <header className="flex shrink-0 flex-col gap-2 border-b border-line pt-3 pr-3 pb-2.5 pl-5">
        <h2 className="flex min-w-0 flex-wrap items-center gap-x-3">
          <PlaceMark place={place} large />
          <span className="min-w-0 text-title font-medium wrap-anywhere">{title}</span>
        </h2>
        <Ways place={place} places={places} onRunFrom={onRunFrom} />
      </header>
      <DetailScroll label="Step details">
        <Facts>{place.kind === 'stray' ? <StrayFacts stray={place.stray} /> : <StepFacts step={place.step} run={run} />}</Facts>
      </DetailScroll>
    </DetailPane>
  )
}

function Ways({ place, places, onRunFrom }: Omit<StepDetailProps, 'run'>) {
  const store = useAppStore()
  const setTab = useApp((state) => state.detail.setTab)
  const compare = useApp((state) => state.compare.start)
  const delivery = deliveryOf(place)
  const before = deliveryBefore(places, place)
  if (delivery === null && onRunFrom === null) return null
  const open = (tab: 'overview' | 'signature') => {
    setTab(tab)
    openShownDelivery(store)
  }
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {delivery !== null && (
        <>
          <Button
            icon={<FileSearch size={13} aria-hidden />}
            onClick={() => {
              open('overview')
            }}
          >
            Open delivery
          </Button>
          <Button
            icon={<PenLine size={13} aria-hidden />}
            onClick={() => {
              open('signature')
            }}
          >
            Signature
          </Button>
          {before !== null && (
            <Button
              icon={<GitCompareArrows size={13} aria-hidden />}
              title="Compare with the previous delivery of this run"
              onClick={() => void compare({ kind: 'delivery', id: before }, { kind: 'delivery', id: delivery })}
            >
              Compare with previous
            </Button>
          )}
        </>
      )}
      {onRunFrom !== null && (
        <Button
          icon={<Play size={13} aria-hidden />}
          title="Runs the steps before this one at full speed, then continues at the selected speed"
          onClick={onRunFrom}
        >
          Run from here
        </Button>
      )}
    </div>
  )
}

function StepFacts({ step, run }: { readonly step: FlowPlanStep | FlowRunStep; readonly run: FlowRun | null }) {
  const came = 'state' in step ? step : null
  // If all is well, the result says everything.
  const saysMore = came !== null && came.message !== '' && came.message.toLowerCase() !== came.got?.toLowerCase()
  const bad = came?.outcome === 'fail' || came?.outcome === 'missing'
  return (
    <>
      {step.expected !== null && (
        <Fact name="Expected">
          {step.expected.split('; ').map((line) => (
            <span key={line} className="block">
              {line}
            </span>
          ))}
        </Fact>
      )}
      {came !== null && came.got !== null && (
        <Fact name="Received">
          <QuotedText text={saysMore ? came.got : came.message} />
        </Fact>
      )}
      {saysMore && (
        <Fact name={bad ? 'Why it failed' : 'What happened'}>
          <span className={bad ? 'text-bad' : ''}>
            <QuotedText text={came.message} />
          </span>
        </Fact>
      )}
      {came !== null && came.fix !== null && (
        <Fact name="How to fix">
          <QuotedText text={came.fix} />
        </Fact>
      )}
      {step.lastsMs !== null && (
        <Fact name={step.kind === 'wait' ? 'Duration' : 'Waits'}>
          {step.kind === 'wait' ? '' : 'up to '}
          {timeWords(step.lastsMs)} of {step.kind === 'answer' ? 'real' : 'sandbox'} time
        </Fact>
      )}
      {came !== null && came.businessAt !== null && (
        <Fact name="Sandbox time">
          <span className="data">{exactTime(came.businessAt)}</span>
        </Fact>
      )}
      {came !== null && came.at !== null && (
        <Fact
          name="Real time"
          note={
            run === null ? undefined : `${timeWords(Math.max(0, Date.parse(came.at) - Date.parse(run.startedAt)))} after start`
          }
        >
          <span className="data">{exactTime(came.at)}</span>
        </Fact>
      )}
      {came !== null && came.ms !== null && <Fact name="Response time">{timeWords(came.ms)}</Fact>}
      <Fact name="Participants">
        {step.from === step.to ? actorLabels[step.actor] : `${actorLabels[step.from]} → ${actorLabels[step.to]}`}
      </Fact>
      <Fact name="Name">
        <span className="data">{step.name}</span>
      </Fact>
    </>
  )
}

function StrayFacts({ stray }: { readonly stray: FlowStray }) {
  return (
    <>
      <Fact name="Expected">No step expects it</Fact>
      <Fact name="What happened">
        <span className="text-bad">
          <QuotedText text={stray.message} />
        </span>
      </Fact>
      <Fact name="Sandbox time">
        <span className="data">{exactTime(stray.businessAt)}</span>
      </Fact>
      <Fact name="Real time">
        <span className="data">{exactTime(stray.at)}</span>
      </Fact>
    </>
  )
}
