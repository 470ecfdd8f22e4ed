/** Asks in a dialog for the consent of a call outside of a form. */
import { questionOf, type ConsentQuestion } from './consent-question.ts'
import type { FeatureTools } from './feature-tools.ts'

export interface GivenConsent {
  readonly allowHosts: string[]
  readonly live: boolean
}

export interface ConsentSlice {
  readonly question: ConsentQuestion | null
  /** The sandbox's action to confirm, as the label of a button; null for a replay. */
  readonly action: string | null
  /**
   * Repeats the call until no consent is missing. Null if denied; rejects on other errors.
   *
   * @param call `most`: the confirmed number of requests.
   * @param hosts Hosts allowed earlier, to which this adds.
   */
  withConsent<T>(
    action: string | null,
    call: (consent: GivenConsent, most: number) => Promise<T>,
    hosts?: Set<string>,
  ): Promise<T | null>
  answer(agreed: boolean): void
}

/** Replays up to this size need no confirmation. */
const UNASKED = 25

export function createConsentSlice({ set }: FeatureTools<ConsentSlice>): ConsentSlice {
  let answer: (agreed: boolean) => void = () => undefined
  return {
    question: null,
    action: null,
    async withConsent(action, call, hosts = new Set()) {
      let live = false
      let most = UNASKED
      for (;;) {
        try {
          return await call({ allowHosts: [...hosts], live }, most)
        } catch (error) {
          const question = questionOf(error)
          if (question === null) throw error
          const { promise, resolve } = Promise.withResolvers<boolean>()
          answer = resolve
          set({ question, action })
          if (!(await promise)) return null
          if (question.about === 'host') hosts.add(question.host)
          else if (question.about === 'live') live = true
          else most = question.count
        }
      }
    },
    answer(agreed) {
      set({ question: null })
      answer(agreed)
    },
  }
}
