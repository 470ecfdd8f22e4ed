/** Counts of deliveries over time and in groups, and percentiles of response times. */

/**
 * Classes of a verdict, from the bottom of a bar. `stale`: valid, but not fresh. `unverified`:
 * unsigned, of an unknown hook, or only claimed by a file.
 */
export const VERDICT_CLASSES = ['valid', 'stale', 'unverified', 'invalid', 'malformed'] as const
export type VerdictClass = (typeof VERDICT_CLASSES)[number]

export const RESPONSE_CLASSES = ['acknowledged', 'rejected', 'neutral', 'failing'] as const
export type ResponseClass = (typeof RESPONSE_CLASSES)[number]

/** Counts in the order of the classes. */
export interface Totals {
  verdicts: number[]
  responses: number[]
}

const NO_TOTALS: Totals = {
  verdicts: VERDICT_CLASSES.map(() => 0),
  responses: RESPONSE_CLASSES.map(() => 0),
}

export interface Bin extends Totals {
  index: number
}

export const EMPTY_BIN: Bin = { ...NO_TOTALS, index: 0 }

const addLists = (a: readonly number[], b: readonly number[]) =>
  a.map((value, index) => value + (b[index] ?? 0))

export function addTotals(a: Totals, b: Totals): Totals {
  return {
    verdicts: addLists(a.verdicts, b.verdicts),
    responses: addLists(a.responses, b.responses),
  }
}

export function addBins(a: readonly Bin[], b: readonly Bin[]): Bin[] {
  const sums = new Map<number, Bin>()
  for (const bin of [...a, ...b]) {
    const sum = sums.get(bin.index)
    sums.set(bin.index, sum === undefined ? bin : { index: bin.index, ...addTotals(sum, bin) })
  }
  return [...sums.values()].toSorted((one, other) => one.index - other.index)
}

export function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, value) => sum + value, 0)
}

/** Response times to three digits, each with the number of responses. */
type Times = [ms: number, count: number][]

export interface StatisticsGroup extends Totals {
  /** Event, hook id, or handler as `@NAME` or its URL. */
  key: string | null
  retried: number
  /** Times of Countersign's own responses; `handlers` of those of the user's handlers. */
  ours: Times
  handlers: Times
}

export const GROUPINGS = ['event', 'hook', 'handler'] as const
export type Grouping = (typeof GROUPINGS)[number]

/** Statistics that can be added in any order. */
export interface Statistics extends Record<Grouping, StatisticsGroup[]> {
  all: StatisticsGroup
}

export const emptyGroup = (key: string | null): StatisticsGroup => ({
  ...NO_TOTALS,
  key,
  retried: 0,
  ours: [],
  handlers: [],
})

export const NO_STATISTICS: Statistics = { all: emptyGroup(null), event: [], hook: [], handler: [] }

/** Rounds to three digits, so that a million times need little memory. */
export function roundedTime(ms: number): number {
  return ms <= 0 ? 0 : Number(ms.toPrecision(3))
}

function percentilesOf(times: Readonly<Times>) {
  const sorted = times.toSorted(([oneMs], [otherMs]) => oneMs - otherMs)
  const total = sumOf(sorted.map(([, count]) => count))
  const at = (share: number) => {
    let left = Math.ceil(share * total)
    for (const [ms, count] of sorted) if ((left -= count) <= 0) return ms
    return null
  }
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

const named = <Name extends string>(names: readonly Name[], counts: readonly number[]) =>
  Object.fromEntries(names.map((name, index) => [name, counts[index] ?? 0])) as Record<Name, number>

/** Summarizes a group; shares are from 0 to 1. */
export function statisticsSummary({
  key,
  verdicts,
  responses,
  retried,
  ours,
  handlers,
}: StatisticsGroup) {
  const total = sumOf(verdicts)
  const byVerdict = named(VERDICT_CLASSES, verdicts)
  const byResponse = named(RESPONSE_CLASSES, responses)
  const shareOf = (part: number) => part / total
  return {
    key,
    count: total,
    verdicts: byVerdict,
    responses: byResponse,
    retried,
    shares:
      total === 0
        ? null
        : {
            invalid: shareOf(byVerdict.invalid),
            stale: shareOf(byVerdict.stale),
            retried: shareOf(retried),
            failing: shareOf(byResponse.failing),
          },
    ours: percentilesOf(ours),
    handlers: percentilesOf(handlers),
  }
}

export type StatisticsSummary = ReturnType<typeof statisticsSummary>
export type Percentiles = StatisticsSummary['ours']

export function statisticsSummaries(groups: readonly StatisticsGroup[]): StatisticsSummary[] {
  return groups
    .map(statisticsSummary)
    .toSorted((a, b) => b.count - a.count || (a.key ?? '').localeCompare(b.key ?? ''))
}
