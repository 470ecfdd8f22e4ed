/** What the steps of a run share: arrivals, saved values, and the means to trigger and wait. */
import type { Literals } from '../../shared/body/json-literals.ts'
import type { Flow } from '../../shared/model/flow.ts'
import type { FlowCheck, FlowOutcome, FlowResponse } from '../../shared/model/flow-run.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type { Fault } from '../../shared/model/sandbox.ts'
import type { Arrival } from './arrivals.ts'
import type { Changes, RunTime } from './run-time.ts'
import type { HandlerAnswer } from './handler.ts'
import type { RunHook } from './run-hooks.ts'
import type { FlowService } from './run-service.ts'

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
