/** Comparison of two bodies by structure or by line. */
import { formatJson } from '../json/format.ts'
import { createNumberedReader } from './forms.ts'
import { countRows, type DiffCounts, type DiffRow, type OpenedFolds } from './rows.ts'
import type { VolatileFields } from './volatile-fields.ts'
import { diffNodes } from './structure.ts'
import { structureRows } from './structure-rows.ts'
import { lineRows } from './text-lines.ts'

/**
 * Rows of a comparison. `isCut`: only some are shown and counted. `differs`: some difference isn't
 * ignored.
 */
export interface ComparedRows {
  readonly rows: readonly DiffRow[]
  readonly counts: DiffCounts
  readonly isCut: boolean
  readonly differs: boolean
}

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

/** Formats both texts, if both are JSON. */
export function formattedPair(left: string, right: string): readonly [string, string] {
  const formatted = [formatJson(left), formatJson(right)] as const
  return formatted[0] === null || formatted[1] === null
    ? [left, right]
    : [formatted[0], formatted[1]]
}

/** Compares two texts line by line, formatted if both are JSON and `format` is set. */
export function compareText(left: string, right: string, format: boolean): ComparedRows {
  const [before, after] = format ? formattedPair(left, right) : [left, right]
  const { rows, ...rest } = lineRows(before.split('\n'), after.split('\n'))
  return { rows, counts: countRows(rows), ...rest }
}
