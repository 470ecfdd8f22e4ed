/** The state of a run as shown to people: its steps, and a summary in one sentence. */
import { counted } from '../../shared/text/counted.ts'
import type { Flow } from '../../shared/model/flow.ts'
import { isFailedStep } from '../../shared/model/outcomes.ts'
import { happenedWords } from '../../shared/flow-diagram/story.ts'
import type { FlowPlanStep, FlowRun, FlowRunStep, FlowStray } from '../../shared/model/flow-run.ts'
import type { Clock } from '../base/deps.ts'
import { MAX_ATTEMPTS } from '../../shared/service/limits.ts'
import { arrivedOf, type Arrival } from './arrivals.ts'
import type { StepResult } from './run-context.ts'
import type { RunTime } from './run-time.ts'

/** The parts of a run's state; times in milliseconds. */
interface RunParts extends Pick<
  FlowRun,
  | 'id'
  | 'origin'
  | 'environment'
  | 'mode'
  | 'speed'
  | 'target'
  | 'handler'
  | 'handlerName'
  | 'set'
  | 'current'
  | 'ask'
> {
  readonly flow: Flow
  readonly startedAt: number
  readonly endedAt: number | null
  readonly businessStartedAt: number
  /** Current times. */
  readonly now: { readonly wall: number; readonly business: number }
  readonly isPaused: boolean
  /** Why it was cancelled, in a sentence; null if it wasn't. */
  readonly cancelled: string | null
  /** Why the run couldn't continue, or null. */
  readonly problem: string | null
  readonly steps: readonly FlowRunStep[]
  readonly strays: readonly FlowStray[]
}

/** A pending step. */
function waitingStep(step: FlowPlanStep): FlowRunStep {
  return {
    ...step,
    state: 'waiting',
    outcome: null,
    at: null,
    businessAt: null,
    ms: null,
    deliveryId: null,
    got: null,
    told: null,
    message: '',
    fix: null,
    rule: null,
    arrived: null,
    response: null,
    checks: [],
    gaveUp: false,
  }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

function summaryOf({ problem, steps, strays, endedAt, cancelled, ask, current }: RunParts): string {
  if (cancelled !== null && endedAt !== null) return cancelled
  if (problem !== null) return problem
  const first = steps.find(isFailedStep)
  if (first !== undefined) return `${first.title}: ${first.message}`
  const [stray] = strays
  if (stray !== undefined) return stray.message
  if (endedAt === null)
    return ask ?? `Step ${Math.min(current + 1, steps.length)} of ${steps.length}.`
  const ran = steps.filter(({ outcome }) => outcome === 'pass').length
  const left = steps.filter(({ outcome }) => outcome === 'skip').length
  return `${counted(ran, 'step')} passed${left === 0 ? '' : `, ${left} skipped`}.`
}

export function stateOfRun(parts: RunParts): FlowRun {
  const {
    flow,
    startedAt,
    endedAt,
    businessStartedAt,
    now,
    isPaused,
    cancelled,
    problem,
    steps,
    strays,
    ...same
  } = parts
  const isOver = endedAt !== null
  const isGood = problem === null && strays.length === 0 && !steps.some(isFailedStep)
  const run: Omit<FlowRun, 'happened'> = {
    ...same,
    flow: flow.name,
    title: flow.title,
    startedAt: iso(startedAt),
    endedAt: endedAt === null ? null : iso(endedAt),
    businessStartedAt: iso(businessStartedAt),
    clock: { at: iso(now.wall), businessAt: iso(now.business) },
    state: isOver ? (cancelled !== null ? 'cancelled' : 'done') : isPaused ? 'paused' : 'running',
    outcome: !isOver || cancelled !== null ? null : isGood ? 'pass' : 'fail',
    summary: summaryOf(parts),
    steps: [...steps],
    strays: [...strays],
  }
  return { ...run, happened: isOver ? (cancelled ?? problem ?? happenedWords(run)) : '' }
}

/** A moment by the wall clock and by the run's clock. */
interface Moment {
  readonly wall: number
  readonly business: number
}

interface StepRecordsDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly time: Pick<RunTime, 'now'>
  /** Called when a step changes. */
  onChanged(): void
}

/** Steps that trigger something show when they began, because deliveries may arrive before they finish. */
const causing = new Set<FlowRunStep['kind']>(['trigger', 'make', 'change', 'rotate'])

/** The receiver's response, and whether the service then stops trying. */
function reactionTo({ row, response, attempt }: Arrival): Pick<FlowRunStep, 'response' | 'gaveUp'> {
  const isFailure = response !== null && !response.acknowledged
  return { response, gaveUp: isFailure && row.verdict === 'valid' && attempt === MAX_ATTEMPTS }
}

/** Records of a run's steps (pending, running, or finished with result and time), and what a person must do meanwhile. */
export function createStepRecords(
  plan: readonly FlowPlanStep[],
  { clock, time, onChanged }: StepRecordsDeps,
) {
  let steps: readonly FlowRunStep[] = plan.map(waitingStep)
  let ask: string | null = null
  const moment = (): Moment => ({ wall: clock.now(), business: time.now() })

  function set(index: number, change: Partial<FlowRunStep>): void {
    steps = steps.map((step) => (step.index === index ? { ...step, ...change } : step))
    onChanged()
  }

  return {
    all: (): readonly FlowRunStep[] => steps,
    /** What a person must do now, with a real account; null if nothing. */
    ask: (): string | null => ask,
    begin(index: number): Moment {
      const began = moment()
      set(index, { state: 'running' })
      return began
    },
    finish(
      index: number,
      {
        outcome,
        message,
        fix,
        rule,
        got,
        told,
        title,
        checks,
        response,
        arrival,
        ms,
        ask: asked,
      }: StepResult,
      began: Moment,
    ) {
      const kind = plan[index]?.kind ?? 'check'
      // Consecutive requests to a person all stay open until a delivery shows that they were done.
      const before = kind === 'delivery' ? null : ask
      ask = asked === undefined ? before : before === null ? asked : `${before} ${asked}`
      const now = moment()
      const { wall, business } = causing.has(kind) ? began : now
      const came = kind === 'answer' ? undefined : arrival
      set(index, {
        state: 'done',
        outcome,
        message,
        fix: fix ?? null,
        rule: rule ?? null,
        got: got ?? null,
        told: told ?? null,
        ...(title === undefined ? {} : { title }),
        arrived: arrival === undefined ? null : arrivedOf(arrival),
        checks: [...(checks ?? [])],
        ...(came === undefined ? { response: response ?? null } : reactionTo(came)),
        deliveryId: arrival?.row.id ?? null,
        at: came?.row.receivedAt ?? iso(wall),
        businessAt: iso(came?.businessAt ?? business),
        ms: ms ?? Math.max(0, now.wall - began.wall),
      })
    },
    /** The receiver sent its response to the delivery of this step. */
    responded(index: number, arrival: Arrival) {
      set(index, reactionTo(arrival))
    },
    /** The run ended. Pending steps will never run. */
    end() {
      ask = null
      steps = steps.map((step) =>
        step.state === 'done'
          ? step
          : { ...step, state: 'done', outcome: 'skip', message: 'The run ended before this step.' },
      )
    },
  }
}
