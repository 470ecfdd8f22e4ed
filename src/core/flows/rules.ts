/**
 * Values of a flow: references to earlier steps, such as `${purchase.id}`, and the rules that values are checked against, with rules
 * and mismatches in words. A string that is only a reference becomes the value itself, of any type; inside a longer string the value
 * is inserted as text.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { Path } from '../../shared/diff/path.ts'
import type { FlowCheck, FlowComparison, FlowRule, FlowRules } from '../../shared/model/flow.ts'
import { amountDigits } from '../../shared/text/amount.ts'
import { fieldAt } from '../sandbox/scene.ts'

type Remembered = ReadonlyMap<string, unknown>

const REFERENCE = /\$\{([^}]*)\}/g
const WHOLE = /^\$\{([^}]*)\}$/

/** A reference in a value. `name` is null if it can't be parsed. */
interface Reference {
  readonly name: string | null
  /** The complete reference, such as `${purchase.id}`. */
  readonly text: string
  /** The reference's path within the value. */
  readonly path: Path
}

export function referencesIn(value: unknown, path: Path = []): Reference[] {
  if (typeof value === 'string')
    return [...value.matchAll(REFERENCE)].map(([text, inside = '']) => ({
      name: /^[a-z][A-Za-z0-9-]*(\.[A-Za-z0-9_-]+)*$/.test(inside)
        ? (inside.split('.')[0] ?? null)
        : null,
      text,
      path,
    }))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) =>
    referencesIn(item, [...path, Array.isArray(value) ? Number(key) : key]),
  )
}

/** A text for people: references without their marks, such as `purchase.id`. */
export function unmarked(text: string): string {
  return text.replaceAll(REFERENCE, (_, inside: string) => inside)
}

/** Whether a value is only a reference. */
export function isReference(value: unknown): value is string {
  return typeof value === 'string' && WHOLE.test(value)
}

function lookUp(inside: string, remembered: Remembered): unknown {
  const [name = '', ...rest] = inside.split('.')
  if (!remembered.has(name))
    throw new AppError(
      'INVALID_INPUT',
      `${inside} isn't available: the step that saves ${name} didn't pass.`,
      {
        details: { notRemembered: name },
      },
    )
  const value =
    rest.length === 0 ? remembered.get(name) : fieldAt(remembered.get(name), rest.join('.'))
  if (value === undefined)
    throw new AppError(
      'INVALID_INPUT',
      `${inside} isn't available: ${name} has no field ${rest.join('.')}.`,
    )
  return value
}

/** Whether the error means that a needed value never arrived. Then the step is skipped, not failed. */
export function isNotRemembered({ details }: AppError): boolean {
  return typeof details === 'object' && details !== null && 'notRemembered' in details
}

/** Replaces all references. Throws `INVALID_INPUT` for an unknown one. */
export function fillIn(value: unknown, remembered: Remembered): unknown {
  if (typeof value === 'string') {
    const whole = WHOLE.exec(value)
    if (whole !== null) return lookUp(whole[1] ?? '', remembered)
    return value.replaceAll(REFERENCE, (_, inside: string) => {
      const found = lookUp(inside, remembered)
      return typeof found === 'string' ? found : JSON.stringify(found)
    })
  }
  if (Array.isArray(value)) return value.map((item) => fillIn(item, remembered))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, fillIn(item, remembered)]),
    )
  return value
}

// Rules.

/** A value as JSON, and a reference by its name. */
function show(value: unknown): string {
  if (isReference(value)) return unmarked(value)
  if (typeof value === 'string') return unmarked(JSON.stringify(value))
  return value === undefined ? 'missing' : JSON.stringify(value)
}

const isSame = (left: unknown, right: unknown) =>
  left === right || (typeof left === 'object' && JSON.stringify(left) === JSON.stringify(right))

type Operator = {
  [K in keyof FlowComparison]-?: {
    readonly words: (wanted: unknown) => string
    readonly holds: (value: unknown, wanted: unknown) => boolean
    /** Between the expected and the actual value, if it holds and if it doesn't. */
    readonly signs: readonly [holds: string, fails: string]
  }
}

const below = (value: unknown, wanted: unknown) =>
  typeof value === 'number' && value < Number(wanted)
const above = (value: unknown, wanted: unknown) =>
  typeof value === 'number' && value > Number(wanted)

