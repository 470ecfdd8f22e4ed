/** Issues of a delivery in the list, each with the term that finds it. */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { termOf } from '../../shared/query/edit-query.ts'
import type { Environment } from '../../shared/model/environment.ts'
import { isExhausted, MAX_ATTEMPTS } from '../../shared/service/limits.ts'
import { counted } from '../../shared/text/english.ts'
import { roundedDuration } from '../ui/moment.ts'
import {
  attemptTone,
  drawings,
  freshnessWord,
  ring,
  signatureStatus,
  type VerdictTone,
} from '../ui/verdict.tsx'
import { causeWords } from './cause-words.ts'

export interface RowIssue {
  readonly words: string
  /** Text beside the glyph when there is no room for the words. */
  readonly short: string
  readonly tone: VerdictTone
  /** Glyph as one path in a 24 × 24 square. */
  readonly drawing: string
  /** Search term that finds deliveries with this issue. */
  readonly term: string
}

const rowDrawings = {
  globe: `${ring}h20M12 2a15 15 0 0 1 0 20a15 15 0 0 1 0-20`,
  pencil: 'M12 20h9M16.5 3.5a2.1 2.1 0 0 1 3 3L7 19l-4 1 1-4Z',
  key: 'M2 15a5 5 0 1 0 10 0a5 5 0 1 0-10 0m8.5-3.5L21 1m-5 5 3 3',
  hash: 'M4 9h16M4 15h16M10 3 8 21M16 3l-2 18',
  alert: `${ring}m10-4v4m0 4h.01`,
  rotate: 'M21 12a9 9 0 1 1-9-9c2.5 0 4.9 1 6.7 2.7L21 8m0-5v5h-5',
  copy: 'M10 8h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H10a2 2 0 0 1-2-2V10a2 2 0 0 1 2-2M4 16a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h10a2 2 0 0 1 2 2',
} as const

const causeDrawings: Readonly<Record<string, string>> = {
  url: rowDrawings.globe,
  body: rowDrawings.pencil,
  secret: rowDrawings.key,
  timestamp: drawings.clock,
}

/** Returns the search term that finds deliveries whose signature has the same status. */
export function signatureTerm(row: DeliveryRow): string {
  if (row.malformed !== null) return 'is:malformed'
  const { word } = signatureStatus(row)
  if (word === 'Stale' || word === 'Future') return `is:${row.freshness}`
  return termOf('verdict', row.verdict)
}

const freshnessIssues: Readonly<Record<string, string>> = {
  stale: 'Stale signature',
  future: 'Signed in the future',
  'age unknown': 'Age unknown',
}

/** Returns `10 min old` or `3 h ahead`, in one unit, because the detail has the exact age. */
function ageWords(ms: number): string {
  const { count, unit } = roundedDuration(ms)
  const size = `${count.toLocaleString('en')} ${{ minute: 'min', hour: 'h', day: 'days' }[unit]}`
  return `${size} ${ms > 0 ? 'old' : 'ahead'}`
}

/** Returns why a delivery isn't valid; null if it is, or if its verdict says why. */
function verdictIssue({
  verdict,
  verifiedHere,
  freshness,
  cause,
}: DeliveryRow): Omit<RowIssue, 'short' | 'term'> | null {
  const tone = verifiedHere ? 'bad' : 'quiet'
  switch (verdict) {
    case 'valid':
      return null
    case 'invalid':
      if (cause === null)
        return {
          words: verifiedHere ? "Doesn't match" : 'Not verified here',
          tone,
          drawing: rowDrawings.key,
        }
      return {
        words: causeWords(cause),
        tone,
        drawing: causeDrawings[cause.split(':')[0] ?? ''] ?? rowDrawings.hash,
      }
    case 'unsigned':
      // Without both headers, "Unsigned" says it all.
      return freshness === 'missing'
        ? null
        : { words: 'No signature header', tone: 'quiet', drawing: rowDrawings.key }
    case 'unknown-hook':
      return { words: 'No hook for this path', tone: 'quiet', drawing: rowDrawings.globe }
  }
}

/**
 * Returns a delivery's issues.
 *
 * @param rule Acknowledgement rule of the delivery's environment: decides whether the last attempt
 *   failed.
 */
export function issuesOf(row: DeliveryRow, rule: Environment['ack'] = '200'): readonly RowIssue[] {
  const issues: RowIssue[] = []
  if (row.malformed !== null)
    issues.push({
      words: row.malformed.reason,
      short: '',
      tone: 'bad',
      drawing: rowDrawings.alert,
      term: 'is:malformed',
    })
  const verdict = row.malformed === null ? verdictIssue(row) : null
  if (verdict !== null) issues.push({ ...verdict, short: '', term: termOf('verdict', row.verdict) })
  const schema = {
    tone: 'bad',
    drawing: rowDrawings.alert,
    term: termOf('schema', row.schema),
  } as const
  if (row.schemaErrors !== null && row.schemaErrors > 0)
    issues.push({
      ...schema,
      words: counted(row.schemaErrors, 'schema error'),
      short: String(row.schemaErrors),
    })
  else if (row.schema === 'not-json' && row.malformed === null)
    issues.push({ ...schema, words: "Body isn't JSON", short: '' })
  const age = freshnessWord(row)
  const ageIssue =
    row.signatureAgeMs === null ? freshnessIssues[age ?? ''] : ageWords(row.signatureAgeMs)
  if (age !== null)
    issues.push({
      words: ageIssue ?? age,
      short: '',
      tone: 'warn',
      drawing: drawings.clock,
      term: termOf('freshness', row.freshness),
    })
  if (row.attempt > 1) {
    const of = row.attempt <= MAX_ATTEMPTS ? [` of ${MAX_ATTEMPTS}`, `/${MAX_ATTEMPTS}`] : ['', '']
    const attempt = {
      words: `Attempt ${row.attempt}${of[0]}`,
      short: `${row.attempt}${of[1]}`,
      tone: attemptTone(row, rule),
      drawing: rowDrawings.rotate,
      term: termOf('attempt', String(row.attempt)),
    }
    // The service has given up, whatever the signature says.
    if (isExhausted(row, rule))
      issues.unshift({ ...attempt, words: `${row.attempt} of ${row.attempt} failed` })
    else issues.push(attempt)
  }
  if (row.duplicateOf !== null)
    issues.push({
      words: 'Duplicate',
      short: '',
      tone: 'quiet',
      drawing: rowDrawings.copy,
      term: 'is:duplicate',
    })
  return issues
}
