/** Splits a row of a body into colored pieces. Only whitespace between tokens changes; every other character is as sent. */
import { DEEPEST_INDENT, lexStates, type TextRows } from './text-rows.ts'

export type PieceKind = 'key' | 'string' | 'number' | 'word' | 'mark' | 'plain'

export interface Piece {
  readonly kind: PieceKind
  readonly text: string
  /** Its position in the whole text. */
  readonly at: number
}

const tokenPattern = /"(?:[^"\\]|\\[^])*"?|[{}[\],:]|[ \t\r\n]+|[^\s"{}[\],:]+|[^]/g

/** The pieces of row `index` in a JSON text. */
export function jsonPieces(text: string, rows: TextRows, index: number): readonly Piece[] {
  const start = rows.starts[index] ?? 0
  const end = rows.ends[index] ?? 0
  const slice = text.slice(start, end)
  const state = rows.states[index]
  const pieces: Piece[] = []
  let at = 0
  if (state === lexStates.string || state === lexStates.key) {
    at = endOfOpenString(slice)
    pieces.push({
      kind: state === lexStates.key ? 'key' : 'string',
      text: slice.slice(0, at),
      at: start,
    })
  }
  const from = start + at
  for (const { 0: token, index: offset } of slice.slice(at).matchAll(tokenPattern)) {
    if (token.trim() === '' && /^[ \t\r\n]+$/.test(token)) continue
    if (token === ':') {
      const before = pieces.at(-1)
      if (before?.kind === 'string') pieces[pieces.length - 1] = { ...before, kind: 'key' }
      pieces.push({ kind: 'mark', text: ': ', at: from + offset })
    } else pieces.push({ kind: kindOf(token, state), text: token, at: from + offset })
  }
  // A key cut off before its colon: the next row shows that it is a key.
  const last = pieces.at(-1)
  if (
    last?.kind === 'string' &&
    rows.states[index + 1] === lexStates.key &&
    rows.starts[index + 1] === end
  )
    pieces[pieces.length - 1] = { ...last, kind: 'key' }
  return pieces
}

/** The row's text as drawn, with indentation. */
export function jsonRowText(text: string, rows: TextRows, index: number): string {
  const line = jsonPieces(text, rows, index)
    .map((piece) => piece.text)
    .join('')
  return '  '.repeat(indentOf(rows, index)) + line
}

export function indentOf(rows: TextRows, index: number): number {
  return Math.min(rows.depths[index] ?? 0, DEEPEST_INDENT)
}

function kindOf(token: string, state: number | undefined): PieceKind {
  if (token.startsWith('"')) return 'string'
  if (token.length === 1 && '{}[],'.includes(token)) return 'mark'
  if (/^[-0-9]/.test(token) || (state === lexStates.plain && /^[-+.0-9eE]/.test(token)))
    return 'number'
  return 'word'
}

function endOfOpenString(slice: string): number {
  const found = /^(?:[^"\\]|\\[^])*"?/.exec(slice)
  return found?.[0].length ?? slice.length
}
