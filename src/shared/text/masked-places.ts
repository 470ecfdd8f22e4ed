/** Places of a text to mask. */

export const MASK = '[masked]'

export interface Place {
  readonly start: number
  readonly end: number
}

export function mergePlaces(places: readonly Place[]): readonly Place[] {
  if (places.length === 0) return places
  const result: Place[] = []
  for (const { start, end } of places.toSorted((one, other) => one.start - other.start)) {
    const last = result.at(-1)
    if (last === undefined || start >= last.end) result.push({ start, end })
    else if (end > last.end) result[result.length - 1] = { start: last.start, end }
  }
  return result
}

/** Replaces each place in the first `most` characters. */
export function maskPlaces(
  text: string,
  places: readonly Place[],
  most = text.length,
  markOf = (_hidden: string) => MASK,
): string {
  let at = 0
  const parts: string[] = []
  for (const { start, end } of places) {
    if (start >= most) break
    const hidden = text.slice(start, end)
    // Line breaks stay, so that lines keep their numbers.
    parts.push(text.slice(at, start), markOf(hidden), hidden.replaceAll(/[^\n]+/g, ''))
    at = end
  }
  return parts.join('') + text.slice(at, most)
}
