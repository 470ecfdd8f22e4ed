/** Groups the deliveries of a comparison by what differs. */
import { responseMessage } from '../../shared/service/response-message.ts'
import {
  type Comparable,
  type ComparisonGroup,
  type GroupDifference,
  type PairOutcome,
  pairOutcomeSchema,
  type PairRef,
  type RunComparison,
} from '../../shared/model/run-comparison.ts'
import { isUnreachable, judgePair, type PairDifference } from './judge-pair.ts'

/** Side of a delivery's pair. */
export interface PairSide {
  /** Id of the send; null for a baseline's. */
  readonly send: string | null
  readonly ms: number | null
  readonly response: Comparable
}

export interface ComparedPair {
  readonly deliveryId: string
  readonly event: string | null
  readonly before: PairSide | null
  readonly after: PairSide | null
  /** Why nothing is compared if a side has no response. */
  readonly reason: string
}

/** Deliveries listed per group, and groups in all. */
const MOST_LISTED = 500
const MOST_GROUPS = 200
/** Distinct values shown of a difference. */
const MOST_VALUES = 3
/** Response times kept, from which the median is taken. */
const MOST_TIMES = 10_000

class Times {
  readonly #times = { before: [] as number[], after: [] as number[] }

  add(pair: ComparedPair): void {
    for (const side of ['before', 'after'] as const) {
      const ms = pair[side]?.ms ?? null
      if (ms !== null && this.#times[side].length < MOST_TIMES) this.#times[side].push(ms)
    }
  }

  medians(): ComparisonGroup['ms'] {
    return { before: median(this.#times.before), after: median(this.#times.after) }
  }
}

function median(times: readonly number[]): number | null {
  return times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) / 2)] ?? null
}

/** Values of one difference in a group's deliveries. */
class DifferenceValues {
  readonly #first: PairDifference
  readonly #pairs = new Map<string, PairDifference>()
  count = 0

  constructor(first: PairDifference) {
    this.#first = first
  }

