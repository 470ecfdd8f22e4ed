/**
 * What happens when the page's process ends or its page doesn't load: the first time it is loaded again, the second time in safe mode,
 * and after that the user decides. Capture runs in another process and continues.
 */
import { PRODUCT_NAME } from '../shared/product.ts'

/** Crashes further apart than this aren't related, in milliseconds. */
export const RELATED_MS = 10 * 60_000
/** Crashes named in a report. */
const MOST_TOLD = 10

export interface PageCrash {
  /** Electron's word for it, such as `crashed` or `oom`. */
  readonly reason: string
  readonly exitCode: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** `ask`: safe mode fails too, so only the user can decide. */
export type CrashAnswer = 'ignore' | 'reload' | 'safe' | 'ask'

export interface CrashPolicy {
  /** Decides after a crash and remembers it. */
  onGone(crash: PageCrash): CrashAnswer
  /** The next end of the page's process is wanted: the user chose to reload a page that doesn't respond. */
  expectEnd(): void
  /** All crashes so far, oldest first. */
  crashes(): readonly PageCrash[]
}

export function createCrashPolicy(): CrashPolicy {
  let crashes: readonly PageCrash[] = []
  let isExpected = false
  return {
    onGone(crash) {
      // The process ended by itself, as after a navigation.
      if (crash.reason === 'clean-exit') return 'ignore'
      if (isExpected) {
        isExpected = false
        return 'reload'
      }
      crashes = [...crashes, crash].slice(-MOST_TOLD)
      const related = crashes.filter(({ at }) => crash.at - at < RELATED_MS).length
      if (related === 1) return 'reload'
      return related === 2 ? 'safe' : 'ask'
    },
    expectEnd() {
      isExpected = true
    },
    crashes: () => crashes,
  }
}

/** What each of Electron's reasons means. */
const reasonWords: Readonly<Record<string, string>> = {
  'abnormal-exit': 'exited with an error',
  killed: 'was killed',
  crashed: 'crashed',
  oom: 'ran out of memory',
  'memory-eviction': 'was ended because memory was low',
  'launch-failed': "didn't start",
  'integrity-failure': 'failed the code integrity check',
}

export interface ReportFacts {
  readonly version: string
  readonly platform: string
  readonly arch: string
  /** Versions of Electron, Chromium and Node. */
  readonly versions: Readonly<Record<string, string | undefined>>
  readonly crashes: readonly PageCrash[]
}

/** A text for a bug report. It contains no path and nothing captured. */
export function crashReport({ version, platform, arch, versions, crashes }: ReportFacts): string {
  const known = (name: string) => versions[name] ?? 'unknown'
  return [
    `${PRODUCT_NAME} ${version} on ${platform} ${arch}`,
    `Electron ${known('electron')}, Chromium ${known('chrome')}, Node ${known('node')}`,
    ...crashes.map(
      ({ reason, exitCode, at }) =>
        `${new Date(at).toISOString()} The window's process ${reasonWords[reason] ?? 'ended'} (${reason}, exit code ${exitCode}).`,
    ),
  ].join('\n')
}
