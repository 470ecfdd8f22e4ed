/**
 * Reads the JSON reports of the two test runners: the counts, so that the last line of `npm test` can add them up, and the
 * failures, so that the end of a long log shows them (CI often keeps only the end).
 */
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export const noCounts: Counts = { passed: 0, failed: 0, skipped: 0 }

export function addCounts(left: Counts, right: Counts): Counts {
  return {
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped: left.skipped + right.skipped,
  }
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
 * A runner that failed without a failed test (a file that doesn't load, an error outside of tests, a crash) counts as one failure,
 * so that no failure goes unnoticed.
 */
function withStatus(counts: Counts, status: number | null): Counts {
  return status === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 }
}

/** Reads the report of vitest's JSON reporter in `file`; `status` is the exit code of its process. */
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

/** Reads the report of Playwright's JSON reporter in `file`; a flaky test counts as failed. */
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

export interface Failure {
  readonly file: string
  readonly test: string
  readonly message: string
}

const MESSAGE_LINES = 25

function list(fields: Fields, name: string): Fields[] {
  const value = fields[name]
  return Array.isArray(value)
    ? value.filter((item): item is Fields => typeof item === 'object' && item !== null)
    : []
}

function text(fields: Fields, name: string): string {
  const value = fields[name]
  return typeof value === 'string' ? value : ''
}

/** The first lines of a message, without terminal colors. */
function head(message: string): string {
  return stripVTControlCharacters(message).split('\n').slice(0, MESSAGE_LINES).join('\n')
}

/** The failures in vitest's report; a file that didn't load is a separate failure. */
export function vitestFailures(file: string): Failure[] {
  return list(readJson(file) ?? {}, 'testResults').flatMap((result) => {
    const name = relative(process.cwd(), text(result, 'name'))
    const failed = list(result, 'assertionResults').filter(
      (test) => text(test, 'status') === 'failed',
    )
    if (failed.length === 0 && text(result, 'status') === 'failed')
      return [{ file: name, test: '(the file)', message: head(text(result, 'message')) }]
    return failed.map((test) => ({
      file: name,
      test: text(test, 'fullName'),
      message: head(
        Array.isArray(test['failureMessages']) ? test['failureMessages'].join('\n') : '',
      ),
    }))
  })
}

/** Tests that failed, or passed only on retry, in Playwright's report. */
export function playwrightFailures(file: string): Failure[] {
  const report = readJson(file) ?? {}
  const specs = (suite: Fields): Fields[] => [
    ...list(suite, 'specs'),
    ...list(suite, 'suites').flatMap(specs),
  ]
  const outside = list(report, 'errors').map((error) => ({
    file: '',
    test: '(outside of tests)',
    message: head(text(error, 'message')),
  }))
  const inside = list(report, 'suites')
    .flatMap(specs)
    .flatMap((spec) =>
      list(spec, 'tests')
        .filter((test) => ['unexpected', 'flaky'].includes(text(test, 'status')))
        .map((test) => ({
          file: text(spec, 'file'),
          test: text(spec, 'title'),
          message: head(
            list(test, 'results')
              .flatMap((result) => list(result, 'errors'))
              .map((error) => text(error, 'message'))
              .join('\n'),
          ),
        })),
    )
  return [...outside, ...inside]
}

/** One failure as printed at the end of the log. */
export function failureLines({ file, test, message }: Failure): string {
  return `✗ ${file} › ${test}\n${message.replaceAll(/^/gm, '    ')}`
}

/** More failed files than this are a defect, not a busy machine. */
const MOST_REPEATED = 3

/**
 * The files of the failed tests, if a second run may settle whether these fail only beside others: a few files, and each failure
 * belongs to one. Otherwise none.
 */
export function filesToRepeat(failures: readonly Failure[]): string[] {
  const files = [...new Set(failures.map(({ file }) => file))]
  return files.length > MOST_REPEATED || files.includes('') ? [] : files
}

/** How long a test file took; in Node, in processor time. */
export interface FileTime {
  readonly file: string
  readonly seconds: number
  /** Processes that it started itself. */
  readonly starts?: number
}

/** The processor time of each file, in the lines that test/support/cost-of-file.ts has written. */
export function vitestTimes(file: string): FileTime[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as FileTime)
}

/** The time of each file in Playwright's report: the sum of its tests. */
export function playwrightTimes(file: string): FileTime[] {
  const milliseconds = (suite: Fields): number =>
    [
      ...list(suite, 'specs')
        .flatMap((spec) => list(spec, 'tests'))
        .flatMap((test) => list(test, 'results'))
        .map((result) => number(result, 'duration')),
      ...list(suite, 'suites').map(milliseconds),
    ].reduce((sum, value) => sum + value, 0)
  return list(readJson(file) ?? {}, 'suites').map((suite) => ({
    file: text(suite, 'file'),
    seconds: milliseconds(suite) / 1000,
  }))
}

/** The ten slowest files, a line each. */
export function slowestLines(times: readonly FileTime[]): string {
  return times
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, 10)
    .map(({ file, seconds, starts = 0 }) => {
      const processes = starts === 0 ? '' : `, ${starts} processes`
      return `${seconds.toFixed(1).padStart(7)} s  ${file}${processes}`
    })
    .join('\n')
}
