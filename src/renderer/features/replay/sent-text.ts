/** Turns a JSON body that was edited with added line breaks back into the text to send. */
import { diffSequences } from '../../../shared/diff/sequences.ts'

/** Whitespace between JSON tokens, and a token: a string, a bracket or sign, or anything else. */
const piecePattern = /([ \t\r\n]*)("(?:\\.|[^"\\\n])*"?|[{}[\],:]|[^ \t\r\n"{}[\],:]+)/gy

interface Pieces {
  readonly tokens: readonly string[]
  /** Whitespace before each token, then at the end. */
  readonly spaces: readonly string[]
}

function piecesOf(text: string): Pieces {
  const matches = [...text.matchAll(piecePattern)]
  const last = matches.at(-1)
  return {
    tokens: matches.map(([, , token = '']) => token),
    spaces: [
      ...matches.map(([, space = '']) => space),
      text.slice(last === undefined ? 0 : last.index + last[0].length),
    ],
  }
}

const openString = /^"(?:\\.|[^"\\])*$/

/** Returns the whitespace before an added token: typed spaces, but no layout. */
function spaceBefore(space: string, previous: string, token: string): string {
  if (openString.test(previous)) return space
  if (!space.includes('\n') && previous !== ':') return space
  return space !== '' && /[^"{}[\],:]$/.test(previous) && /^[^"{}[\],:]/.test(token) ? ' ' : ''
}

/**
 * Returns the base with the tokens of the shown text, whether or not they are JSON. Whitespace is
 * the base's; line breaks that were added are layout.
 */
export function sentText(base: string, shown: string): string {
  const [before, after] = [piecesOf(base), piecesOf(shown)]
  const runs = diffSequences(before.tokens, after.tokens)
  const parts: string[] = []
  runs.forEach(({ kind, left, right, count }, index) => {
    if (kind === 'removed') return
    const replaced = runs[index - 1]
    // A replaced value keeps its place, even if it has more or fewer tokens.
    const [from, kept] =
      kind === 'same'
        ? [left, count]
        : replaced?.kind !== 'removed'
          ? [0, 0]
          : [replaced.left, replaced.count === count ? count : 1]
    for (let at = 0; at < count; at++) {
      const [token = '', space = ''] = [after.tokens[right + at], after.spaces[right + at]]
      const previous = after.tokens[right + at - 1] ?? ''
      parts.push(at < kept ? (before.spaces[from + at] ?? '') : spaceBefore(space, previous, token))
      parts.push(token)
    }
  })
  return parts.join('') + (before.spaces.at(-1) ?? '')
}
