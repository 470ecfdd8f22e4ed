/** The state of a run as shown to people: its steps, and a summary in one sentence. */
import { counted } from '../../shared/text/counted.ts'
import type {
  Flow,
  FlowPlanStep,
  FlowRun,
  FlowRunStep,
  FlowCheck,
  FlowOutcome,
  FlowResponse,
} from '../../shared/model/flow.ts'
import { isFailedStep } from '../../shared/model/outcomes.ts'
import type { Clock } from '../base/deps.ts'
import { MAX_ATTEMPTS } from '../../shared/service/limits.ts'
import { arrivedOf, type Arrival } from './run-inbox.ts'
import type { RunTime, Changes } from './run-time.ts'
import type { Literals } from '../../shared/body/json-literals.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type { Fault } from '../../shared/model/sandbox.ts'
import type { HandlerAnswer } from './handler.ts'
import type { RunHook } from './run-hooks.ts'
import type { FlowService } from './run-service.ts'

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

export function isoTime(time: number): string {
  return new Date(time).toISOString()
}

/** A run that was neither cancelled nor stopped by a problem, in one sentence. */
export function summaryOf({
  steps,
  strays,
  endedAt,
  ask,
  current,
}: Pick<FlowRun, 'steps' | 'strays' | 'endedAt' | 'ask' | 'current'>): string {
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
        at: came?.row.receivedAt ?? isoTime(wall),
        businessAt: isoTime(came?.businessAt ?? business),
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

// What the steps of a run share: arrivals, saved values, and the means to trigger and wait.

export interface RunContext {
  readonly flow: Flow
  readonly environment: string
  readonly mode: Mode
  /** Null with a real account. */
  readonly service: FlowService | null
  readonly time: RunTime
  readonly changes: Changes
  readonly hooks: readonly RunHook[]
  /** All arrivals, in order. */
  readonly arrivals: readonly Arrival[]
  /** Payloads and ids by the names the flow gives them. */
  readonly remembered: Map<string, unknown>
  /** Deliveries by the same names. */
  readonly named: Map<string, Arrival>
  /** The handler's response to each delivery; null without a handler. */
  readonly answers: ReadonlyMap<string, Promise<HandlerAnswer>> | null
  /** Fields to set in every triggered event that has them. */
  readonly literals: Literals
  /** Numbers in the flow file that JavaScript would write differently, by path. */
  readonly literalsOfFile: (names: readonly string[]) => Literals
  readonly signal: AbortSignal
  /** The last delivery that arrived in order. */
  lastInOrder: Arrival | null
  /** Whether the handler accepted a valid delivery: until then a rejection proves nothing. */
  hasAccepted: boolean
  /** The fault of the last trigger. */
  fault: Fault | null
  rotate(hook: RunHook): Promise<void>
  /** Records that a step expected this delivery. */
  claim(arrival: Arrival, index: number): void
  /** Whether the service counts this status as received (section 6.4). */
  acknowledges(status: number): boolean
}

/** The result of a step. */
export interface StepResult {
  readonly outcome: FlowOutcome
  readonly message: string
  readonly fix?: string
  /** The rules that failed, without the data. */
  readonly rule?: string
  readonly got?: string
  /** A short summary of the payload. */
  readonly told?: string
  readonly arrival?: Arrival
  /** The expectations with their values, in the order checked. */
  readonly checks?: readonly FlowCheck[]
  /** The handler's response. */
  readonly response?: FlowResponse
  /** The title with its references filled in. */
  readonly title?: string
  /** The handler's response time, in milliseconds. */
  readonly ms?: number
  /** What a person must do now, with a real account. */
  readonly ask?: string
}

export function passed(message: string, more: Partial<StepResult> = {}): StepResult {
  return { outcome: 'pass', message, ...more }
}

export function skipped(message: string, more: Partial<StepResult> = {}): StepResult {
  return { outcome: 'skip', message, ...more }
}

export function failed(message: string, fix: string, more: Partial<StepResult> = {}): StepResult {
  return { outcome: 'fail', message, fix, ...more }
}
