/**
 * Values of a flow: references to earlier steps, such as `${purchase.id}`, and the rules that values are checked against, with rules
 * and mismatches in words. A string that is only a reference becomes the value itself, of any type; inside a longer string the value
 * is inserted as text.
 */
import { runInNewContext } from 'node:vm'
import { AppError } from '../../shared/contract/errors.ts'
import type { Path } from '../../shared/diff/path.ts'
import type { FlowCheck, FlowComparison, FlowRule, FlowRules } from '../../shared/model/flow.ts'
import { amountDigits } from '../../shared/text/amount.ts'
import { fieldAt } from '../sandbox/event-context.ts'

type Remembered = ReadonlyMap<string, unknown>

const REFERENCE = /\$\{((?:(?!\$\{)[^}])*)\}/g
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

function rememberedValue(inside: string, remembered: Remembered): unknown {
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
    if (whole !== null) return rememberedValue(whole[1] ?? '', remembered)
    return value.replaceAll(REFERENCE, (_, inside: string) => {
      const found = rememberedValue(inside, remembered)
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

/** A value as JSON, and a reference by its name. */
function show(value: unknown): string {
  if (isReference(value)) return unmarked(value)
  if (typeof value === 'string') return unmarked(JSON.stringify(value))
  return value === undefined ? 'missing' : JSON.stringify(value)
}

const isSame = (left: unknown, right: unknown) =>
  left === right || (typeof left === 'object' && JSON.stringify(left) === JSON.stringify(right))

type Text = (value: unknown) => string

interface Operator {
  /** Between the expected and the actual value, if it holds and if it doesn't. */
  readonly signs: readonly [holds: string, fails: string]
  readonly holds: (value: unknown, wanted: unknown) => boolean
  /** What a sentence says before the expected value. */
  readonly lead?: string
  /** The expected value, with `text` for each of its values. Default: that text. */
  readonly expected?: (wanted: unknown, text: Text) => string
}

const ofNumber =
  (holds: (value: number, wanted: number) => boolean) => (value: unknown, wanted: unknown) =>
    typeof value === 'number' && holds(value, Number(wanted))

/** Deliveries wait while a pattern of a flow file is tested, and one may take forever. */
const MOST_PATTERN_MS = 1_000

/** Throws `INVALID_INPUT` if the pattern takes too long. */
function isMatch(pattern: string, text: string): boolean {
  try {
    return runInNewContext(
      'new RegExp(pattern, "u").test(text)',
      { pattern, text },
      { timeout: MOST_PATTERN_MS },
    ) as boolean
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw new AppError(
      'INVALID_INPUT',
      `Testing the pattern ${pattern} takes more than a second. Simplify it, or use "is".`,
    )
  }
}

const operators: Readonly<Record<keyof FlowComparison, Operator>> = {
  is: { signs: ['=', '≠'], holds: isSame },
  not: { signs: ['≠', '='], holds: (value, wanted) => !isSame(value, wanted), lead: 'not ' },
  oneOf: {
    signs: ['=', '≠'],
    holds: (value, wanted) => (wanted as readonly unknown[]).some((one) => isSame(value, one)),
    expected: (wanted, text) => `one of ${(wanted as readonly unknown[]).map(text).join(', ')}`,
  },
  lt: { signs: ['>', '≤'], holds: ofNumber((value, wanted) => value < wanted), lead: 'less than ' },
  lte: { signs: ['≥', '<'], holds: ofNumber((value, wanted) => value <= wanted), lead: 'at most ' },
  gt: {
    signs: ['<', '≥'],
    holds: ofNumber((value, wanted) => value > wanted),
    lead: 'greater than ',
  },
  gte: {
    signs: ['≤', '>'],
    holds: ofNumber((value, wanted) => value >= wanted),
    lead: 'at least ',
  },
  negativeOf: {
    signs: ['=', '≠'],
    holds: (value, wanted) => value === -Number(wanted),
    expected: (wanted, text) =>
      isReference(wanted) ? `minus ${unmarked(wanted)}` : text(-Number(wanted)),
  },
  matches: {
    signs: ['matches', "doesn't match"],
    holds: (value, wanted) => typeof value === 'string' && isMatch(String(wanted), value),
    lead: 'a string matching ',
    expected: String,
  },
  exists: {
    signs: ['=', '≠'],
    holds: (value, wanted) => (value !== undefined) === wanted,
    expected: (wanted) => (wanted === true ? 'present' : 'absent'),
  },
}

function comparisons(rule: FlowRule): [keyof FlowComparison, unknown][] {
  if (typeof rule !== 'object' || rule === null) return [['is', rule]]
  return Object.entries(rule).filter(([, wanted]) => wanted !== undefined) as [
    keyof FlowComparison,
    unknown,
  ][]
}

function expectedText(name: keyof FlowComparison, wanted: unknown, text: Text): string {
  return operators[name].expected?.(wanted, text) ?? text(wanted)
}

function wordsOf(name: keyof FlowComparison, wanted: unknown): string {
  return `${operators[name].lead ?? ''}${expectedText(name, wanted, show)}`
}

/** What a rule expects, in words, with references by their names. */
export function ruleWords(rule: FlowRule): string {
  return comparisons(rule)
    .map(([name, wanted]) => wordsOf(name, wanted))
    .join(', ')
}

const moneyFields = new Set(['amount', 'cashback', 'performanceFee'])

/** A value for people: text without quotes, and an amount with its currency's digits. */
function valueText(value: unknown, field: string, currency: unknown): string {
  if (value === undefined) return 'missing'
  if (value === '') return 'empty'
  if (typeof value === 'number' && moneyFields.has(field.split('.').at(-1) ?? ''))
    return amountDigits(value, currency)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

interface Compared extends Pick<FlowCheck, 'field' | 'path'> {
  readonly value: unknown
  /** The currency of its amounts; undefined if unknown. */
  readonly currency: unknown
}

/** A comparison with its references filled in: the expected value beside the actual one, and what is wrong in words. */
interface RuleCheck {
  readonly check: FlowCheck
  readonly mismatch: string | null
}

/** A check of each comparison. Throws `INVALID_INPUT` for an unknown reference. */
export function checksOfRule(
  { field, path, value, currency }: Compared,
  rule: FlowRule,
  remembered: Remembered,
): RuleCheck[] {
  const text = (one: unknown) => valueText(one, field, currency)
  return comparisons(rule).map(([name, given]) => {
    const wanted = fillIn(given, remembered)
    const { holds, signs } = operators[name]
    const passed = holds(value, wanted)
    const actual = name === 'exists' && value === undefined ? 'absent' : text(value)
    const expected = expectedText(name, wanted, text)
    // "5" isn't 5: only quotes tell them apart.
    const isAlike = !passed && name !== 'not' && expected === actual
    const isOrder = /^[lg]te?$/.test(name)
    const check = {
      field,
      path,
      expected: isAlike ? show(wanted) : expected,
      operator: passed ? signs[0] : isOrder && typeof value !== 'number' ? '≠' : signs[1],
      actual: isAlike ? show(value) : actual,
      passed,
    }
    return {
      check,
      mismatch: passed
        ? null
        : `${path === null ? '' : `\`${path}\` `}is ${show(value)}, expected ${wordsOf(name, wanted)}`,
    }
  })
}

/** The rules of a payload, in the order of the flow. */
export function checksOfPayload(
  payload: unknown,
  rules: FlowRules,
  remembered: Remembered,
): RuleCheck[] {
  const currency = fieldAt(payload, 'currency')
  return Object.entries(rules).flatMap(([path, rule]) =>
    checksOfRule({ field: path, path, value: fieldAt(payload, path), currency }, rule, remembered),
  )
}