const operators: Operator = {
  is: { words: show, holds: isSame, signs: ['=', '≠'] },
  not: {
    words: (wanted) => `not ${show(wanted)}`,
    holds: (value, wanted) => !isSame(value, wanted),
    signs: ['≠', '='],
  },
  oneOf: {
    words: (wanted) => `one of ${(wanted as readonly unknown[]).map(show).join(', ')}`,
    holds: (value, wanted) => (wanted as readonly unknown[]).some((one) => isSame(value, one)),
    signs: ['=', '≠'],
  },
  lt: {
    words: (wanted) => `less than ${unmarked(String(wanted))}`,
    holds: below,
    signs: ['>', '≤'],
  },
  lte: {
    words: (wanted) => `at most ${unmarked(String(wanted))}`,
    holds: (value, wanted) => below(value, wanted) || value === Number(wanted),
    signs: ['≥', '<'],
  },
  gt: {
    words: (wanted) => `greater than ${unmarked(String(wanted))}`,
    holds: above,
    signs: ['<', '≥'],
  },
  gte: {
    words: (wanted) => `at least ${unmarked(String(wanted))}`,
    holds: (value, wanted) => above(value, wanted) || value === Number(wanted),
    signs: ['≤', '>'],
  },
  negativeOf: {
    words: (wanted) => (isReference(wanted) ? `minus ${unmarked(wanted)}` : show(-Number(wanted))),
    holds: (value, wanted) => value === -Number(wanted),
    signs: ['=', '≠'],
  },
  matches: {
    words: (wanted) => `a string matching ${String(wanted)}`,
    holds: (value, wanted) =>
      typeof value === 'string' && new RegExp(String(wanted), 'u').test(value),
    signs: ['matches', "doesn't match"],
  },
  exists: {
    words: (wanted) => (wanted === true ? 'present' : 'absent'),
    holds: (value, wanted) => (value !== undefined) === wanted,
    signs: ['=', '≠'],
  },
}

function comparisons(rule: FlowRule): [keyof FlowComparison, unknown][] {
  if (typeof rule !== 'object' || rule === null) return [['is', rule]]
  return Object.entries(rule).filter(([, wanted]) => wanted !== undefined) as [
    keyof FlowComparison,
    unknown,
  ][]
}

/** What a rule expects, in words, with references by their names. */
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
export function departureOf(
  path: string,
  value: unknown,
  rule: FlowRule,
  remembered: Remembered,
): RuleDeparture | null {
  for (const [name, given] of comparisons(rule)) {
    const wanted = fillIn(given, remembered)
    const { holds, words } = operators[name]
    if (!holds(value, wanted)) return { path, expected: words(wanted), got: show(value) }
  }
  return null
}

/** All mismatches of a payload. */
export function departuresOf(
  payload: unknown,
  rules: FlowRules,
  remembered: Remembered,
): RuleDeparture[] {
  return Object.entries(rules).flatMap(
    ([path, rule]) => departureOf(path, fieldAt(payload, path), rule, remembered) ?? [],
  )
}

export function departureWords({ path, expected, got }: RuleDeparture): string {
  return `${path === '' ? '' : `\`${path}\` `}is ${got}, expected ${expected}`
}

// Each expectation with its values filled in, beside the actual value.

const moneyFields = new Set(['amount', 'cashback', 'performanceFee'])

/** A value for people: text without quotes, and an amount with its currency's digits. */
function valueText(value: unknown, field: string, currency: unknown): string {
  if (value === undefined) return 'missing'
  if (value === '') return 'empty'
  if (typeof value === 'number' && moneyFields.has(field.split('.').at(-1) ?? ''))
    return amountDigits(value, currency)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The expected value of a comparison, without its operator. */
function expectedValue(
  name: keyof FlowComparison,
  wanted: unknown,
  text: (value: unknown) => string,
): string {
  if (name === 'oneOf') return `one of ${(wanted as readonly unknown[]).map(text).join(', ')}`
  if (name === 'exists') return operators.exists.words(wanted)
  return text(name === 'negativeOf' ? -Number(wanted) : wanted)
}

const isOrder = (name: keyof FlowComparison) =>
  name === 'lt' || name === 'lte' || name === 'gt' || name === 'gte'

/** What a rule compares. */
interface Compared extends Pick<FlowCheck, 'field' | 'path'> {
  readonly value: unknown
  /** The currency of its amounts; undefined if unknown. */
  readonly currency: unknown
}

/** A rule with its references filled in: a line for each comparison. Throws `INVALID_INPUT` for an unknown reference. */
export function checksOfRule(
  { field, path, value, currency }: Compared,
  rule: FlowRule,
  remembered: Remembered,
): FlowCheck[] {
  const text = (one: unknown) => valueText(one, field, currency)
  return comparisons(rule).map(([name, given]) => {
    const wanted = fillIn(given, remembered)
    const { holds, signs } = operators[name]
    const passed = holds(value, wanted)
    const actual = name === 'exists' && value === undefined ? 'absent' : text(value)
    const expected = expectedValue(name, wanted, text)
    // "5" isn't 5: only quotes tell them apart.
    const isAlike = !passed && name !== 'not' && expected === actual
    return {
      field,
      path,
      expected: isAlike ? show(wanted) : expected,
      operator: passed ? signs[0] : isOrder(name) && typeof value !== 'number' ? '≠' : signs[1],
      actual: isAlike ? show(value) : actual,
      passed,
    }
  })
}

/** The rules of a payload, in the order of the flow. */
export function checksOfPayload(
  payload: unknown,
  rules: FlowRules,
  remembered: Remembered,
): FlowCheck[] {
  const currency = fieldAt(payload, 'currency')
  return Object.entries(rules).flatMap(([path, rule]) =>
    checksOfRule({ field: path, path, value: fieldAt(payload, path), currency }, rule, remembered),
  )
}