  add(pair: PairDifference): void {
    this.count++
    if (this.#pairs.size <= MOST_VALUES)
      this.#pairs.set(JSON.stringify([pair.before, pair.after]), pair)
  }

  done(): GroupDifference {
    const { place, path, kind } = this.#first
    const pairs = [...this.#pairs].toSorted(([one], [other]) => (one < other ? -1 : 1))
    const shown = (side: 'before' | 'after') => {
      const values = pairs.flatMap(([, pair]) => pair[side] ?? [])
      return pairs.length > MOST_VALUES
        ? null
        : new Set(values).size > 1
          ? values
          : values.slice(0, 1)
    }
    return { place, path, kind, before: shown('before'), after: shown('after') }
  }
}

type Seed = Pick<ComparisonGroup, 'outcome' | 'event' | 'before' | 'after' | 'message' | 'reason'>

class Group {
  readonly #seed: Seed
  readonly #times = new Times()
  readonly #differences = new Map<string, DifferenceValues>()
  readonly #listed: PairRef[] = []
  count = 0

  constructor(seed: Seed) {
    this.#seed = seed
  }

  add(pair: ComparedPair, differences: readonly PairDifference[]): void {
    const { deliveryId, before, after } = pair
    this.count++
    this.#times.add(pair)
    if (this.#listed.length < MOST_LISTED)
      this.#listed.push({
        deliveryId,
        before: before?.send ?? null,
        after: after?.send ?? null,
      })
    for (const one of differences) {
      const key = keyOf(one)
      const values = this.#differences.get(key) ?? new DifferenceValues(one)
      this.#differences.set(key, values)
      values.add(one)
    }
  }

  done(): ComparisonGroup {
    return {
      ...this.#seed,
      count: this.count,
      differences: this.#shownDifferences(),
      ms: this.#times.medians(),
      deliveries: this.#listed,
    }
  }

  /** Returns what all deliveries share, the most telling first, removed fields last. */
  #shownDifferences(): GroupDifference[] {
    return [...this.#differences.values()]
      .filter(({ count }) => count === this.count)
      .map((values) => values.done())
      .toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}

/** Fields that say why a response failed. */
const TELLING = /(?:^|\.)(?:error|message|code|reason|detail|title)$/

const rankOf = ({ kind, path }: GroupDifference) =>
  2 * Number(kind === 'removed') + Number(!TELLING.test(path))

function keyOf({ place, path, kind }: PairDifference): string {
  return `${place} ${kind} ${path}`
}

function kindOf(side: PairSide | null): ComparisonGroup['before'] {
  return side === null ? null : { status: side.response.status, error: side.response.error ?? null }
}

/** Returns the message of the response that isn't acknowledged, without numbers. */
function failureMessage(outcome: PairOutcome, before: Comparable, after: Comparable): string {
  const failed = outcome === 'fixed' ? before : after
  if (failed.acknowledged) return ''
  const text = failed.body === undefined ? (failed.text ?? '') : JSON.stringify(failed.body)
  return responseMessage(text).replaceAll(/\d+/g, '#')
}

function unreachableReason(before: Comparable, after: Comparable): string {
  if (!isUnreachable(after)) return 'the endpoint to compare with is unreachable'
  return isUnreachable(before) ? 'both endpoints are unreachable' : 'the endpoint is unreachable'
}

export class ComparisonGroups {
  readonly #groups = new Map<string, Group>()
  readonly #unchanged = new Map<string | null, number>()
  readonly #times = new Times()
  readonly #counts: { [Outcome in PairOutcome]: number } = {
    regressed: 0,
    unreachable: 0,
    changed: 0,
    fixed: 0,
    'not-compared': 0,
    same: 0,
  }

  add(pair: ComparedPair): void {
    const { event, before, after, reason } = pair
    if (before === null || after === null) {
      this.#addTo({ outcome: 'not-compared', reason }, pair)
      return
    }
    const sides = [before.response, after.response] as const
    const { outcome, differences } = judgePair(...sides)
    if (outcome !== 'unreachable') this.#times.add(pair)
    if (outcome === 'same') {
      this.#counts.same++
      this.#unchanged.set(event, (this.#unchanged.get(event) ?? 0) + 1)
    } else if (outcome === 'unreachable')
      this.#addTo({ outcome, reason: unreachableReason(...sides) }, pair)
    else this.#addTo({ outcome, message: failureMessage(outcome, ...sides) }, pair, differences)
  }

  #addTo(
    {
      outcome,
      message = '',
      reason = null,
    }: Pick<Seed, 'outcome'> & Partial<Pick<Seed, 'message' | 'reason'>>,
    pair: ComparedPair,
    differences: readonly PairDifference[] = [],
  ): void {
    const { event } = pair
    const [before, after] = [kindOf(pair.before), kindOf(pair.after)]
    const seed: Seed = { outcome, event, before, after, message, reason }
    // A failed response has another body, so what it says counts, not what it lacks.
    const isOtherStatus = before?.status !== after?.status || before?.error !== after?.error
    const key = JSON.stringify([seed, isOtherStatus ? null : differences.map(keyOf).toSorted()])
    const group = this.#groups.get(key) ?? new Group(seed)
    this.#groups.set(key, group)
    group.add(pair, differences)
    this.#counts[outcome]++
  }

  done(): Omit<RunComparison, 'replay' | 'notSelected'> {
    const { 'not-compared': notCompared, ...counts } = this.#counts
    const groups = [...this.#groups.values()]
      .map((group) => group.done())
      .toSorted((one, other) => other.count - one.count || orderOf(one, other))
    const worst = new Set(
      groups.toSorted((one, other) => severityOf(one) - severityOf(other)).slice(0, MOST_GROUPS),
    )
    return {
      ...counts,
      notCompared,
      total: Object.values(this.#counts).reduce((sum, count) => sum + count, 0),
      ms: this.#times.medians(),
      groups: groups.filter((group) => worst.has(group)),
      furtherGroups: groups.length - worst.size,
      unchanged: [...this.#unchanged]
        .map(([event, count]) => ({ event, count }))
        .toSorted((one, other) => (one.event ?? '').localeCompare(other.event ?? '')),
    }
  }
}

const severityOf = ({ outcome }: ComparisonGroup) => pairOutcomeSchema.options.indexOf(outcome)

/** Orders groups of the same size by event and outcome, so that reports are stable. */
function orderOf(one: ComparisonGroup, other: ComparisonGroup): number {
  const text = ({ event, outcome, message }: ComparisonGroup) => `${event} ${outcome} ${message}`
  return text(one).localeCompare(text(other))
}
