/**
 * Words that a delivery must contain for a JSON condition, as an FTS5 expression. Only deliveries
 * with them, or not completely indexed, are parsed.
 */
import type { Predicate, JsonTest } from '../../../shared/query/query.ts'
import { matchExpression, splitWords } from '../../../shared/query/search-words.ts'
import { isDecimal } from '../../../shared/query/decimal.ts'
import { EXPONENT_WORD, LARGE_BODY_WORD } from './index-facts.ts'

/** Number of words of a phrase that the index compares; the rest is checked. */
export const MATCHED_WORDS = 8

export function phraseOf(words: readonly string[], prefix: boolean): string {
  return words.length > MATCHED_WORDS
    ? matchExpression({ words: words.slice(0, MATCHED_WORDS), prefix: false })
    : matchExpression({ words, prefix })
}

const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(?:\.(\d*))?$/

function textExpression(text: string): string | null {
  const words = splitWords(text)
  return words.length === 0 ? null : phraseOf(words, false)
}

/** Returns an expression for a number; 12.5 may be printed as 12.50. */
function numberExpression(text: string): string | null {
  const [, whole, fraction = ''] = PLAIN_NUMBER.exec(text) ?? []
  if (whole === undefined) return null
  const digits = fraction.replace(/(?<!0)0+$/, '')
  const words = splitWords(`${whole} ${digits}`)
  const expression = matchExpression({ words, prefix: digits !== '' })
  return `(${expression} OR "${EXPONENT_WORD}")`
}

function testExpression(test: JsonTest): string | null {
  if (test.kind === 'string') return textExpression(test.text)
  if (test.kind !== 'value' || test.pattern.length !== 1) return null
  const [text = ''] = test.pattern
  const asText = textExpression(text)
  if (!isDecimal(text) || asText === null) return asText
  const asNumber = numberExpression(text)
  return asNumber === null ? null : `(${asText} OR ${asNumber})`
}

function valueExpressions(value: unknown): (string | null)[] {
  if (typeof value === 'string') return [textExpression(value)]
  // A double may have changed the number.
  if (typeof value === 'number')
    return [Number.isSafeInteger(value) ? numberExpression(String(value)) : null]
  if (Array.isArray(value)) return value.flatMap(valueExpressions)
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => [
      textExpression(key),
      ...valueExpressions(inner),
    ])
  return [textExpression(String(value))]
}

const MAX_WORDS = 64

/** Returns an expression for a JSON condition, or null if no word helps. */
export function wordsOfJson(
  predicate: Extract<Predicate, { readonly kind: 'json' | 'contains' }>,
): string | null {
  const words =
    predicate.kind === 'contains'
      ? valueExpressions(JSON.parse(predicate.json))
      : [
          ...predicate.path.map((step) => (typeof step === 'string' ? textExpression(step) : null)),
          testExpression(predicate.test),
        ]
  const expressions = [...new Set(words.filter((one) => one !== null))].slice(0, MAX_WORDS)
  return expressions.length === 0
    ? null
    : `((${expressions.join(' AND ')}) OR "${LARGE_BODY_WORD}")`
}
