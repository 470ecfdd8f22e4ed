/** Index of the first different byte, where the end of the shorter one counts as different; null if they are equal. */
export function firstDifference(left: Uint8Array, right: Uint8Array): number | null {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) if (left[index] !== right[index]) return index
  return left.length === right.length ? null : length
}
