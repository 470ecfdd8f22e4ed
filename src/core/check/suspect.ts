/**
 * Deliveries that each avoid a mistake: with them, the search finds why the first one isn't
 * accepted.
 */
import type { CheckExchange, CheckFinding } from '../../shared/model/check.ts'
import { exchangeStatus } from './response-words.ts'
import type { PayloadChange } from './payload-changes.ts'
import type { Bench, CheckRequest } from './requests.ts'

/** A kind of delivery. Each purpose gives it its own ids, because handlers ignore duplicates. */
export interface TrialDelivery {
  readonly label: string
  readonly body: (purpose: string) => string
  readonly sign: (body: string) => CheckRequest
}

/** A delivery that differs in one respect, and the mistake it avoids. */
export interface Suspect {
  readonly finding: CheckFinding
  readonly delivery: TrialDelivery
  /** The changes to its payload. Fewer may do. */
  readonly changes?: readonly PayloadChange[]
}

export interface AnsweredSuspect extends Suspect {
  readonly exchange: CheckExchange
}

/** The delivery that isn't acknowledged, its response, and what that tells so far. */
export interface Rejected {
  readonly control: TrialDelivery
  readonly exchange: CheckExchange
  /**
   * Whether most wrongly signed deliveries got another response, so that its signature was
   * accepted.
   */
  readonly isSignatureAccepted: boolean
}

/** Suspects that differ in the same respect. */
export interface SuspectGroup {
  /** Returns them, likeliest first; none if the response rules this mistake out. */
  suspects(bench: Bench, rejected: Rejected): readonly Suspect[]
  /** Returns the one whose response proves most; undefined if none differs as the mistake would. */
  pick(all: readonly AnsweredSuspect[], rejected: number): AnsweredSuspect | undefined
  /** Whether to stop at the first suspect that can be picked, because there are many. */
  readonly isLong?: true
  /** Returns how many requests it takes at most. */
  most(bench: Bench): number
}

/**
 * Returns how far a delivery gets: handlers fail anywhere, and most check the payload before or
 * after the signature.
 */
function progressOf(status: number): number {
  if (status < 300) return 3
  return status === 401 || status === 403 ? 2 : status < 500 ? 1 : 0
}

/** Returns whether a response shows that the delivery got further than one with another status. */
export function isFurther(exchange: CheckExchange, before: number): boolean {
  return progressOf(exchangeStatus(exchange)) > progressOf(before)
}
