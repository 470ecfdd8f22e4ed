/** What a case of the handler check is made of: its words, when it applies, what it sends, and which answer is right. */
import type { CheckCase as CheckCaseWords, CheckExchange, CheckSettings } from '../../shared/model/check.ts'
import type { ShownEventType } from '../../shared/service/event-type.ts'
import type { Section } from '../../shared/service/section.ts'
import type { Bench, CheckRequest } from './bench.ts'

/**
 * `accept`: each answer acknowledges. `refuse`: each is an answer from 400 to 499. `answer`: each is any answer below 500, and
 * the endpoint accepts a genuine delivery afterwards.
 */
export type ExpectedAnswer = 'accept' | 'refuse' | 'answer'

/** What a case decides by itself, beyond what is wanted of each answer: null where nothing is wrong. */
export interface CaseObjection {
  readonly message: string
  readonly decisive: number
}

export interface CheckCase extends CheckCaseWords {
  readonly section: Section
  readonly wanted: ExpectedAnswer
  /** It is sent where the endpoint is for one of these; absent: whatever it is for. */
  readonly events?: readonly ShownEventType[]
  /** Why it cannot be sent with these settings; null where it can. */
  obstacle?(settings: CheckSettings): string | null
  /** Signs what is sent, at the moment when the case begins. */
  requests(bench: Bench): readonly CheckRequest[]
  /** All requests of it at the same time. */
  readonly atOnce?: true
  object?(exchanges: readonly CheckExchange[]): CaseObjection | null
  /** Of one that passed. */
  warn?(exchanges: readonly CheckExchange[]): string | null
}
