/** JUnit reports: XML that all CI systems support, whatever an endpoint returned. */
import { escapeMarkup } from './markup.ts'

export interface JunitCase {
  readonly name: string
  readonly outcome: 'pass' | 'fail' | 'skip'
  /** Milliseconds; null if not measured. */
  readonly ms: number | null
  /** Reason in one line. */
  readonly message: string
  readonly details: string
}

export interface JunitSuite {
  readonly name: string
  readonly cases: readonly JunitCase[]
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(
      ([name, value]) =>
        ` ${name}="${escapeMarkup(String(value)).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')}"`,
    )
    .join('')
}

function seconds(cases: readonly JunitCase[]): string {
  return (cases.reduce((sum, { ms }) => sum + (ms ?? 0), 0) / 1_000).toFixed(3)
}

function counts(cases: readonly JunitCase[]): Record<string, string | number> {
  return {
    tests: cases.length,
    failures: cases.filter(({ outcome }) => outcome === 'fail').length,
    errors: 0,
    skipped: cases.filter(({ outcome }) => outcome === 'skip').length,
    time: seconds(cases),
  }
}

function testCase(one: JunitCase, suite: string): string {
  const { name, outcome, message, details } = one
  const head = `    <testcase${attributes({ name, classname: suite, time: seconds([one]) })}`
  if (outcome === 'pass') return `${head}/>\n`
  if (outcome === 'skip')
    return `${head}>\n      <skipped${attributes({ message })}/>\n    </testcase>\n`
  const failure = `<failure${attributes({ message, type: 'failure' })}>${escapeMarkup(details)}</failure>`
  return `${head}>\n      ${failure}\n    </testcase>\n`
}

function testSuite({ name, cases }: JunitSuite, timestamp: string): string {
  const inside = cases.map((one) => testCase(one, name)).join('')
  return `  <testsuite${attributes({ name, ...counts(cases), timestamp })}>\n${inside}  </testsuite>\n`
}

/**
 * Renders suites as JUnit XML.
 * @param at - start in milliseconds since the epoch
 */
export function junitReport({
  name,
  at,
  suites,
}: {
  readonly name: string
  readonly at: number
  readonly suites: readonly JunitSuite[]
}): string {
  const timestamp = new Date(at).toISOString().replace('Z', '')
  const all = suites.flatMap(({ cases }) => cases)
  const inside = suites.map((suite) => testSuite(suite, timestamp)).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${attributes({ name, ...counts(all) })}>\n${inside}</testsuites>\n`
}
