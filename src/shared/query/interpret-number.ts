/** Numbers, sizes and durations of a search. */
import type { Item } from './expression.ts'
import type { FieldName } from './fields.ts'
import { accept, exampleValue, parseBounds, reject, type Interpretation } from './interpretation.ts'
import { likelyNames } from './problem.ts'
import type { Bound } from './query.ts'
import { readLength } from './search-time.ts'

type NumberKind = 'number' | 'size' | 'duration'

const SIZE_UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1_000,
  mb: 1_000_000,
  gb: 1_000_000_000,
  kib: 1_024,
  mib: 1_048_576,
  gib: 1_073_741_824,
}

function readNumber(kind: NumberKind, text: string): number | null {
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text)
  if (kind === 'duration') return readLength(text)
  const [, amount, unit] =
    (kind === 'size' ? /^(\d+(?:\.\d+)?)([kmg]?i?b)$/i.exec(text) : null) ?? []
  const factor = SIZE_UNITS[unit?.toLowerCase() ?? '']
  return amount === undefined || factor === undefined ? null : Number(amount) * factor
}

const NUMBER_WORDS = {
  number: 'a number',
  size: 'a size such as 500 or 100kB',
  duration: 'a time in milliseconds or with a unit, such as 2s',
} as const

export function interpretNumber(
  name: FieldName,
  kind: NumberKind,
  item: Item,
  words: readonly string[] = [],
): Interpretation {
  const limits = parseBounds(item) ?? [
    { operator: '>=' as const, value: item.text },
    { operator: '<=' as const, value: item.text },
  ]
  const bounds = limits.map(({ operator, value }) => ({
    operator,
    value: readNumber(kind, value),
  }))
  if (bounds.length === 0 || bounds.some(({ value }) => value === null))
    return reject(
      `"${item.text}" isn't a value of ${name}:. Expected ${[...words, NUMBER_WORDS[kind]].join(', ')}, a comparison or a range.`,
      words.length > 0
        ? likelyNames(item.text, words).concat(words).slice(0, 1)
        : [exampleValue(name)],
    )
  return accept({ kind: 'bounds', field: name, bounds: bounds as readonly Bound<number>[] })
}
