/** Cases of a run with their results, pending ones included, in order; skipped ones are folded. */
import {
  type CheckCase,
  type CheckResult,
  type CheckRun,
  type CheckGroup,
  FIRST_CASE,
} from '../../../shared/model/check.ts'

export interface CaseEntry {
  readonly checkCase: CheckCase
  /** Result of the case; null while it waits. */
  readonly result: CheckResult | null
}

export function entriesOf(run: Pick<CheckRun, 'results' | 'waiting'>): readonly CaseEntry[] {
  return [
    ...run.results.map((result) => ({ checkCase: result, result })),
    ...run.waiting.map((checkCase) => ({ checkCase, result: null })),
  ]
}

/** Groups cases in the order of each group's first case. */
export function caseGroups(
  entries: readonly CaseEntry[],
): readonly (readonly [CheckGroup, readonly CaseEntry[]])[] {
  return [...Map.groupBy(entries, ({ checkCase }) => checkCase.group)]
}

export const isFailedCase = ({ result }: CaseEntry): boolean => result?.outcome === 'fail'

/** Moves failed cases, and so their groups, to the front. */
export function failuresFirst(entries: readonly CaseEntry[]): readonly CaseEntry[] {
  return entries.toSorted((a, b) => Number(isFailedCase(b)) - Number(isFailedCase(a)))
}

/** Returns the chosen case, otherwise the first failed one, otherwise the first. */
export function shownEntry(
  entries: readonly CaseEntry[],
  chosen: string | null,
): CaseEntry | undefined {
  return (
    entries.find(({ checkCase }) => checkCase.name === chosen) ??
    entries.find(isFailedCase) ??
    entries[0]
  )
}

/** Whether the endpoint's certificate blocked the first delivery. */
export function isCertificateObstacle({ results }: Pick<CheckRun, 'results'>): boolean {
  const first = results.find(({ name }) => name === FIRST_CASE)
  return first?.exchanges.some(({ got }) => got.errorKind === 'certificate') === true
}

/** Skipped cases that share a reason. */
export interface Fold {
  readonly reason: string
  readonly entries: readonly CaseEntry[]
}

interface FoldedEntries {
  /** Cases shown individually. */
  readonly rest: readonly CaseEntry[]
  readonly folds: readonly Fold[]
}

/** From this number on, cases skipped for the same reason share one line. */
const FOLDED_FROM = 4

/** Groups cases skipped for the same reason, in order of their first case. */
export function foldSkipped(entries: readonly CaseEntry[]): FoldedEntries {
  const byReason = Map.groupBy(entries, ({ result }) =>
    result?.outcome === 'skip' && result.exchanges.length === 0 ? result.message : null,
  )
  const folds = [...byReason].flatMap(([reason, alike]) =>
    reason !== null && alike.length >= FOLDED_FROM ? [{ reason, entries: alike }] : [],
  )
  const folded = new Set(folds.flatMap((fold) => fold.entries))
  return { rest: entries.filter((entry) => !folded.has(entry)), folds }
}

export function foldWords({ reason, entries }: Fold): string {
  return `${entries.length} cases skipped: ${reason.replace(/^Skipped: /, '')}`
}
