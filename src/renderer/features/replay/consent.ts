/** Asks for what a replay has to be agreed to, one thing after the other, and calls again. */
import { questionOf, type ConsentQuestion } from '../../state/consent-question.ts'

/** So many go without a question. */
const UNASKED = 25

/** What is agreed to; hosts for as long as the window runs, the others for one replay. */
export interface Consent {
  readonly allowHosts: string[]
  readonly live: boolean
  readonly most: number
}

/**
 * Calls until nothing more has to be agreed to. Null where something was not; rejects with any other refusal. `hosts` gains those
 * that were agreed to.
 */
export async function withConsent<T>(
  hosts: Set<string>,
  ask: (question: ConsentQuestion) => Promise<boolean>,
  call: (consent: Consent) => Promise<T>,
): Promise<T | null> {
  let live = false
  let most = UNASKED
  for (;;) {
    try {
      return await call({ allowHosts: [...hosts], live, most })
    } catch (error) {
      const question = questionOf(error)
      if (question === null) throw error
      if (!(await ask(question))) return null
      if (question.about === 'host') hosts.add(question.host)
      else if (question.about === 'live') live = true
      else most = question.count
    }
  }
}
