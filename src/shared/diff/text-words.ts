/** Comparison of two versions of a text word by word. */
import { type DiffPiece, type DiffSides, unchangedPieces } from './rows.ts'
import { diffSequences } from './sequences.ts'

const LONGEST_COMPARED = 20_000
/** Share of the shorter text below which both texts are easier to read whole. */
const LEAST_COMMON_SHARE = 1 / 4

/** A word, whitespace, or one other character. */
const TOKEN = /[\p{L}\p{N}_]+|\s+|[^]/gu

export function diffWords(left: string, right: string): DiffSides {
  if (left === right) return { left: unchangedPieces(left), right: unchangedPieces(right) }
  const whole = { left: changedPieces(left), right: changedPieces(right) }
  if (Math.max(left.length, right.length) > LONGEST_COMPARED) return whole
  const leftTokens = left.match(TOKEN) ?? []
  const rightTokens = right.match(TOKEN) ?? []
  const leftPieces: DiffPiece[] = []
  const rightPieces: DiffPiece[] = []
  let commonLength = 0
  for (const { kind, left: from, right: rightFrom, count } of diffSequences(
    leftTokens,
    rightTokens,
  )) {
    const leftText = leftTokens.slice(from, from + count).join('')
    const rightText = rightTokens.slice(rightFrom, rightFrom + count).join('')
    const isChanged = kind !== 'same'
    if (kind !== 'added') leftPieces.push({ text: leftText, isChanged })
    if (kind !== 'removed') rightPieces.push({ text: rightText, isChanged })
    if (kind === 'same') commonLength += leftText.trim().length
  }
  return commonLength < LEAST_COMMON_SHARE * Math.min(left.length, right.length)
    ? whole
    : { left: leftPieces, right: rightPieces }
}

function changedPieces(text: string): readonly DiffPiece[] {
  return text === '' ? [] : [{ text, isChanged: true }]
}

/** Returns the index of the first different byte. */
export function firstDifference(left: Uint8Array, right: Uint8Array): number | null {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) if (left[index] !== right[index]) return index
  return left.length === right.length ? null : length
}
