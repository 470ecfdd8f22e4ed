/** How a text begins and ends, read from its first and last bytes alone: a body may have millions of them. */
import { utf8Text } from '../../../shared/body/utf8-text.ts'

/** UTF-8 has no longer character. */
const MOST_BYTES_OF_CHARACTER = 4

export interface TextEnds {
  readonly start: string
  /** Null where `start` is all of it, or the end is not there. */
  readonly end: string | null
}

/**
 * At most so many characters of each end; null where they are not UTF-8. `whole`: the bytes are all that there is, else they are
 * the beginning of more.
 */
export function textEnds(bytes: Uint8Array, whole: boolean, atStart: number, atEnd: number): TextEnds | null {
  const most = (atStart + atEnd) * MOST_BYTES_OF_CHARACTER
  const head = utf8Text(bytes.subarray(0, most), !whole || bytes.length > most)
  if (head === null) return null
  if (bytes.length <= most && head.length <= atStart + atEnd) return { start: head, end: null }
  const start = head.slice(0, atStart)
  if (!whole) return { start, end: null }
  let from = Math.max(0, bytes.length - atEnd * MOST_BYTES_OF_CHARACTER)
  // A character that began before is left out.
  while (from < bytes.length && ((bytes[from] ?? 0) & 0b1100_0000) === 0b1000_0000) from++
  const tail = utf8Text(bytes.subarray(from), false)
  return tail === null ? null : { start, end: tail.slice(-atEnd) }
}
