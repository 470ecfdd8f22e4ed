/** Changes that turn the text of an editor into another. */

/** Returns the smallest change, offset by `at`, that turns one text into another. */
function changeTo(from: string, to: string, at = 0) {
  let start = 0
  while (start < from.length && from[start] === to[start]) start++
  let end = 0
  while (
    end < Math.min(from.length, to.length) - start &&
    from[from.length - 1 - end] === to[to.length - 1 - end]
  )
    end++
  return {
    from: at + start,
    to: at + from.length - end,
    insert: to.slice(start, to.length - end),
  }
}

/**
 * Returns one change per line if both texts have as many lines, so that the caret stays in its
 * line.
 */
export function changesTo(from: string, to: string) {
  const [before, after] = [from.split('\n'), to.split('\n')]
  if (before.length !== after.length) return [changeTo(from, to)]
  let at = 0
  return before.map((line, index) => {
    const change = changeTo(line, after[index] ?? '', at)
    at += line.length + 1
    return change
  })
}
