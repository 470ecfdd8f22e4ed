/** Safe mode: the host starts the page in it after repeated failures, without restored filters and without the live list. */
import { SAFE_MODE } from '../../shared/contract/native.ts'
import type { FeatureTools } from './feature-tools.ts'

export interface RecoverySlice {
  readonly isSafe: boolean
  /** Loads the list and follows it again. */
  leaveSafeMode(): void
  /** A text for a bug report; null if it could not be read. */
  report(): Promise<string | null>
}

interface Around {
  readonly core: { readAgain(): void }
}

export function createRecoverySlice({ client, fail, set, app }: FeatureTools<RecoverySlice, Around>): RecoverySlice {
  return {
    isSafe: location.hash === SAFE_MODE,
    leaveSafeMode() {
      set({ isSafe: false })
      app().core.readAgain()
    },
    async report() {
      try {
        return (await client.callNative('native.crashReport', {})).text
      } catch (error) {
        fail("Couldn't read the report", error)
        return null
      }
    },
  }
}
