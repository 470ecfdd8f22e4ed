/** Reads the reports of the two test runners: counts, and failures for the end of a long log. */
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

/** Counts a runner that failed without a failed test, such as a crash, as one failure. */
function withStatus(counts: Counts, status: number | null): Counts {
  return status === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 }
}

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

/** Reads Playwright's JSON report in `file`; a flaky test counts as failed. */
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

function head(message: string): string {
  return stripVTControlCharacters(message).split('\n').slice(0, MESSAGE_LINES).join('\n')
}

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

export function failureLines({ file, test, message }: Failure): string {
  return `✗ ${file} › ${test}\n${message.replaceAll(/^/gm, '    ')}`
}

/** Failed files that are repeated at most: more of them are a defect, not a busy machine. */
const MOST_REPEATED = 3

/** Returns the failed files if a second run may settle whether they only fail beside others. */
export function filesToRepeat(failures: readonly Failure[]): string[] {
  const files = [...new Set(failures.map(({ file }) => file))]
  return files.length > MOST_REPEATED || files.includes('') ? [] : files
}

/** Duration of a test file; in Node, its processor time. */
export interface FileTime {
  readonly file: string
  readonly seconds: number
  /** Number of processes that the file started. */
  readonly starts?: number
}

export function vitestTimes(file: string): FileTime[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as FileTime)
}

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
