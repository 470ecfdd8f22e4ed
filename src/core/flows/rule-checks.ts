/** Checks values against the rules of a flow, and puts rules and mismatches into words. */
import { runInNewContext } from 'node:vm'
import { AppError } from '../../shared/contract/errors.ts'
import type { FlowComparison, FlowRule, FlowRules } from '../../shared/model/flow.ts'
import type { FlowCheck } from '../../shared/model/flow-run.ts'
import { amountDigits } from '../../shared/text/amount.ts'
import { fieldAt } from '../sandbox/payload-paths.ts'
import { fillIn, isReference, type Remembered, unmarked } from './references.ts'

/** Shows a value as JSON, and a reference by its name. */
function show(value: unknown): string {
  if (isReference(value)) return unmarked(value)
  if (typeof value === 'string') return unmarked(JSON.stringify(value))
  return value === undefined ? 'missing' : JSON.stringify(value)
}

const isSame = (left: unknown, right: unknown) =>
  left === right || (typeof left === 'object' && JSON.stringify(left) === JSON.stringify(right))

type Text = (value: unknown) => string

interface Operator {
  /** Signs to show between the expected and the actual value. */
  readonly signs: { readonly whenTrue: string; readonly whenFalse: string }
  readonly holds: (value: unknown, operand: unknown) => boolean
  /** Words before the expected value in a sentence. */
  readonly lead?: string
  /** Writes the expected value, by default with `text`. */
  readonly expected?: (operand: unknown, text: Text) => string
}

const onNumbers =
  (holds: (value: number, operand: number) => boolean) => (value: unknown, operand: unknown) =>
    typeof value === 'number' && holds(value, Number(operand))

/** Time limit of a pattern in milliseconds, because deliveries wait meanwhile. */
const PATTERN_TIMEOUT_MS = 1_000

/** Throws `INVALID_INPUT` if the pattern takes too long. */
function isMatch(pattern: string, text: string): boolean {
  try {
    return runInNewContext(
      'new RegExp(pattern, "u").test(text)',
      { pattern, text },
      { timeout: PATTERN_TIMEOUT_MS },
    ) as boolean
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw new AppError(
      'INVALID_INPUT',
      `Testing the pattern ${pattern} takes more than a second. Simplify it, or use "is".`,
    )
  }
}

const EQUAL = { whenTrue: '=', whenFalse: '≠' }

const operators: Readonly<Record<keyof FlowComparison, Operator>> = {
  is: { signs: EQUAL, holds: isSame },
  not: {
    signs: { whenTrue: '≠', whenFalse: '=' },
    holds: (value, operand) => !isSame(value, operand),
    lead: 'not ',
  },
  oneOf: {
    signs: EQUAL,
    holds: (value, operand) =>
      (operand as readonly unknown[]).some((option) => isSame(value, option)),
    expected: (operand, text) => `one of ${(operand as readonly unknown[]).map(text).join(', ')}`,
  },
  lt: {
    signs: { whenTrue: '>', whenFalse: '≤' },
    holds: onNumbers((value, operand) => value < operand),
    lead: 'less than ',
  },
  lte: {
    signs: { whenTrue: '≥', whenFalse: '<' },
    holds: onNumbers((value, operand) => value <= operand),
    lead: 'at most ',
  },
  gt: {
    signs: { whenTrue: '<', whenFalse: '≥' },
    holds: onNumbers((value, operand) => value > operand),
    lead: 'greater than ',
  },
  gte: {
    signs: { whenTrue: '≤', whenFalse: '>' },
    holds: onNumbers((value, operand) => value >= operand),
    lead: 'at least ',
  },
  negativeOf: {
    signs: EQUAL,
    holds: (value, operand) => value === -Number(operand),
    expected: (operand, text) =>
      isReference(operand) ? `minus ${unmarked(operand)}` : text(-Number(operand)),
  },
  matches: {
    signs: { whenTrue: 'matches', whenFalse: "doesn't match" },
    holds: (value, operand) => typeof value === 'string' && isMatch(String(operand), value),
    lead: 'a string matching ',
    expected: String,
  },
  exists: {
    signs: EQUAL,
    holds: (value, operand) => (value !== undefined) === operand,
    expected: (operand) => (operand === true ? 'present' : 'absent'),
  },
}

function comparisons(rule: FlowRule): [keyof FlowComparison, unknown][] {
  if (typeof rule !== 'object' || rule === null) return [['is', rule]]
  return Object.entries(rule).filter(([, operand]) => operand !== undefined) as [
    keyof FlowComparison,
    unknown,
  ][]
}

function expectedText(name: keyof FlowComparison, operand: unknown, text: Text): string {
  return operators[name].expected?.(operand, text) ?? text(operand)
}

function wordsOf(name: keyof FlowComparison, operand: unknown): string {
  return `${operators[name].lead ?? ''}${expectedText(name, operand, show)}`
}

/** Writes what a rule expects in words, with references by their names. */
export function ruleWords(rule: FlowRule): string {
  return comparisons(rule)
    .map(([name, operand]) => wordsOf(name, operand))
    .join(', ')
}

const moneyFields = new Set(['amount', 'cashback', 'performanceFee'])

/** Shows text without quotes, and an amount with its currency's digits. */
function valueText(value: unknown, field: string, currency: unknown): string {
  if (value === undefined) return 'missing'
  if (value === '') return 'empty'
  if (typeof value === 'number' && moneyFields.has(field.split('.').at(-1) ?? ''))
    return amountDigits(value, currency)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

interface ComparedValue extends Pick<FlowCheck, 'field' | 'path'> {
  readonly value: unknown
  /** Currency of the amounts; undefined if unknown. */
  readonly currency: unknown
}

/** Comparison with its references filled in, and what is wrong in words. */
interface RuleCheck {
  readonly check: FlowCheck
  readonly mismatch: string | null
}

/** Checks each comparison of a rule. Throws `INVALID_INPUT` for an unknown reference. */
export function checksOfRule(
  { field, path, value, currency }: ComparedValue,
  rule: FlowRule,
  remembered: Remembered,
): RuleCheck[] {
  const text = (item: unknown) => valueText(item, field, currency)
  return comparisons(rule).map(([name, template]) => {
    const operand = fillIn(template, remembered)
    const { holds, signs } = operators[name]
    const passes = holds(value, operand)
    const actual = name === 'exists' && value === undefined ? 'absent' : text(value)
    const expected = expectedText(name, operand, text)
    // Quotes distinguish the string "5" from the number 5.
    const isAlike = !passes && name !== 'not' && expected === actual
    // Matches `lt`, `lte`, `gt` and `gte`.
    const isOrder = /^[lg]te?$/.test(name)
    const check = {
      field,
      path,
      expected: isAlike ? show(operand) : expected,
      operator: passes
        ? signs.whenTrue
        : isOrder && typeof value !== 'number'
          ? '≠'
          : signs.whenFalse,
      actual: isAlike ? show(value) : actual,
      passed: passes,
    }
    return {
      check,
      mismatch: passes
        ? null
        : `${path === null ? '' : `\`${path}\` `}is ${show(value)}, expected ${wordsOf(name, operand)}`,
    }
  })
}

/** Checks the rules of a payload, in the order of the flow. */
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
