/** Asks in a dialog for the consent of a call outside of a form. */
import { questionOf, type ConsentQuestion } from './consent-question.ts'
import type { FeatureTools } from './feature-tools.ts'

export interface Consent {
  readonly allowHosts: string[]
  readonly live: boolean
  readonly most: number
}

/** The button's label for a live environment, and the consequence there, as a sentence. */
interface LiveWords {
  readonly action: string
  readonly what: string
}

export interface ConsentSlice {
  readonly question: ConsentQuestion | null
  /** Null for a replay's words. */
  readonly words: LiveWords | null
  /** Repeats the call until no consent is missing. Null if denied; rejects on other errors. `hosts`: those allowed before. */
  withConsent<T>(
    call: (consent: Consent) => Promise<T>,
    words?: LiveWords | null,
    hosts?: Set<string>,
  ): Promise<T | null>
  answer(agreed: boolean): void
}

/** For events of the sandbox. */
export const sandboxWords = (event: string, environment: string): LiveWords => ({
  action: `Send ${event} in ${environment}`,
  what: `The sandbox sends ${event} to every live hook for it. Live mode of the sandbox: no real cards or money.`,
})

/** Replays up to this size need no confirmation. */
const UNASKED = 25

export function createConsentSlice({ set }: FeatureTools<ConsentSlice>): ConsentSlice {
  let answer: (agreed: boolean) => void = () => undefined
  return {
    question: null,
    words: null,
    async withConsent(call, words = null, hosts = new Set()) {
      let live = false
      let most = UNASKED
      for (;;) {
        try {
          return await call({ allowHosts: [...hosts], live, most })
        } catch (error) {
          const question = questionOf(error)
          if (question === null) throw error
          const { promise, resolve } = Promise.withResolvers<boolean>()
          answer = resolve
          set({ question, words })
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
