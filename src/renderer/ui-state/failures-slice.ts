import type { FeatureTools } from './feature-tools.ts'
import type { Notice } from '../core-data/act.ts'

export interface PastFailure extends Pick<Notice, 'title' | 'message'> {
  readonly at: string
  /** Occurrences in a row. */
  readonly times: number
}

export const KEPT_FAILURES = 50

interface Failures {
  /** Failures, newest first; a repeated one is listed once. */
  readonly past: readonly PastFailure[]
}

const none: Failures = { past: [] }

export function createFailuresSlice({ set, get }: FeatureTools<Failures>) {
  return {
    ...none,

    recordNotice({ tone, title, message }: Notice) {
      if (tone !== 'bad') return
      const { past } = get()
      const [last] = past
      const isSame = last?.title === title && last.message === message
      const failure = {
        title,
        ...(message === undefined ? {} : { message }),
        at: new Date().toISOString(),
        times: isSame ? last.times + 1 : 1,
      }
      set({ past: [failure, ...(isSame ? past.slice(1) : past)].slice(0, KEPT_FAILURES) })
    },
  }
}
