/** Where a text stands in a body, without regard to case. */

/** Places that are kept: more are of no use to step through. */
export const MOST_FOUND = 10_000

export interface Found {
  readonly starts: Uint32Array
  /** There are more places than are kept. */
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
