/** Reads a file or standard input in pieces. */
import { open } from 'node:fs/promises'
import { withFilePath, type CommandContext } from './context.ts'

const PIECE_BYTES = 65_536

/** Reads a file into one buffer: new buffers would live until the next garbage collection. */
async function* piecesOfFile(file: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const handle = await open(file)
  try {
    const piece = new Uint8Array(PIECE_BYTES)
    while (!signal.aborted) {
      const { bytesRead } = await handle.read(piece)
      if (bytesRead === 0) return
      yield piece.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

/** Reads standard input, opened only now, because data without a reader would be lost. */
async function* piecesOfInput(
  { stdin }: Pick<CommandContext, 'stdin'>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  // Also ends waiting for input: a terminal may never send any.
  const stop = () => stdin.destroy()
  signal.addEventListener('abort', stop)
  try {
    if (!signal.aborted) yield* stdin as AsyncIterable<Uint8Array>
  } finally {
    signal.removeEventListener('abort', stop)
    stdin.destroy()
  }
}

/** Yields the pieces of a file, `-` for standard input; the next one may reuse the buffer. */
export async function* readPieces(
  context: Pick<CommandContext, 'stdin'>,
  file: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* file === '-' ? piecesOfInput(context, signal) : piecesOfFile(file, signal)
  } catch (error) {
    throw withFilePath(error, file)
  }
}
