/** Deliveries that each avoid a mistake, to find why the first one isn't accepted. */
import type { CheckExchange, CheckFinding } from '../../shared/model/check.ts'
import { exchangeStatus } from './response-words.ts'
import type { PayloadChange } from './payload-changes.ts'
import type { RequestFactory, CheckRequest } from './requests.ts'

/** Template for deliveries; each purpose has its own ids, because handlers ignore duplicates. */
export interface TrialDelivery {
  readonly label: string
  readonly body: (purpose: string) => string
  readonly sign: (body: string) => CheckRequest
}

export interface Suspect {
  readonly finding: CheckFinding
  readonly delivery: TrialDelivery
  /** Changes to the payload, of which a part may be enough. */
  readonly changes?: readonly PayloadChange[]
}

export interface AnsweredSuspect extends Suspect {
  readonly exchange: CheckExchange
}

/** Delivery that isn't acknowledged, with its response. */
interface Rejected {
  readonly control: TrialDelivery
  readonly exchange: CheckExchange
  /** Whether most wrongly signed deliveries got another response. */
  readonly isSignatureAccepted: boolean
}

export interface SuspectGroup {
  /** Returns the suspects, likeliest first; none if the mistake is ruled out. */
  suspects(factory: RequestFactory, rejected: Rejected): readonly Suspect[]
  /** Returns the suspect that proves most, if any. */
  pick(answered: readonly AnsweredSuspect[], rejectedStatus: number): AnsweredSuspect | undefined
  /** Whether to stop at the first suspect that can be picked. */
  readonly isLong?: true
  /** Returns the maximum number of requests. */
  most(factory: RequestFactory): number
}

/**
 * Ranks a status by how far the delivery got. 5xx is an exception while the handler reads it, 400
 * rejects its fields; 401 and 403 reject its signature, which many handlers verify after parsing.
 */
function progressOf(status: number): number {
  if (status < 300) return 3
  return status === 401 || status === 403 ? 2 : status < 500 ? 1 : 0
}

export function isFurther(exchange: CheckExchange, before: number): boolean {
  return progressOf(exchangeStatus(exchange)) > progressOf(before)
}
