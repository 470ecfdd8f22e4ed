/** Defines a case of the handler check. */
import type { CheckCase, CheckExchange, CheckSettings } from '../../shared/model/check.ts'
import type { ShownEventType } from '../../shared/service/event-type.ts'
import type { Section } from '../../shared/service/hook-finding.ts'
import type { RequestFactory, CheckRequest } from './requests.ts'

/**
 * Expected responses: acknowledged (`accept`), a 4xx (`refuse`), or below 500 and afterwards a
 * valid delivery acknowledged (`answer`).
 */
type ExpectedAnswer = 'accept' | 'refuse' | 'answer'

/** Objection of a case, with the index of the deciding exchange. */
export interface CaseObjection {
  readonly message: string
  readonly decisive: number
}

export interface CaseDefinition extends CheckCase {
  readonly section: Section
  readonly wanted: ExpectedAnswer
  /** Events of which the endpoint must receive one, if given. */
  readonly events?: readonly ShownEventType[]
  /** Explains why the case can't be sent; null if it can. */
  obstacle?(settings: CheckSettings): string | null
  /** Builds and signs the requests when the case begins. */
  requests(factory: RequestFactory): readonly CheckRequest[]
  readonly atOnce?: true
  object?(exchanges: readonly CheckExchange[]): CaseObjection | null
  /** Returns a warning for a case that passed. */
  warn?(exchanges: readonly CheckExchange[]): string | null
}

const usuallyExpected: Readonly<Record<ExpectedAnswer, string>> = {
  accept: '200 within 20 s',
  refuse: 'a 4xx status, such as 401',
  answer: 'any status below 500 within 20 s, then 200 for a valid delivery',
}

/** Properties that the cases of a group share. */
type InCommon = Pick<CaseDefinition, 'group' | 'section' | 'wanted'> &
  Partial<Pick<CaseDefinition, 'expected'>>

export function casesOf(
  common: InCommon,
  cases: readonly (Omit<CaseDefinition, keyof InCommon> & Partial<InCommon>)[],
): CaseDefinition[] {
  return cases.map((definition) => ({
    expected: usuallyExpected[definition.wanted ?? common.wanted],
    ...common,
    ...definition,
  }))
}
