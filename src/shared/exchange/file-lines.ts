/** The lines of a file that is read piece by piece: it may be larger than memory, and need have no line breaks. */

/** A part of a line; `ends`: the last one. The end of the line itself is in none. */
export interface LinePart {
  readonly text: string
  readonly ends: boolean
  /** The line went over the limit: the rest of it is left out. */
  readonly isTooLong: boolean
}

export interface LineLimits {
  /** Bytes of a part, but for those of a character that it cuts: they go with the next. A line that is no longer has one part. */
  readonly part: number
  /** Bytes of a line. */
  readonly line: number
}

const LINE_FEED = 10
const BYTE_ORDER_MARK = '\ufeff'

/** Gives each line in parts. Holds no more than a part, nothing of a line that is too long, and no piece: its bytes may be reused. */
export async function* linePartsOfFile(pieces: AsyncIterable<Uint8Array>, most: LineLimits): AsyncGenerator<LinePart> {
  // Each line is decoded by itself; a mark can only begin the file.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let held: string[] = []
  let heldBytes = 0
  let lineBytes = 0
  let isFirst = true

  const take = (ends: boolean): LinePart => {
    const isTooLong = lineBytes > most.line
    let text = held.join('')
    if (ends) text += decoder.decode()
    if (isFirst && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1)
    isFirst = false
    held = []
    heldBytes = 0
    if (ends) lineBytes = 0
    return { text: ends && text.endsWith('\r') ? text.slice(0, -1) : text, ends, isTooLong }
  }
  const hold = function* (bytes: Uint8Array): Generator<LinePart> {
    for (let from = 0; from < bytes.length;) {
      // A full part goes on only once there is more of its line: else it is the last one.
      if (heldBytes === most.part) yield take(false)
      const more = bytes.subarray(from, from + most.part - heldBytes)
      from += more.length
      lineBytes += more.length
      if (lineBytes > most.line) {
        held = []
        heldBytes = 0
        lineBytes += bytes.length - from
        return
      }
      held.push(decoder.decode(more, { stream: true }))
      heldBytes += more.length
    }
  }
  for await (const piece of pieces) {
    let from = 0
    for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, from)) {
      yield* hold(piece.subarray(from, at))
      yield take(true)
      from = at + 1
    }
    yield* hold(piece.subarray(from))
  }
  if (lineBytes > 0) yield take(true)
}
