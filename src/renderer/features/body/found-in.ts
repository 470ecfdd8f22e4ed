/** What was searched for in a body, as the views need it: which places lie in a piece of the text. */
import type { Found } from './find-text.ts'

export interface Highlight {
  readonly found: Found
  readonly length: number
  /** Index of the place that is looked at. */
  readonly current: number
}

export interface HighlightPart {
  readonly text: string
  readonly look: 'plain' | 'found' | 'current'
}

/** A piece of the text, which stands at `at`, parted where something was found. */
export function highlighted(text: string, at: number, highlight: Highlight | null): readonly HighlightPart[] {
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
  if (from < text.length || parts.length === 0) parts.push({ text: text.slice(from), look: 'plain' })
  return parts
}

/** Index of the first place that lies behind `position`. */
export function firstAfter(starts: Uint32Array, position: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) > position) high = middle
    else low = middle + 1
  }
  return low
}
