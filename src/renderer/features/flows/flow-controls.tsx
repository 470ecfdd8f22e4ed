/** Controls of a flow: run, step, pause, cancel, speed and progress. */
import { Pause, Play, Square, StepForward } from 'lucide-react'
import { counted } from '../../../shared/text/counted.ts'
import { momentWords, timeWords } from '../../../shared/flow-diagram/words.ts'
import type { FlowPlan, FlowRun, FlowSpeed } from '../../../shared/model/flow-run.ts'
import { listed } from '../../state/consent-question.ts'
import { useApp, useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { AskedConsent } from '../../ui/consent.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { useConsents, type Consents } from '../../ui/use-consents.ts'
import { RunMark } from './flow-look.tsx'
import type { FlowAsked } from './flow-start.ts'

type Way = Pick<FlowAsked, 'paused' | 'from'> & { readonly step: boolean }

interface FlowStart extends Consents {
  start(way: Way): void
}

/** Starts the open flow and asks for missing consent: a remote host or a live environment. */
export function useFlowStart(): FlowStart {
  const startFlow = useApp((state) => state.flows.start)
  const consents = useConsents()
  return {
    ...consents,
    start(way) {
      consents.begin((consent) => startFlow({ ...way, ...consent }))
    },
  }
}

/** Sandbox time and real time of a run. */
function FlowClock({ run }: { readonly run: FlowRun }) {
  const { clock, startedAt, businessStartedAt, endedAt } = run
  if (clock === null) return null
  const since = (from: string, to: string) => timeWords(Math.max(0, Date.parse(to) - Date.parse(from)))
  return (
    <dl aria-label="Run clocks" className="flex shrink-0 items-baseline gap-4 text-small">
      <div className="flex items-baseline gap-1.5">
        <dt className="text-subtle">Sandbox</dt>
        <dd className="data">
          {momentWords(clock.businessAt)} <span className="text-muted">+{since(businessStartedAt, clock.businessAt)}</span>
        </dd>
      </div>
      <div className="flex items-baseline gap-1.5">
        <dt className="text-subtle">Real</dt>
        <dd className="data text-muted">+{since(startedAt, endedAt ?? clock.at)}</dd>
      </div>
    </dl>
  )
}

export const FLOW_RUN_ID = 'flow-run'
export const FLOW_STEP_ID = 'flow-step'

const speeds: readonly (readonly [FlowSpeed, string])[] = [
  [1, 'Real time'],
  [60, '1 minute per second'],
  [3600, '1 hour per second'],
  [86_400, '1 day per second'],
  ['max', 'As fast as possible'],
]

export interface ControlsProps {
  readonly plan: FlowPlan
  readonly run: FlowRun | null
  readonly starting: FlowStart
}

export function FlowControls({ plan, run, starting }: ControlsProps) {
  const steer = useApp((state) => state.flows.steer)
  const going = run !== null && (run.state === 'running' || run.state === 'paused')
  return (
    <div className="shrink-0 border-b border-line bg-surface">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5 px-4 py-2">
        {!going && (
          <Button
            id={FLOW_RUN_ID}
            kind="primary"
            icon={<Play size={13} aria-hidden />}
            disabled={starting.busy}
            onClick={() => {
              starting.start({ paused: false, from: 0, step: false })
            }}
          >
            {run === null ? 'Run' : 'Run again'}
          </Button>
        )}
        {run?.state === 'running' && (
          <Button id={FLOW_RUN_ID} icon={<Pause size={13} aria-hidden />} onClick={() => void steer('pause')}>
            Pause
          </Button>
        )}
        {run?.state === 'paused' && (
          <Button id={FLOW_RUN_ID} kind="primary" icon={<Play size={13} aria-hidden />} onClick={() => void steer('resume')}>
            Resume
          </Button>
        )}
        {run?.state !== 'running' && (
          <Button
            id={FLOW_STEP_ID}
            icon={<StepForward size={13} aria-hidden />}
            disabled={starting.busy}
            title={going ? 'Run the next step, then pause' : 'Start a run and pause after the first step'}
            onClick={() => {
              if (going) void steer('step')
              else starting.start({ paused: true, from: 0, step: true })
            }}
          >
            Step
          </Button>
        )}
        {going && (
          <Button icon={<Square size={12} aria-hidden />} onClick={() => void steer('cancel')}>
            Cancel
          </Button>
        )}
        <SpeedChoice />
        <Standing run={run} />
      </div>
      <Refused plan={plan} starting={starting} />
      {run?.ask != null && going && (
        <p role="status" className="border-t border-line bg-warn-wash px-4 py-2">
          <span className="font-medium">Your turn:</span> {run.ask}
        </p>
      )}
    </div>
  )
}

/** The speed of the next run, and of the one in progress. */
export function SpeedChoice() {
  const { speed, setSpeed } = useAppParts((state) => ({ speed: state.flows.draft.speed, setSpeed: state.flows.setSpeed }))
  return (
    <select
      aria-label="Speed"
      value={String(speed)}
      onChange={(event) => {
        const chosen = speeds.find(([value]) => String(value) === event.currentTarget.value)
        if (chosen !== undefined) void setSpeed(chosen[0])
      }}
      className="h-7 rounded-control border border-line bg-ground px-2 text-small hover:border-edge"
    >
      {speeds.map(([value, label]) => (
        <option key={String(value)} value={String(value)}>
          {label}
        </option>
      ))}
    </select>
  )
}

function Standing({ run }: { readonly run: FlowRun | null }) {
  if (run === null) return <p className="min-w-0 flex-1 text-small text-subtle">Not run yet. Showing the plan.</p>
  const done = run.steps.filter(({ state }) => state === 'done').length
  const going = run.state === 'running' || run.state === 'paused'
  return (
    <>
      <p role="status" className="flex min-w-0 flex-1 basis-52 items-center gap-2">
        <span className="shrink-0">
          <RunMark run={run} />
        </span>
        <span title={run.summary} className="min-w-0 truncate text-small text-muted">
          {run.summary}
        </span>
      </p>
      <FlowClock run={run} />
      {going && <ProgressBar label="Completed steps" value={done} max={run.steps.length} className="w-24" />}
    </>
  )
}

function Refused({ plan, starting }: Omit<ControlsProps, 'run'>) {
  if (starting.problem === null && starting.question === null) return null
  return (
    <div className="max-w-[720px] px-4 pb-3">
      {starting.problem !== null && <ProblemView problem={starting.problem} />}
      <AskedConsent
        consents={starting}
        words={(question) =>
          question.about === 'host'
            ? {
                action: `Send to ${question.host}`,
                what: "This run's deliveries will also be sent there, signed with the secret you entered. Make sure its owner knows.",
              }
            : {
                action: `Run ${plan.name} in ${listed(question.environments)}`,
                what: `${plan.title}: ${counted(plan.steps.length, 'step')}.`,
              }
        }
      />
    </div>
  )
}
