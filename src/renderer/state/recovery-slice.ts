/** Safe mode: the host starts the page in it after repeated failures, without restored filters and without the live list. */
import { SAFE_MODE } from '../../shared/contract/native.ts'
import type { FeatureTools } from './feature-tools.ts'
import type { Screen } from './navigation-slice.ts'

export interface RecoverySlice {
  readonly isSafe: boolean
  /** Loads the list and follows it again. */
  leaveSafeMode(): void
  /** A text for a bug report; null if it could not be read. */
  report(): Promise<string | null>
}

interface Around {
  readonly navigation: { readonly screen: Screen; go(screen: Screen): void }
  readonly core: { readAgain(): void }
}

export function createRecoverySlice({ client, fail, set, app }: FeatureTools<RecoverySlice, Around>): RecoverySlice {
  return {
    isSafe: location.hash === SAFE_MODE,
    leaveSafeMode() {
      set({ isSafe: false })
      history.replaceState(null, '', location.pathname)
      app().navigation.go(app().navigation.screen)
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
