/** Two bodies compared, as the window's worker and the command line do it: by structure, by lines, as a patch. */
import { createInterner } from '../json/interner.ts'
import { formattedLines, readJson, type JsonDocument } from '../json/document.ts'
import { jsonPatch } from './json-patch.ts'
import { countRows, type DiffCounts, type DiffRow, type OpenedFolds } from './rows.ts'
import { diffDocuments } from './structure.ts'
import { structureRows } from './structure-rows.ts'
import { lineRows } from './text-lines.ts'
import type { VolatileFields } from './volatile.ts'

/**
 * The rows of a comparison; `isCut` where there are more than can be shown, and counts hold those shown. `differs`: anything
 * that counts differs, be it shown or not.
 */
export interface ComparedRows {
  readonly rows: readonly DiffRow[]
  readonly counts: DiffCounts
  readonly isCut: boolean
  readonly differs: boolean
}

/** Which side is no JSON. */
export type NotJson = 'left' | 'right' | 'both'

export type ComparedStructure =
  ({ readonly outcome: 'json' } & ComparedRows) | { readonly outcome: 'not-json'; readonly side: NotJson }

export interface ComparedText extends ComparedRows {
  /** Both sides are JSON, and were laid out one member a line; else the lines are as sent. */
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
  if (leftDocument !== null && rightDocument !== null) return { left: leftDocument, right: rightDocument }
  return { notJson: leftDocument !== null ? 'right' : rightDocument !== null ? 'left' : 'both' }
}

/** Compares what two JSON texts say: members by name, items by what they are, numbers as sent. */
export function compareStructure(left: string, right: string, volatile: VolatileFields, opened?: OpenedFolds): ComparedStructure {
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

/** Compares two texts line by line; `format`: JSON is laid out first, its tokens as sent. */
export function compareText(left: string, right: string, format: boolean, opened?: OpenedFolds): ComparedText {
  const pair = format ? readPair(left, right) : null
  const isFormatted = pair !== null && !('notJson' in pair)
  const lines = isFormatted
    ? ([formattedLines(pair.left), formattedLines(pair.right)] as const)
    : ([left.split('\n'), right.split('\n')] as const)
  const { rows, ...rest } = lineRows(...lines, opened)
  return { rows, counts: countRows(rows), ...rest, isFormatted }
}

/** The difference as a JSON Patch (RFC 6902), or null where one side is no JSON. */
export function comparePatch(left: string, right: string): string | null {
  const pair = readPair(left, right)
  return 'notJson' in pair ? null : jsonPatch(pair.right, diffDocuments(pair.left, pair.right))
}
