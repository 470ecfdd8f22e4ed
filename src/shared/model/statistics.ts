/** How deliveries are counted over time and in groups: the classes, the bins of a timeline, and percentiles of response times. */

/**
 * Classes of a verdict, from the bottom of a bar to its top. `stale`: valid, but not fresh. `unverified`: unsigned, of an unknown hook,
 * or only claimed by an imported file.
 */
export const VERDICT_CLASSES = ['valid', 'stale', 'unverified', 'invalid', 'malformed'] as const
export type VerdictClass = (typeof VERDICT_CLASSES)[number]

/** What the user's handler last returned, judged; deliveries without a recorded response are in none of them. */
export const RESPONSE_CLASSES = ['acknowledged', 'rejected', 'neutral', 'failing'] as const
export type ResponseClass = (typeof RESPONSE_CLASSES)[number]

/** Counts in the order of `VERDICT_CLASSES` and `RESPONSE_CLASSES`. */
export interface Totals {
  verdicts: number[]
  responses: number[]
}

const NO_TOTALS: Totals = {
  verdicts: VERDICT_CLASSES.map(() => 0),
  responses: RESPONSE_CLASSES.map(() => 0),
}

/** A bin with deliveries; `index` counts from the start of the timeline. */
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

/** The sums of bins with the same index, in the order of time. */
export function addBins(a: readonly Bin[], b: readonly Bin[]): Bin[] {
  const sums = new Map<number, Bin>()
  for (const bin of [...a, ...b]) {
    const known = sums.get(bin.index)
    sums.set(bin.index, known === undefined ? bin : { index: bin.index, ...addTotals(known, bin) })
  }
  return [...sums.values()].toSorted((one, other) => one.index - other.index)
}

export function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, value) => sum + value, 0)
}

// Statistics: pieces of a count that can be added in any order.

/** A response time rounded to three digits, and how often it occurred: small enough for a million deliveries. */
type Times = [ms: number, often: number][]

export interface StatisticsGroup extends Totals {
  /** An event, a hook's id, or a handler as `@NAME` or its URL; null for deliveries without any. */
  key: string | null
  retried: number
  /** How long we took to respond. */
  ours: Times
  /** How long the handler took. */
  handlers: Times
}

export const GROUPINGS = ['event', 'hook', 'handler'] as const
export type Grouping = (typeof GROUPINGS)[number]

/** Deliveries counted so far, as a whole and in groups. */
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

/** A time to three digits: percentiles are as exact, and a million times need little memory. */
export function roundedTime(ms: number): number {
  return ms <= 0 ? 0 : Number(ms.toPrecision(3))
}

/** Percentiles in milliseconds by nearest rank; null without a response. */
function percentilesOf(times: readonly (readonly [number, number])[]) {
  const sorted = times.toSorted(([a], [b]) => a - b)
  const total = sumOf(sorted.map(([, often]) => often))
  const at = (share: number) => {
    let left = Math.ceil(share * total)
    for (const [ms, often] of sorted) if ((left -= often) <= 0) return ms
    return null
  }
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

const named = <Name extends string>(names: readonly Name[], counts: readonly number[]) =>
  Object.fromEntries(names.map((name, index) => [name, counts[index] ?? 0])) as Record<Name, number>

/** What a person reads about a group: counts, shares of the count from 0 to 1 (null without deliveries), and percentiles. */
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

/** The largest groups first; groups of the same size in the order of their keys. */
export function statisticsSummaries(groups: readonly StatisticsGroup[]): StatisticsSummary[] {
  return groups
    .map(statisticsSummary)
    .toSorted((a, b) => b.count - a.count || (a.key ?? '').localeCompare(b.key ?? ''))
}
