/** The lines of a file that is read piece by piece: it may be larger than memory, and need have no line breaks. */

/**
 * Gives each line without its end. Of one longer than `longest` characters only the beginning is given, one character more than
 * that.
 */
export async function* linesOfFile(pieces: AsyncIterable<Uint8Array>, longest: number): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  let length = 0
  const add = (text: string) => {
    const part = text.slice(0, Math.max(0, longest + 1 - length))
    if (part !== '') parts.push(part)
    length += part.length
  }
  const take = () => {
    const line = parts.join('')
    parts = []
    length = 0
    return line.endsWith('\r') ? line.slice(0, -1) : line
  }
  const ended = function* (text: string) {
    let from = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      add(text.slice(from, end))
      yield take()
      from = end + 1
    }
    add(text.slice(from))
  }
  for await (const piece of pieces) yield* ended(decoder.decode(piece, { stream: true }))
  yield* ended(decoder.decode())
  if (length > 0) yield take()
}
