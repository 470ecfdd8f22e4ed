/** A signature explained to a person: the verdict first, then what was computed, then the mistake and how to mend it. */
import type { ComputedDigest, SignatureReport } from '../shared/model/signature.ts'
import { freshnessCell, verdictCell } from './delivery-table.ts'
import { createColumns, type Output } from './output.ts'

const NONE = 'none'

/** An age in milliseconds as words: `3.2 s before`, `12 min after`. */
function ageText(ageMs: number): string {
  const size = Math.abs(ageMs)
  const text =
    size < 60_000
      ? `${(size / 1_000).toFixed(1)} s`
      : size < 7_200_000
        ? `${Math.round(size / 60_000)} min`
        : `${Math.round(size / 3_600_000)} h`
  return ageMs < 0 ? `${text} after` : `${text} before`
}

export function signatureLines(output: Output, report: SignatureReport): string[] {
  const { verdict, freshness, timestamp, ageMs, diagnosis, received, expected, firstDifference } = report
  const columns = createColumns(output)
  const age = ageMs === null ? '' : ` (signed ${ageText(ageMs)})`
  const lines = columns([
    [{ text: 'verdict', colour: 'grey' }, verdictCell(verdict)],
    [{ text: 'freshness', colour: 'grey' }, freshnessCell(freshness)],
    [{ text: 'url', colour: 'grey' }, { text: report.url ?? NONE }],
    [{ text: 'timestamp', colour: 'grey' }, { text: (timestamp ?? NONE) + age }],
    [{ text: 'received', colour: 'grey' }, { text: report.received ?? NONE }],
    [{ text: 'expected', colour: 'grey' }, { text: report.expected ?? NONE }],
    [{ text: 'inner', colour: 'grey' }, { text: report.inner ?? NONE }],
  ])
  const differ =
    firstDifference === null || received === null || expected === null
      ? []
      : columns([[{ text: 'differ', colour: 'grey' }, { text: `from character ${firstDifference + 1} on` }]])
  if (diagnosis === null) return [...lines, ...differ, ...unexplainedLines(output, report)]
  return [
    ...lines,
    ...differ,
    '',
    ...createColumns(output)([
      [
        { text: 'cause', colour: 'grey' },
        { text: diagnosis.causes.join(', '), colour: 'red' },
      ],
      [{ text: 'why', colour: 'grey' }, { text: diagnosis.message }],
      [{ text: 'fix', colour: 'grey' }, { text: diagnosis.fix }],
    ]),
  ]
}

/** A signature that could be computed, is another one, and is explained by nothing. */
function unexplainedLines(output: Output, { verdict, expected }: SignatureReport): string[] {
  if (verdict !== 'invalid' || expected === null) return []
  return [
    '',
    ...createColumns(output)([
      [{ text: 'why', colour: 'grey' }, { text: 'None of the known mistakes explains it.' }],
      [
        { text: 'fix', colour: 'grey' },
        {
          text: 'Most likely the body was changed on its way, or it was signed with a secret that is not known here. If you have another one, try it with "countersign verify --secret".',
        },
      ],
    ]),
  ]
}

const outcomes = {
  right: { text: 'right', colour: 'green' },
  explained: { text: 'explained', colour: 'red' },
  unexplained: { text: 'not explained', colour: 'red' },
} as const

/** What is to be said of a digest that somebody's code computed. */
export function computedLines(output: Output, computed: ComputedDigest): string[] {
  const { digest, outcome, diagnosis, message, fix, firstDifference } = computed
  const name = (text: string) => ({ text, colour: 'grey' as const })
  return [
    '',
    ...createColumns(output)([
      [name('computed'), { text: digest }],
      [name('outcome'), outcomes[outcome]],
      ...(firstDifference === null ? [] : [[name('differs'), { text: `from character ${firstDifference + 1} on` }]]),
      ...(diagnosis === null ? [] : [[name('cause'), { text: diagnosis.causes.join(', ') }]]),
      [name('why'), { text: message }],
      [name('fix'), { text: fix }],
    ]),
  ]
}
