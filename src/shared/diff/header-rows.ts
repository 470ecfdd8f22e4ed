/** The difference between two lists of headers: values, order, case and repeats. */
import { whole, type DiffRow } from './rows.ts'
import { longestRising } from './structure.ts'
import { isVolatileHeader, type VolatileFields } from './volatile.ts'
import { diffWords } from './words.ts'

type Headers = readonly (readonly [string, string])[]

/** The rows in the right side's order, with headers that exist only on the left at their old position. */
export function headerRows(left: Headers, right: Headers, volatile: VolatileFields): DiffRow[] {
  const places = new Map<string, number[]>()
  left.forEach(([name], index) => {
    const key = name.toLowerCase()
    places.set(key, [...(places.get(key) ?? []), index])
  })
  for (const found of places.values()) found.reverse()
  const origins = right.map(([name]) => places.get(name.toLowerCase())?.pop() ?? null)
  const stayed = new Set(longestRising(origins))
  const used = new Set(origins)
  const gone = left.map((_, index) => index).filter((index) => !used.has(index))
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
    const from = origins[index] ?? null
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
    const isMoved = !stayed.has(index)
    if (!isMoved) addGone(from)
    const notes = [
      leftName === name ? null : `was ${leftName}`,
      isMoved ? `moved from position ${from + 1} to ${index + 1}` : null,
    ].filter((note) => note !== null)
    const [leftPieces, rightPieces] = diffWords(leftValue, value)
    const kind =
      leftValue !== value ? 'changed' : isMoved ? 'moved' : leftName === name ? 'same' : 'form'
    const isSame = kind === 'same'
    rows.push({
      ...base(name),
      kind,
      left: leftPieces,
      right: rightPieces,
      note: notes.length === 0 ? null : notes.join('; '),
      isIgnored: !isSame && isVolatileHeader(volatile, name),
    })
  })
  addGone(Number.POSITIVE_INFINITY)
  return rows
}

function repeatNote(headers: Headers, name: string): string | null {
  const times = headers.filter(([other]) => other.toLowerCase() === name.toLowerCase()).length
  return times > 1 ? `sent ${times} times on this side` : null
}
