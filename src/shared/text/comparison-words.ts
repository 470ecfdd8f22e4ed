/** Words for the result of a comparison of runs. */
import { pairOutcomes } from '../model/comparison-outcomes.ts'
import {
  pairOutcomeSchema,
  type ComparisonGroup,
  type GroupDifference,
  type RunComparison,
} from '../model/run-comparison.ts'
import { NO_RESPONSE_IN_TIME } from '../service/limits.ts'
import { counted, deliveryCount } from './english.ts'

/** Differences named in a title. */
const MOST_NAMED = 3

function responseWord(kind: ComparisonGroup['before']): string {
  if (kind === null) return 'nothing'
  if (kind.status !== null) return String(kind.status)
  return kind.error === 'timeout' ? NO_RESPONSE_IN_TIME : `no response (${kind.error ?? 'unknown'})`
}

/** Writes `body "error": "LedgerConflict"`, `body "amount": 1 → 2` or `header etag: …`. */
function differenceWords({ place, path, kind, before, after }: GroupDifference): string {
  const name =
    place === 'header' ? `header ${path}` : path === '' ? 'body' : `body ${JSON.stringify(path)}`
  const [one, other] = [before?.join(' or '), after?.join(' or ')]
  if (kind === 'removed') return `${name} missing`
  if (kind === 'added') return other === undefined ? `${name} added` : `${name}: ${other}`
  if (before === null || after === null) return `${name} differs`
  const pairs =
    before.length === after.length
      ? before.map((value, index) => `${value} → ${after[index]}`).join(' or ')
      : `${one} → ${other}`
  return `${name}: ${pairs}`
}

/** Writes `200 → 500, body "error": "LedgerConflict"`. */
export function groupChange({
  before,
  after,
  differences,
  reason,
}: Pick<ComparisonGroup, 'before' | 'after' | 'differences' | 'reason'>): string {
  if (reason !== null) return reason
  const [one, other] = [responseWord(before), responseWord(after)]
  const isOther = one !== other
  // What a failed response lacks says nothing.
  const telling = differences.filter(({ kind }) => !isOther || kind !== 'removed')
  const shown = telling.length === 0 ? differences : telling
  const left = shown.length - MOST_NAMED
  return [
    isOther ? `${one} → ${other}` : one,
    ...shown.slice(0, MOST_NAMED).map(differenceWords),
    ...(left > 0 ? [counted(left, 'more difference')] : []),
  ].join(', ')
}

export function groupEvent({ event }: Pick<ComparisonGroup, 'event'>): string {
  return event ?? 'unknown event'
}

/** Returns the ID of the delivery that stands for a group. */
export function groupExample({ deliveries: [example] }: ComparisonGroup): string {
  return example?.deliveryId ?? ''
}

/** Writes `17 × transaction.refund: 200 → 500, body "error": "LedgerConflict"`. */
export function groupTitle(group: ComparisonGroup): string {
  return `${group.count.toLocaleString('en')} × ${groupEvent(group)}: ${groupChange(group)}`
}

/** Writes ` 3 more groups aren't shown.`; empty if all are. */
export function furtherGroupsText({ furtherGroups }: Pick<RunComparison, 'furtherGroups'>): string {
  if (furtherGroups === 0) return ''
  return ` ${counted(furtherGroups, 'more group')} ${furtherGroups === 1 ? "isn't" : "aren't"} shown.`
}

/** Writes `500 deliveries: 17 regressed, 483 unchanged.` */
export function comparisonTotals(comparison: Omit<RunComparison, 'replay'>): string {
  const { total } = comparison
  const counts = pairOutcomeSchema.options.flatMap((outcome) => {
    const count = comparison[outcome === 'not-compared' ? 'notCompared' : outcome]
    return count === 0 ? [] : [`${count.toLocaleString('en')} ${pairOutcomes[outcome].word}`]
  })
  return `${deliveryCount(total)}: ${counts.length === 0 ? 'none compared' : counts.join(', ')}.${furtherGroupsText(comparison)}`
}

/** Writes `Median response time: 3 ms, now 4 ms.`; null without times. */
export function comparisonTimes({
  ms: { before, after },
}: Pick<RunComparison, 'ms'>): string | null {
  if (after === null) return null
  const now = `${after.toFixed(0)} ms`
  return before === null
    ? `Median response time: ${now}.`
    : `Median response time: ${before.toFixed(0)} ms, now ${now}.`
}

/** Returns the command that shows a group's example; null if the responses aren't stored. */
export function exampleCommand({
  deliveries: [example],
}: Pick<ComparisonGroup, 'deliveries'>): string | null {
  if (example?.after == null) return null
  return example.before === null
    ? `countersign replay --show ${example.after}`
    : `countersign compare ${example.before} ${example.after}`
}
