/** Checks values against a flow's rules, and describes rules and mismatches in words. */
import type { FlowComparison, FlowRule, FlowRules } from '../../shared/model/flow.ts'
import { fieldAt, fillIn, isReference, type Remembered } from './references.ts'

/** A value as JSON. References stay as written in the flow. */
function show(value: unknown): string {
  if (isReference(value)) return value
  return value === undefined ? 'missing' : JSON.stringify(value)
}

const isSame = (left: unknown, right: unknown) =>
  left === right || (typeof left === 'object' && JSON.stringify(left) === JSON.stringify(right))

type Operator = {
  [K in keyof FlowComparison]-?: {
    readonly words: (wanted: unknown) => string
    readonly holds: (value: unknown, wanted: unknown) => boolean
  }
}

const below = (value: unknown, wanted: unknown) => typeof value === 'number' && value < Number(wanted)
const above = (value: unknown, wanted: unknown) => typeof value === 'number' && value > Number(wanted)

const operators: Operator = {
  is: { words: show, holds: isSame },
  not: { words: (wanted) => `not ${show(wanted)}`, holds: (value, wanted) => !isSame(value, wanted) },
  oneOf: {
    words: (wanted) => `one of ${(wanted as readonly unknown[]).map(show).join(', ')}`,
    holds: (value, wanted) => (wanted as readonly unknown[]).some((one) => isSame(value, one)),
  },
  lt: { words: (wanted) => `less than ${String(wanted)}`, holds: below },
  lte: {
    words: (wanted) => `at most ${String(wanted)}`,
    holds: (value, wanted) => below(value, wanted) || value === Number(wanted),
  },
  gt: { words: (wanted) => `greater than ${String(wanted)}`, holds: above },
  gte: {
    words: (wanted) => `at least ${String(wanted)}`,
    holds: (value, wanted) => above(value, wanted) || value === Number(wanted),
  },
  negativeOf: {
    words: (wanted) => (isReference(wanted) ? `minus ${wanted}` : show(-Number(wanted))),
    holds: (value, wanted) => value === -Number(wanted),
  },
  matches: {
    words: (wanted) => `a string matching ${String(wanted)}`,
    holds: (value, wanted) => typeof value === 'string' && new RegExp(String(wanted), 'u').test(value),
  },
  exists: {
    words: (wanted) => (wanted === true ? 'present' : 'absent'),
    holds: (value, wanted) => (value !== undefined) === wanted,
  },
}

function comparisons(rule: FlowRule): [keyof FlowComparison, unknown][] {
  if (typeof rule !== 'object' || rule === null) return [['is', rule]]
  return Object.entries(rule).filter(([, wanted]) => wanted !== undefined) as [keyof FlowComparison, unknown][]
}

/** What a rule expects, in words, with references unresolved. */
export function ruleWords(rule: FlowRule): string {
  return comparisons(rule)
    .map(([name, wanted]) => operators[name].words(wanted))
    .join(', ')
}

export interface RuleDeparture {
  /** Empty for a value that isn't part of a payload. */
  readonly path: string
  readonly expected: string
  readonly got: string
}

/** The first mismatch, or null. Throws `INVALID_INPUT` for an unknown reference. */
export function departureOf(path: string, value: unknown, rule: FlowRule, remembered: Remembered): RuleDeparture | null {
  for (const [name, given] of comparisons(rule)) {
    const wanted = fillIn(given, remembered)
    const { holds, words } = operators[name]
    if (!holds(value, wanted)) return { path, expected: words(wanted), got: show(value) }
  }
  return null
}

/** All mismatches of a payload. */
export function departuresOf(payload: unknown, rules: FlowRules, remembered: Remembered): RuleDeparture[] {
  return Object.entries(rules).flatMap(([path, rule]) => departureOf(path, fieldAt(payload, path), rule, remembered) ?? [])
}

export function departureWords({ path, expected, got }: RuleDeparture): string {
  return `${path === '' ? '' : `\`${path}\` `}is ${got}, expected ${expected}`
}
