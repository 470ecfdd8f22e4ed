/**
 * Predicates on JSON bodies. Duplicate keys count by the last, arrays by any element; numbers are
 * exact.
 */
import { parseBody } from '../service/json-body.ts'
import { compareDecimals, isDecimal } from './decimal.ts'
import type { JsonTest, Operator, Predicate, Step } from './query.ts'
import { fitsPattern, foldCase } from './pattern.ts'

const SOURCE = Symbol('a number with too many digits for a double: its text')
interface LongNumber {
  readonly [SOURCE]: string
}

function isLongNumber(value: unknown): value is LongNumber {
  return typeof value === 'object' && value !== null && SOURCE in value
}

/** Digits that a double keeps. */
const EXACT_DIGITS = 15
/** `1234567890.123456` */
const LONG_NUMBER = /[\d.]{16}/

const decoder = new TextDecoder()

type ReviverWithSource = (
  this: unknown,
  key: string,
  value: unknown,
  context: { readonly source?: string },
) => unknown

const keepLongNumbers: ReviverWithSource = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined && source.length > EXACT_DIGITS
    ? ({ [SOURCE]: source } satisfies LongNumber)
    : value

/** Whether numbers must stay text, which triples the parsing time. */
function needsLongNumbers(predicate: JsonPredicate): boolean {
  if (predicate.kind === 'contains') return LONG_NUMBER.test(predicate.json)
  const { test } = predicate
  if (test.kind === 'value')
    return test.pattern.length > 1 || LONG_NUMBER.test(test.pattern[0] ?? '')
  return test.kind === 'bounds' && test.bounds.some(({ value }) => LONG_NUMBER.test(value))
}

function parseJson(
  json: Uint8Array | string,
  { keepsLongNumbers }: { readonly keepsLongNumbers: boolean },
): unknown {
  const parsed = parseBody(json)
  if (!parsed.ok) return undefined
  if (!keepsLongNumbers) return parsed.value
  const text = typeof json === 'string' ? json : decoder.decode(json)
  if (!LONG_NUMBER.test(text)) return parsed.value
  try {
    return JSON.parse(
      text,
      keepLongNumbers as (this: unknown, key: string, value: unknown) => unknown,
    ) as unknown
  } catch {
    // The first parse has no depth limit, and a double's precision.
    return parsed.value
  }
}

function decimalOf(value: unknown): string | null {
  if (isLongNumber(value)) return value[SOURCE]
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null
  return typeof value === 'string' && isDecimal(value) ? value : null
}

const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value)

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !isArray(value) && !isLongNumber(value)
}

/** Flattens nested arrays without recursion. */
function elementsOf(value: unknown): unknown[] {
  if (!isArray(value)) return [value]
  const elements: unknown[] = []
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (isArray(next)) for (let index = next.length - 1; index >= 0; index--) open.push(next[index])
    else elements.push(next)
  }
  return elements
}

function stepInto(value: unknown, step: Step): unknown[] {
  if (typeof step === 'number') return isArray(value) && step < value.length ? [value[step]] : []
  return elementsOf(value).flatMap((element) =>
    isObject(element) && Object.hasOwn(element, step) ? [element[step]] : [],
  )
}

function isWithin(order: number, operator: Operator): boolean {
  switch (operator) {
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
  }
}

/** Whether a text is within a limit; `2026-11-20` as an upper limit includes the whole day. */
function isTextWithin(
  text: string,
  { operator, value }: { readonly operator: Operator; readonly value: string },
): boolean {
  if (operator === '<=' || operator === '>')
    return (text <= value || text.startsWith(value)) === (operator === '<=')
  return text < value === (operator === '<')
}

/** Compiles a test, because a search may run it on a million values. */
function compileTest(test: JsonTest): (value: unknown) => boolean {
  switch (test.kind) {
    case 'present':
      return () => true
    case 'string':
      return (value) => value === test.text
    case 'bounds': {
      const asNumbers = test.bounds.every(({ value }) => isDecimal(value))
      if (!asNumbers)
        return (value) =>
          typeof value === 'string' && test.bounds.every((bound) => isTextWithin(value, bound))
      return (value) => {
        const decimal = decimalOf(value)
        return (
          decimal !== null &&
          test.bounds.every((bound) =>
            isWithin(compareDecimals(decimal, bound.value), bound.operator),
          )
        )
      }
    }
    case 'value': {
      const [first = '', ...rest] = test.pattern
      const pattern = test.pattern.map(foldCase)
      const number = rest.length === 0 && isDecimal(first) ? first : null
      return (value) => {
        if (typeof value === 'string') return fitsPattern(pattern, foldCase(value))
        const decimal = decimalOf(value)
        if (decimal === null)
          return (
            (typeof value === 'boolean' || value === null) && fitsPattern(pattern, String(value))
          )
        return number === null
          ? rest.length > 0 && fitsPattern(pattern, decimal)
          : compareDecimals(decimal, number) === 0
      }
    }
  }
}

function contains(value: unknown, expected: unknown): boolean {
  if (isObject(expected))
    return elementsOf(value).some(
      (element) =>
        isObject(element) &&
        Object.entries(expected).every(
          ([key, inner]) => Object.hasOwn(element, key) && contains(element[key], inner),
        ),
    )
  if (isArray(expected))
    return (
      isArray(value) && expected.every((inner) => value.some((element) => contains(element, inner)))
    )
  const decimal = typeof expected === 'string' ? null : decimalOf(expected)
  return elementsOf(value).some((element) => {
    if (decimal === null) return element === expected
    const elementDecimal = typeof element === 'string' ? null : decimalOf(element)
    return elementDecimal !== null && compareDecimals(elementDecimal, decimal) === 0
  })
}

export type JsonPredicate = Extract<Predicate, { readonly kind: 'json' | 'contains' }>

export function compileJsonPredicate(predicate: JsonPredicate): (body: Uint8Array) => boolean {
  const keepsLongNumbers = needsLongNumbers(predicate)
  if (predicate.kind === 'contains') {
    const expected = parseJson(predicate.json, { keepsLongNumbers })
    return (body) => {
      const value = parseJson(body, { keepsLongNumbers })
      return value !== undefined && contains(value, expected)
    }
  }
  const { path, test } = predicate
  const passes = compileTest(test)
  return (body) => {
    const root = parseJson(body, { keepsLongNumbers })
    if (root === undefined) return false
    const matches = path.reduce<unknown[]>(
      (values, step) => values.flatMap((value) => stepInto(value, step)),
      [root],
    )
    return test.kind === 'present'
      ? matches.length > 0
      : matches.some((value) => elementsOf(value).some(passes))
  }
}
