/**
 * Delta debugging: finds a small part of a list that is enough. The result is 1-minimal: removing any single item makes it
 * insufficient. (Zeller and Hildebrandt, 2002; complements only, because they reach sufficient subsets too.)
 */

/** An ordered list: an array, or bytes, which would take eight times the memory as an array. */
interface Sequence<S> {
  readonly length: number
  slice(from: number, to?: number): S
}

/** `isEnough` is called with sublists, in order, and holds for the whole list. If it throws, the search ends with that error. */
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

/** The same for an array. */
export function ddminItems<T>(
  all: readonly T[],
  isEnough: (kept: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  return ddmin(all, (head, tail) => [...head, ...tail], isEnough)
}

// The smallest failing bytes of a body without structure.

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const both = new Uint8Array(head.length + tail.length)
  both.set(head)
  both.set(tail, head.length)
  return both
}

/** `start` fails. Resolves with failing bytes of which none can be removed. */
export function shrinkBytes(
  start: Uint8Array,
  fails: (bytes: Uint8Array) => Promise<boolean>,
): Promise<Uint8Array> {
  return ddmin(start, joined, fails)
}
