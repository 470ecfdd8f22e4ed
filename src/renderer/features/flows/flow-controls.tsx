/** Controls of a flow: run, step, pause, cancel and speed; the verdict, and what happened. */
import {
  Check,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleDotDashed,
  CircleSlash,
  CircleX,
  Pause,
  Play,
  RotateCw,
  Square,
  StepForward,
  X,
  type LucideIcon,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { counted, listed } from '../../../shared/text/counted.ts'
import { happenedIn, verdictOf, type Said } from '../../../shared/flow-diagram/story.ts'
import { runTimes } from '../../../shared/flow-diagram/words.ts'
import type { FlowPlan, FlowRun, FlowSpeed } from '../../../shared/model/flow.ts'
import type { Tone } from '../../../shared/model/outcomes.ts'
import { useApp, useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { AskedConsent } from '../../ui/consent.tsx'
import { toneText } from '../../ui/outcome-mark.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { useConsents, type Consents } from '../../ui/use-consents.ts'
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

/** The buttons that run the flow. */
export function FlowControls({ run, starting }: Omit<ControlsProps, 'plan'>) {
  const steer = useApp((state) => state.flows.steer)
  const going = isGoing(run)
  return (
    <>
      <SpeedChoice />
      {going && (
        <Button icon={<Square size={12} aria-hidden />} onClick={() => void steer('cancel')}>
          Cancel
        </Button>
      )}
      {run?.state !== 'running' && (
        <Button
          id={FLOW_STEP_ID}
          icon={<StepForward size={13} aria-hidden />}
          disabled={starting.busy}
          title={
            going ? 'Run the next step, then pause' : 'Start a run and pause after the first step'
          }
          onClick={() => {
            if (going) void steer('step')
            else starting.start({ paused: true, from: 0, step: true })
          }}
        >
          Step
        </Button>
      )}
      {!going && (
        <Button
          id={FLOW_RUN_ID}
          kind="primary"
          icon={run === null ? <Play size={13} aria-hidden /> : <RotateCw size={13} aria-hidden />}
          disabled={starting.busy}
          onClick={() => starting.start({ paused: false, from: 0, step: false })}
        >
          {run === null ? 'Run' : 'Run again'}
        </Button>
      )}
      {run?.state === 'running' && (
        <Button
          id={FLOW_RUN_ID}
          icon={<Pause size={13} aria-hidden />}
          onClick={() => void steer('pause')}
        >
          Pause
        </Button>
      )}
      {run?.state === 'paused' && (
        <Button
          id={FLOW_RUN_ID}
          kind="primary"
          icon={<Play size={13} aria-hidden />}
          onClick={() => void steer('resume')}
        >
          Resume
        </Button>
      )}
    </>
  )
}

const isGoing = (run: FlowRun | null) =>
  run !== null && (run.state === 'running' || run.state === 'paused')

/** Asks for what the run needs from a person: consent, or an action at the real account. */
export function FlowQuestions({ plan, run, starting }: ControlsProps) {
  return (
    <>
      <Refused plan={plan} starting={starting} />
      {run?.ask != null && isGoing(run) && (
        <p role="status" className="shrink-0 border-b border-line bg-warn-wash px-4 py-2">
          <span className="font-medium">Your turn:</span> <QuotedText text={run.ask} />
        </p>
      )}
    </>
  )
}

const strip =
  'flex min-w-0 flex-col justify-center border-r border-line px-4 py-1.5 whitespace-nowrap'

function Cell({
  name,
  children,
  grows = false,
}: {
  readonly name: string
  readonly children: ReactNode
  readonly grows?: boolean
}) {
  return (
    <div className={`${strip} ${grows ? 'flex-1 overflow-hidden' : 'shrink-0'}`}>
      <dt className="text-tiny leading-4 text-subtle">{name}</dt>
      <dd className="flex min-w-0 items-center gap-1.5">{children}</dd>
    </div>
  )
}

/** A bold statement with its glyph, and the rest in gray. */
function SaidWords({
  said: { tone, head, rest },
  icons,
}: {
  readonly said: Said
  readonly icons: 'verdict' | 'event'
}) {
  const Icon = saidIcons[icons][tone]
  return (
    <>
      <Icon
        size={14}
        strokeWidth={icons === 'verdict' ? 2.5 : 2}
        aria-hidden
        className={`shrink-0 ${toneText[tone]}`}
      />
      <b className={`shrink-0 font-medium ${toneText[tone]}`}>{head}</b>
      <span title={rest} className="min-w-0 truncate text-muted">
        {rest}
      </span>
    </>
  )
}

/** The verdict is a bare check or cross; what happened has the circled glyphs of the arrows. */
const saidIcons = {
  verdict: {
    good: Check,
    bad: X,
    warn: CircleSlash,
    active: CircleDotDashed,
    neutral: CircleSlash,
  },
  event: {
    good: CircleCheck,
    bad: CircleX,
    warn: CircleAlert,
    active: CircleDotDashed,
    neutral: CircleDashed,
  },
} as const satisfies Record<string, Record<Tone, LucideIcon>>

/** Whether the run met its expectations, beside what happened in it, and how long it took in both times. */
export function FlowVerdict({
  run,
  children,
}: {
  readonly run: FlowRun | null
  readonly children: ReactNode
}) {
  const tools = (
    <div className="flex min-w-0 items-center gap-2 px-4 py-1.5 [&_select]:max-w-32">
      {children}
    </div>
  )
  if (run === null)
    return (
      <div className="flex min-h-[52px] shrink-0 flex-wrap items-center justify-between border-b border-line bg-surface">
        <p className="px-4 text-small text-subtle">Not run yet. Showing the plan.</p>
        {tools}
      </div>
    )
  const { business, real } = runTimes(run)
  const done = run.steps.filter(({ state }) => state === 'done').length
  return (
    <div className="flex min-h-[52px] shrink-0 flex-wrap items-stretch border-b border-line bg-surface">
      <div role="status" aria-label="Verdict" className="flex min-w-0 flex-[1_1_480px]">
        <dl className="flex min-w-0 flex-1 items-stretch">
          <Cell name="Verdict">
            <SaidWords said={verdictOf(run)} icons="verdict" />
            {isGoing(run) && (
              <ProgressBar
                label="Completed steps"
                value={done}
                max={run.steps.length}
                className="ml-2 w-20"
              />
            )}
          </Cell>
          <Cell name="What happened" grows>
            <SaidWords said={happenedIn(run)} icons="event" />
          </Cell>
        </dl>
      </div>
      <dl aria-label="Run clocks" className="flex shrink-0 items-stretch max-[1100px]:hidden">
        <Cell name="Sandbox time">
          <span className="data">+{business}</span>
        </Cell>
        <Cell name="Real time">
          <span className="data">{real}</span>
        </Cell>
      </dl>
      {tools}
    </div>
  )
}

/** The speed of the next run, and of the one in progress. */
export function SpeedChoice() {
  const { speed, setSpeed } = useAppParts((state) => ({
    speed: state.flows.draft.speed,
    setSpeed: state.flows.setSpeed,
  }))
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

function Refused({ plan, starting }: Omit<ControlsProps, 'run'>) {
  if (starting.problem === null && starting.question === null) return null
  return (
    <div className="max-w-[720px] px-4 py-3">
      {starting.problem !== null && <ProblemView problem={starting.problem} />}
      <AskedConsent
        consents={starting}
        words={(question) =>
          question.about === 'host'
            ? {
                action: `Send to ${question.host}`,
                what: "Also sends this run's deliveries there, signed with your handler's secret. Make sure its owner knows.",
              }
            : {
                action: `Run ${plan.name} in ${listed(question.environments, 'and')}`,
                what: `${plan.title}: ${counted(plan.steps.length, 'step')}.`,
              }
        }
      />
    </div>
  )
}
