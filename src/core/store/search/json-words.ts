/**
 * The words that must stand in a delivery for a question about its JSON to hold: those of its keys and of its texts, and the digits
 * of its numbers. It is asked only of the deliveries that have them, and of those whose words are not all in the index.
 */
import { isDecimal } from '../../../shared/query/decimal.ts'
import type { JsonTest, Predicate } from '../../../shared/query/query.ts'
import { matchExpression, splitWords } from '../../../shared/query/words.ts'
import { EXPONENT, LARGER } from './facts.ts'

/** As JSON writes numbers without an exponent; the zeros at the end of a fraction say nothing. */
const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(?:\.(\d*?)0*)?$/

/** Null: nothing to go by. */
function ofText(text: string): string | null {
  const words = splitWords(text)
  return words.length === 0 ? null : matchExpression({ words, prefix: false })
}

/** 12.5 may stand there as 12.50, so that a fraction is only begun by its digits; 4001 and 4001.0 both have the word 4001. */
function ofNumber(text: string): string | null {
  const [, whole, fraction = ''] = PLAIN_NUMBER.exec(text) ?? []
  if (whole === undefined) return null
  const words = splitWords(`${whole} ${fraction}`)
  const digits = matchExpression({ words, prefix: fraction !== '' })
  return `(${digits} OR "${EXPONENT}")`
}

function ofTest(test: JsonTest): string | null {
  if (test.kind === 'string') return ofText(test.text)
  if (test.kind !== 'value' || test.pattern.length !== 1) return null
  const [text = ''] = test.pattern
  const asText = ofText(text)
  if (!isDecimal(text) || asText === null) return asText
  const asNumber = ofNumber(text)
  return asNumber === null ? null : `(${asText} OR ${asNumber})`
}

function ofValue(value: unknown): (string | null)[] {
  if (typeof value === 'string') return [ofText(value)]
  // A number that a double does not hold is another one by now.
  if (typeof value === 'number') return [Number.isSafeInteger(value) ? ofNumber(String(value)) : null]
  if (Array.isArray(value)) return value.flatMap(ofValue)
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => [ofText(key), ...ofValue(inner)])
  return [ofText(String(value))]
}

/** An expression for FTS5's MATCH; null where the words say nothing. */
export function wordsOfJson(predicate: Extract<Predicate, { readonly kind: 'json' | 'contains' }>): string | null {
  const words =
    predicate.kind === 'contains'
      ? ofValue(JSON.parse(predicate.json))
      : [...predicate.path.map((step) => (typeof step === 'string' ? ofText(step) : null)), ofTest(predicate.test)]
  const known = [...new Set(words.filter((one) => one !== null))]
  return known.length === 0 ? null : `((${known.join(' AND ')}) OR "${LARGER}")`
}
