/**
 * Compares two bodies by structure or by line. Used by the window's worker and the command line.
 */
import { formatJson } from '../json/format.ts'
import { createFormReader } from './forms.ts'
import {
  countRows,
  type DiffCounts,
  type DiffRow,
  type OpenedFolds,
  type VolatileFields,
  whole,
  isVolatileHeader,
} from './rows.ts'
import { diffNodes, matchNames, alignmentOf } from './structure.ts'
import { structureRows } from './structure-rows.ts'
import { lineRows } from './text-lines.ts'
import { diffWords } from './words.ts'

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

/** Compares two JSON texts by meaning: fields by name, items by identity, numbers as sent. */
export function compareStructure(
  left: string,
  right: string,
  volatile: VolatileFields,
  opened?: OpenedFolds,
): ComparedStructure {
  const read = createFormReader()
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

/** Both texts formatted if both are JSON, with their tokens as sent; otherwise unchanged. */
export function formattedPair(left: string, right: string): readonly [string, string] {
  const formatted = [formatJson(left), formatJson(right)] as const
  return formatted[0] === null || formatted[1] === null
    ? [left, right]
    : [formatted[0], formatted[1]]
}

/** Compares two texts line by line. `format`: formats JSON first. */
export function compareText(left: string, right: string, format: boolean): ComparedRows {
  const [before, after] = format ? formattedPair(left, right) : [left, right]
  const { rows, ...rest } = lineRows(before.split('\n'), after.split('\n'))
  return { rows, counts: countRows(rows), ...rest }
}

// The difference between two lists of headers: values, order, case and repeats.

type Headers = readonly (readonly [string, string])[]

/** The rows in the right side's order, with headers that exist only on the left at their old position. */
export function headerRows(left: Headers, right: Headers, volatile: VolatileFields): DiffRow[] {
  const lower = (headers: Headers) => headers.map(([name]) => name.toLowerCase())
  const { places, removed } = alignmentOf(left.length, matchNames(lower(left), lower(right)))
  const gone = [...removed]
  const rows: DiffRow[] = []

  const base = (name: string) => ({
    depth: 0,
    label: name,
    numbers: null,
    path: name,
    isIgnored: isVolatileHeader(volatile, name),
  })
  const addGone = (before: number) => {
    while (gone.length > 0 && (gone[0] ?? 0) < before) {
      const [name, value] = left[gone.shift() ?? 0] ?? ['', '']
      rows.push({
        ...base(name),
        kind: 'removed',
        left: whole(value),
        right: null,
        note: repeatNote(left, name),
      })
    }
  }

  right.forEach(([name, value], index) => {
    const { from, isMoved } = places[index]!
    const [leftName, leftValue] = (from === null ? undefined : left[from]) ?? [null, null]
    if (leftName === null || from === null) {
      rows.push({
        ...base(name),
        kind: 'added',
        left: null,
        right: whole(value),
        note: repeatNote(right, name),
      })
      return
    }
    if (!isMoved) addGone(from)
    const notes = [
      leftName === name ? null : `was ${leftName}`,
      isMoved ? `moved from position ${from + 1} to ${index + 1}` : null,
    ].filter((note) => note !== null)
    const [leftPieces, rightPieces] = diffWords(leftValue, value)
    const kind =
      leftValue !== value ? 'changed' : isMoved ? 'moved' : leftName === name ? 'same' : 'form'
    rows.push({
      ...base(name),
      kind,
      left: leftPieces,
      right: rightPieces,
      note: notes.length === 0 ? null : notes.join('; '),
      isIgnored: kind !== 'same' && isVolatileHeader(volatile, name),
    })
  })
  addGone(Number.POSITIVE_INFINITY)
  return rows
}

function repeatNote(headers: Headers, name: string): string | null {
  const times = headers.filter(([other]) => other.toLowerCase() === name.toLowerCase()).length
  return times > 1 ? `sent ${times} times on this side` : null
}
