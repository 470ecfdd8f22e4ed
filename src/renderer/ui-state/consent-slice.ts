import type { ConsentQuestion } from '../core-data/asking-client.ts'
import type { FeatureTools } from './feature-tools.ts'

export interface ConsentSlice {
  readonly question: ConsentQuestion | null
  /** Resolves with the user's answer; with false if another question is on screen. */
  ask(question: ConsentQuestion): Promise<boolean>
  answer(agreed: boolean): void
}

export function createConsentSlice({ get, set }: FeatureTools<ConsentSlice>): ConsentSlice {
  let settle: (agreed: boolean) => void = () => undefined
  return {
    question: null,
    async ask(question) {
      if (get().question !== null) return false
      const { promise, resolve } = Promise.withResolvers<boolean>()
      settle = resolve
      set({ question })
      return promise
    },
    answer(agreed) {
      set({ question: null })
      settle(agreed)
    },
  }
}
