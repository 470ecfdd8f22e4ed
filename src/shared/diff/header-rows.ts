/** Difference between two lists of headers. */
import { type DiffRow, unchangedPieces } from './rows.ts'
import { type VolatileFields, isVolatileHeader } from './volatile-fields.ts'
import { alignItems, matchNames } from './alignment.ts'
import { diffWords } from './text-words.ts'

type HeaderPairs = readonly (readonly [string, string])[]

/**
 * Compares values, order, case and repeats. Rows follow the right side, removed headers the left.
 */
export function headerRows(
  left: HeaderPairs,
  right: HeaderPairs,
  volatile: VolatileFields,
): DiffRow[] {
  const lower = (headers: HeaderPairs) => headers.map(([name]) => name.toLowerCase())
  const { places, removed } = alignItems(left.length, matchNames(lower(left), lower(right)))
  const pendingRemoved = [...removed]
  const rows: DiffRow[] = []

  const base = (name: string) => ({
    depth: 0,
    label: name,
    numbers: null,
    path: name,
    isIgnored: isVolatileHeader(volatile, name),
  })
  /** Shows removed headers before their old position. */
  const addRemoved = (before: number) => {
    while (pendingRemoved.length > 0 && (pendingRemoved[0] ?? 0) < before) {
      const [name, value] = left[pendingRemoved.shift() ?? 0] ?? ['', '']
      rows.push({
        ...base(name),
        kind: 'removed',
        left: unchangedPieces(value),
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
        right: unchangedPieces(value),
        note: repeatNote(right, name),
      })
      return
    }
    if (!isMoved) addRemoved(from)
    const notes = [
      leftName === name ? null : `was ${leftName}`,
      isMoved ? `moved from position ${from + 1} to ${index + 1}` : null,
    ].filter((note) => note !== null)
    const kind =
      leftValue !== value ? 'changed' : isMoved ? 'moved' : leftName === name ? 'same' : 'form'
    rows.push({
      ...base(name),
      kind,
      ...diffWords(leftValue, value),
      note: notes.length === 0 ? null : notes.join('; '),
      isIgnored: kind !== 'same' && isVolatileHeader(volatile, name),
    })
  })
  addRemoved(Number.POSITIVE_INFINITY)
  return rows
}

function repeatNote(headers: HeaderPairs, name: string): string | null {
  const times = headers.filter(([other]) => other.toLowerCase() === name.toLowerCase()).length
  return times > 1 ? `sent ${times} times on this side` : null
}
