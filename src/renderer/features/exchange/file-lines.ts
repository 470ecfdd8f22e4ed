/** The lines of a file that is read piece by piece: it may be larger than the window can hold. */

/**
 * Gives each line without its end. Of one longer than `longest` characters only the beginning is given, one character more than
 * that. `onRead` hears how many bytes were read so far.
 */
export async function* linesOfFile(file: Blob, longest: number, onRead: (bytes: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = file.stream().getReader()
  let read = 0
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
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true })
      read += value?.length ?? 0
      onRead(read)
      let from = 0
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
        add(text.slice(from, end))
        yield take()
        from = end + 1
      }
      add(text.slice(from))
      if (done) break
    }
    if (length > 0) yield take()
  } finally {
    // Whoever stops before the end wants no more of it.
    await reader.cancel()
  }
}
