/** Finds a text in a body, ignoring case, and the hits within a piece of it. */
/** Maximum number of hits: nobody steps through more. */
export const MOST_FOUND = 10_000

export interface Found {
  readonly starts: Uint32Array
  /** There are more hits than the maximum. */
  readonly more: boolean
}

export function findAll(text: string, wanted: string): Found {
  const starts: number[] = []
  if (wanted === '') return { starts: new Uint32Array(), more: false }
  for (const match of text.matchAll(new RegExp(RegExp.escape(wanted), 'giu'))) {
    if (starts.length === MOST_FOUND) return { starts: Uint32Array.from(starts), more: true }
    starts.push(match.index)
  }
  return { starts: Uint32Array.from(starts), more: false }
}

export interface Highlight {
  readonly found: Found
  readonly length: number
  /** Index of the current hit. */
  readonly current: number
}

interface HighlightPart {
  readonly text: string
  readonly look: 'plain' | 'found' | 'current'
}

/** Splits a piece of the text, which begins at `at`, around its hits. */
export function highlighted(
  text: string,
  at: number,
  highlight: Highlight | null,
): readonly HighlightPart[] {
  if (highlight === null) return [{ text, look: 'plain' }]
  const { found, length, current } = highlight
  const parts: HighlightPart[] = []
  let from = 0
  for (let index = firstAfter(found.starts, at - length); index < found.starts.length; index++) {
    const start = (found.starts[index] ?? 0) - at
    if (start >= text.length) break
    const begin = Math.max(from, start)
    const end = Math.min(text.length, start + length)
    if (end <= begin) continue
    if (begin > from) parts.push({ text: text.slice(from, begin), look: 'plain' })
    parts.push({ text: text.slice(begin, end), look: index === current ? 'current' : 'found' })
    from = end
  }
  if (from < text.length || parts.length === 0)
    parts.push({ text: text.slice(from), look: 'plain' })
  return parts
}

/** Index of the first hit after `position`. */
function firstAfter(starts: Uint32Array, position: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) > position) high = middle
    else low = middle + 1
  }
  return low
}
