/** Comparison of two versions of a text word by word. */
import { type DiffPiece, unchangedPieces } from './rows.ts'
import { diffSequences } from './sequences.ts'

const LONGEST = 20_000

const word = /[\p{L}\p{N}_]+|\s+|[^]/gu

export function diffWords(
  left: string,
  right: string,
): readonly [readonly DiffPiece[], readonly DiffPiece[]] {
  if (left === right) return [unchangedPieces(left), unchangedPieces(right)]
  if (left.length > LONGEST || right.length > LONGEST) return [changed(left), changed(right)]
  const a = left.match(word) ?? []
  const b = right.match(word) ?? []
  const leftPieces: DiffPiece[] = []
  const rightPieces: DiffPiece[] = []
  let alike = 0
  for (const { kind, left: i, right: j, count } of diffSequences(a, b)) {
    if (kind !== 'added')
      leftPieces.push({ text: a.slice(i, i + count).join(''), isChanged: kind !== 'same' })
    if (kind !== 'removed')
      rightPieces.push({ text: b.slice(j, j + count).join(''), isChanged: kind !== 'same' })
    if (kind === 'same')
      alike += a
        .slice(i, i + count)
        .join('')
        .trim().length
  }
  // Texts with almost nothing in common are easier to read whole.
  if (alike * 4 < Math.min(left.length, right.length)) return [changed(left), changed(right)]
  return [leftPieces, rightPieces]
}

function changed(text: string): readonly DiffPiece[] {
  return text === '' ? [] : [{ text, isChanged: true }]
}

/** Returns the index of the first different byte. */
export function firstDifference(left: Uint8Array, right: Uint8Array): number | null {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) if (left[index] !== right[index]) return index
  return left.length === right.length ? null : length
}
