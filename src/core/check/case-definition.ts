/** Defines a case of the handler check. */
import type { CheckCase, CheckExchange, CheckSettings } from '../../shared/model/check.ts'
import type { ShownEventType } from '../../shared/service/event-type.ts'
import type { Section } from '../../shared/service/hook-finding.ts'
import type { RequestFactory, CheckRequest } from './requests.ts'

/**
 * Response that a case expects: an acknowledgement (`accept`), a 4xx (`refuse`), or any status
 * below 500, after which a valid delivery is acknowledged (`answer`).
 */
type ExpectedAnswer = 'accept' | 'refuse' | 'answer'

/** Reason why a case fails; `decisive` is the index of the exchange that shows it. */
export interface CaseObjection {
  readonly message: string
  readonly decisive: number
}

export interface CaseDefinition extends CheckCase {
  readonly section: Section
  readonly expectedResponse: ExpectedAnswer
  /** Events that the case is about; it is skipped unless the endpoint receives one of them. */
  readonly events?: readonly ShownEventType[]
  /** Explains why the case can't be sent; null if it can. */
  obstacle?(settings: CheckSettings): string | null
  /** Builds and signs the requests when the case begins. */
  requests(factory: RequestFactory): readonly CheckRequest[]
  readonly atOnce?: true
  findObjection?(exchanges: readonly CheckExchange[]): CaseObjection | null
  /** Returns a warning for a case that passed. */
  warn?(exchanges: readonly CheckExchange[]): string | null
}

const expectedTexts: Readonly<Record<ExpectedAnswer, string>> = {
  accept: '200 within 20 s',
  refuse: 'a 4xx status, such as 401',
  answer: 'any status below 500 within 20 s, then 200 for a valid delivery',
}

/** Properties that the cases of a group share. */
type SharedFields = Pick<CaseDefinition, 'group' | 'section' | 'expectedResponse'> &
  Partial<Pick<CaseDefinition, 'expected'>>

export function defineCases(
  common: SharedFields,
  cases: readonly (Omit<CaseDefinition, keyof SharedFields> & Partial<SharedFields>)[],
): CaseDefinition[] {
  return cases.map((definition) => ({
    expected: expectedTexts[definition.expectedResponse ?? common.expectedResponse],
    ...common,
    ...definition,
  }))
}
