/** What the steps of one run share: what has arrived, what is remembered, and the means to cause and to wait. */
import type { Literals } from '../../shared/body/json-literals.ts'
import type { Flow } from '../../shared/model/flow.ts'
import type { FlowOutcome } from '../../shared/model/flow-run.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type { Fault } from '../../shared/model/sending.ts'
import type { Arrival } from './arrivals.ts'
import type { Changes, RunTime } from './run-time.ts'
import type { HandlerAnswer } from './handler.ts'
import type { RunHook } from './run-hooks.ts'
import type { FlowService } from './run-service.ts'

export interface RunContext {
  readonly flow: Flow
  readonly environment: string
  readonly mode: Mode
  /** Null at a real account. */
  readonly service: FlowService | null
  readonly time: RunTime
  readonly changes: Changes
  readonly hooks: readonly RunHook[]
  /** Everything that has arrived, in its order. */
  readonly arrivals: readonly Arrival[]
  /** Payloads and ids by the names that the flow gives them. */
  readonly remembered: Map<string, unknown>
  /** Deliveries by the same names. */
  readonly named: Map<string, Arrival>
  /** What the developer's endpoint answers to each delivery; null where there is none. */
  readonly answers: ReadonlyMap<string, Promise<HandlerAnswer>> | null
  /** Fields to set in each event that is triggered and has them. */
  readonly literals: Literals
  /** Numbers of an object of the flow's text that JavaScript writes otherwise, by the names that lead to it. */
  readonly literalsOfFile: (names: readonly string[]) => Literals
  readonly signal: AbortSignal
  /** The last delivery that had its place in the order. */
  lastInOrder: Arrival | null
  /** How the last trigger departed from the interface. */
  fault: Fault | null
  rotate(hook: RunHook): Promise<void>
}

/** What became of a step. */
export interface StepResult {
  readonly outcome: FlowOutcome
  readonly message: string
  readonly fix?: string
  /** Which rules failed, without the data that they failed on. */
  readonly rule?: string
  readonly got?: string
  /** What its payload tells, in a few words. */
  readonly told?: string
  readonly arrival?: Arrival
  /** How long your handler took, in milliseconds. */
  readonly ms?: number
  /** What a person has to do now, at a real account. */
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
