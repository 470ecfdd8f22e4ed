/** Compares two bodies by structure, by line, or as a patch. Used by the window's worker and the command line. */
import { createInterner } from '../json/interner.ts'
import { formattedLines, readJson, type JsonDocument } from '../json/document.ts'
import { jsonPatch } from './json-patch.ts'
import { countRows, type DiffCounts, type DiffRow, type OpenedFolds } from './rows.ts'
import { diffDocuments } from './structure.ts'
import { structureRows } from './structure-rows.ts'
import { lineRows } from './text-lines.ts'
import type { VolatileFields } from './volatile.ts'

/**
 * The rows of a comparison. `isCut`: there are more rows than can be shown, and the counts cover only those shown. `differs`: there
 * is a counted difference, shown or not.
 */
export interface ComparedRows {
  readonly rows: readonly DiffRow[]
  readonly counts: DiffCounts
  readonly isCut: boolean
  readonly differs: boolean
}

/** The side that isn't JSON. */
export type NotJson = 'left' | 'right' | 'both'

export type ComparedStructure =
  | ({ readonly outcome: 'json' } & ComparedRows)
  | { readonly outcome: 'not-json'; readonly side: NotJson }

export interface ComparedText extends ComparedRows {
  /** Both sides are JSON and were formatted with one field per line; otherwise the lines are as sent. */
  readonly isFormatted: boolean
}

interface Pair {
  readonly left: JsonDocument
  readonly right: JsonDocument
}

function readPair(left: string, right: string): Pair | { readonly notJson: NotJson } {
  const intern = createInterner()
  const leftDocument = readJson(left, intern)
  const rightDocument = readJson(right, intern)
  if (leftDocument !== null && rightDocument !== null)
    return { left: leftDocument, right: rightDocument }
  return { notJson: leftDocument !== null ? 'right' : rightDocument !== null ? 'left' : 'both' }
}

/** Compares two JSON texts by meaning: fields by name, items by identity, numbers as sent. */
export function compareStructure(
  left: string,
  right: string,
  volatile: VolatileFields,
  opened?: OpenedFolds,
): ComparedStructure {
  const pair = readPair(left, right)
  if ('notJson' in pair) return { outcome: 'not-json', side: pair.notJson }
  const { rows, ...rest } = structureRows({
    ...pair,
    delta: diffDocuments(pair.left, pair.right),
    volatile,
    ...(opened === undefined ? {} : { opened }),
  })
  return { outcome: 'json', rows, counts: countRows(rows), ...rest }
}

/** Compares two texts line by line. `format`: formats JSON first, with its tokens as sent. */
export function compareText(
  left: string,
  right: string,
  format: boolean,
  opened?: OpenedFolds,
): ComparedText {
  const pair = format ? readPair(left, right) : null
  const isFormatted = pair !== null && !('notJson' in pair)
  const lines = isFormatted
    ? ([formattedLines(pair.left), formattedLines(pair.right)] as const)
    : ([left.split('\n'), right.split('\n')] as const)
  const { rows, ...rest } = lineRows(...lines, opened)
  return { rows, counts: countRows(rows), ...rest, isFormatted }
}

/** The difference as a JSON Patch (RFC 6902); null if a side isn't JSON. */
export function comparePatch(left: string, right: string): string | null {
  const pair = readPair(left, right)
  return 'notJson' in pair ? null : jsonPatch(pair.right, diffDocuments(pair.left, pair.right))
}
