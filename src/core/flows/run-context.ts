/** State that the parts of a run share. */
import type { Literals } from '../../shared/body/json-literals.ts'
import type { Fault } from '../../shared/model/notification.ts'
import type { Environment } from '../../shared/model/environment.ts'
import type { Clock, Log } from '../base/deps.ts'
import type { Store } from '../store/store.ts'
import type { Arrival } from './arrivals.ts'
import type { FoundFlow } from './built-in/index.ts'
import type { Attempts } from './held-responses.ts'
import type { RunHook, RunHooks } from './run-hooks.ts'
import type { Handler } from './run-handler.ts'
import type { FlowService } from './flow-service.ts'
import type { RunTime } from './run-time.ts'
import type { Changes } from './changes.ts'

export interface RunOptions extends FoundFlow {
  readonly id: string
  readonly clock: Clock
  readonly log: Log
  readonly store: Pick<Store, 'read' | 'write' | 'settled'>
  readonly environment: Pick<Environment, 'name' | 'mode' | 'ack'>
  /** Fields to set in every triggered event that has them. */
  readonly literals: Literals
  /** Service of the run; null with a real account. */
  readonly service: FlowService | null
  readonly attempts: Attempts
  readonly time: RunTime
  readonly changes: Changes
  readonly hooks: readonly RunHook[]
  readonly runHooks: Pick<RunHooks, 'rotate' | 'answerNext'>
  readonly handler: Handler | null
  onChanged(): void
}

export interface RunContext extends RunOptions {
  /** Deliveries in the order of arrival. */
  readonly arrivals: Arrival[]
  /** Payloads and ids, by the names the flow gives them. */
  readonly remembered: Map<string, unknown>
  /** Deliveries, by the names the flow gives them. */
  readonly named: Map<string, Arrival>
  /** Numbers in the flow file that JavaScript would write differently, by path. */
  readonly literalsOfFile: (names: readonly string[]) => Literals
  readonly signal: AbortSignal
  lastInOrder: Arrival | null
  /** Whether the handler accepted a valid delivery; until then a rejection proves nothing. */
  hasAccepted: boolean
  fault: Fault | null
  triggeredAt: number
  /** Reason that stopped the run, in a sentence. */
  problem: string | null
  /** Records the index of the step that expected a delivery; null if none did. */
  assign(arrival: Arrival, index: number | null): void
}
