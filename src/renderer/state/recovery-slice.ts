/**
 * What helps after a failure: the last failures, for those whose notice was dismissed; and safe mode, in which the host starts the page
 * after repeated failures, without restored filters and without the live list.
 */
import { SAFE_MODE } from '../../shared/contract/native.ts'
import type { FeatureTools } from './feature-tools.ts'
import type { Notice } from './slice-context.ts'

/** A failure that a notice reported. */
export interface PastFailure extends Pick<Notice, 'title' | 'message'> {
  /** The last time it occurred. */
  readonly at: string
  /** How often in a row. */
  readonly times: number
}

/** Older failures are dropped. */
export const KEPT_FAILURES = 50

export interface RecoverySlice {
  /** Newest first; the same failure several times in a row is one. */
  readonly failures: readonly PastFailure[]
  /** Keeps a notice if it is of a failure. */
  recordNotice(notice: Notice): void
  readonly isSafe: boolean
  /** Loads the list and follows it again. */
  leaveSafeMode(): void
  /** A text for a bug report; null if it could not be read. */
  report(): Promise<string | null>
}

interface Around {
  readonly core: { readAgain(): void }
}

export function createRecoverySlice({
  client,
  fail,
  set,
  get,
  app,
}: FeatureTools<RecoverySlice, Around>): RecoverySlice {
  return {
    failures: [],
    recordNotice({ tone, title, message }) {
      if (tone !== 'bad') return
      const { failures } = get()
      const [last] = failures
      const isSame = last?.title === title && last.message === message
      const failure = {
        title,
        ...(message === undefined ? {} : { message }),
        at: new Date().toISOString(),
        times: isSame ? last.times + 1 : 1,
      }
      set({
        failures: [failure, ...(isSame ? failures.slice(1) : failures)].slice(0, KEPT_FAILURES),
      })
    },
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
