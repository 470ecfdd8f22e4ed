/** Counts of what the two test runners report in their JSON files, so that the last line of `npm test` can add them up. */
import { readFileSync } from 'node:fs'

export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export const noCounts: Counts = { passed: 0, failed: 0, skipped: 0 }

export function addCounts(left: Counts, right: Counts): Counts {
  return { passed: left.passed + right.passed, failed: left.failed + right.failed, skipped: left.skipped + right.skipped }
}

/** The line that closes a run. */
export function countsLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}

type Fields = Record<string, unknown>

function readJson(file: string): Fields | null {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof value === 'object' && value !== null ? (value as Fields) : null
  } catch {
    return null
  }
}

function number(fields: Fields, name: string): number {
  const value = fields[name]
  return typeof value === 'number' ? value : 0
}

/**
 * A runner that failed without a failed test (a file that does not load, an error outside of every test, a crash) counts as
 * one failure: nothing that went wrong may add up to zero.
 */
function withStatus(counts: Counts, status: number | null): Counts {
  return status === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 }
}

/** What vitest's JSON reporter wrote to `file`; `status` is the exit code of its process. */
export function readVitest(file: string, status: number | null): Counts {
  const report = readJson(file)
  if (report === null) return { ...noCounts, failed: 1 }
  const counts = {
    passed: number(report, 'numPassedTests'),
    failed: number(report, 'numFailedTests'),
    skipped: number(report, 'numPendingTests') + number(report, 'numTodoTests'),
  }
  return withStatus(counts, status)
}

/** What Playwright's JSON reporter wrote to `file`; a flaky test has failed. */
export function readPlaywright(file: string, status: number | null): Counts {
  const stats = readJson(file)?.['stats']
  if (typeof stats !== 'object' || stats === null) return { ...noCounts, failed: 1 }
  const fields = stats as Fields
  const counts = {
    passed: number(fields, 'expected'),
    failed: number(fields, 'unexpected') + number(fields, 'flaky'),
    skipped: number(fields, 'skipped'),
  }
  return withStatus(counts, status)
}
