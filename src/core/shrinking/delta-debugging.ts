/**
 * Delta debugging: finds a part from which no single item can be removed (Zeller and Hildebrandt,
 * 2002; complements only).
 */

/** Array of items or bytes; bytes take an eighth of the memory of an array. */
interface Sequence<S> {
  readonly length: number
  slice(from: number, to?: number): S
}

/** Finds a minimal part for which `isEnough` holds, as it must for the whole. */
async function ddmin<S extends Sequence<S>>(
  all: S,
  join: (head: S, tail: S) => S,
  isEnough: (kept: S) => Promise<boolean>,
): Promise<S> {
  const none = all.slice(0, 0)
  if (all.length === 0 || (await isEnough(none))) return none
  let kept = all
  let parts = 2
  while (kept.length > 1) {
    const size = Math.ceil(kept.length / parts)
    let smaller: S | null = null
    for (let from = 0; from < kept.length && smaller === null; from += size) {
      const rest = join(kept.slice(0, from), kept.slice(from + size))
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

export function ddminItems<T>(
  all: readonly T[],
  isEnough: (kept: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  return ddmin(all, (head, tail) => [...head, ...tail], isEnough)
}

/** Resolves with failing bytes of which none can be removed. */
export function shrinkBytes(
  start: Uint8Array,
  fails: (bytes: Uint8Array) => Promise<boolean>,
): Promise<Uint8Array> {
  return ddmin(start, (head, tail) => new Uint8Array(Buffer.concat([head, tail])), fails)
}
