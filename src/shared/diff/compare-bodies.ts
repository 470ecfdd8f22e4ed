import { formatJson } from '../json/format.ts'
import { createNumberedReader } from './numbered-tree.ts'
import { countRows, type ComparedRows, type OpenedFolds } from './rows.ts'
import type { VolatileFields } from './volatile-fields.ts'
import { diffNodes } from './structure.ts'
import { structureRows } from './structure-rows.ts'
import { lineRows } from './text-lines.ts'

export type NotJson = 'left' | 'right' | 'both'

export type ComparedStructure =
  | ({ readonly outcome: 'json' } & ComparedRows)
  | { readonly outcome: 'not-json'; readonly side: NotJson }

/** Compares two JSON texts by meaning: fields by name, items by identity, numbers as sent. */
export function compareStructure(
  left: string,
  right: string,
  volatile: VolatileFields,
  opened?: OpenedFolds,
): ComparedStructure {
  const read = createNumberedReader()
  const [before, after] = [read(left), read(right)]
  if (before === null || after === null)
    return {
      outcome: 'not-json',
      side: before !== null ? 'right' : after !== null ? 'left' : 'both',
    }
  const { rows, ...rest } = structureRows({
    delta: diffNodes(before, after),
    volatile,
    ...(opened === undefined ? {} : { opened }),
  })
  return { outcome: 'json', rows, counts: countRows(rows), ...rest }
}

interface TextPair {
  readonly left: string
  readonly right: string
}

/** Formats both texts, if both are JSON. */
export function formattedPair({ left, right }: TextPair): TextPair {
  const [leftJson, rightJson] = [formatJson(left), formatJson(right)]
  return leftJson === null || rightJson === null
    ? { left, right }
    : { left: leftJson, right: rightJson }
}

/**
 * Compares two texts line by line.
 * @param options `formatsJson`: formats them first, if both are JSON
 */
export function compareText(
  leftText: string,
  rightText: string,
  { formatsJson = false }: { readonly formatsJson?: boolean } = {},
): ComparedRows {
  const texts = { left: leftText, right: rightText }
  const { left, right } = formatsJson ? formattedPair(texts) : texts
  const { rows, ...rest } = lineRows(left.split('\n'), right.split('\n'))
  return { rows, counts: countRows(rows), ...rest }
}
