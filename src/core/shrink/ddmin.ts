/**
 * Delta debugging: of many things, a few that are enough. What is kept is 1-minimal: without any single one of them it no longer
 * is enough. (Zeller and Hildebrandt, 2002; the complements alone, since a subset that is enough is reached by them too.)
 */

/**
 * `isEnough` is asked for sublists, in their order; it holds for the whole list. What it throws ends the search, and is thrown on.
 */
export async function ddmin<T>(all: readonly T[], isEnough: (kept: readonly T[]) => Promise<boolean>): Promise<readonly T[]> {
  if (all.length === 0 || (await isEnough([]))) return []
  let kept = all
  let parts = 2
  while (kept.length > 1) {
    const size = Math.ceil(kept.length / parts)
    let smaller: readonly T[] | null = null
    for (let from = 0; from < kept.length && smaller === null; from += size) {
      const rest = [...kept.slice(0, from), ...kept.slice(from + size)]
      if (rest.length > 0 && (await isEnough(rest))) smaller = rest
    }
    if (smaller !== null) {
      kept = smaller
      parts = Math.max(parts - 1, 2)
    } else if (size === 1) return kept
    else parts = Math.min(parts * 2, kept.length)
  }
  return kept
}
