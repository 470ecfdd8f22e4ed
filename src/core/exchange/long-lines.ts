/**
 * Lines of an import that are longer than a message, read piece by piece. One at a time is held, and for a minute: whoever began it may
 * be gone.
 */
import { AppError } from '../../shared/contract/errors.ts'
import { AROUND_BODY, longestLine, tooLongReason } from '../../shared/exchange/import-file.ts'
import type { Clock, Ids } from '../base/deps.ts'
import { createLineReader, type LineReader } from './line-reader.ts'

export interface LongLines {
  /** Adds a piece; null begins a line. Gives the name that it goes on with. Throws `INVALID_INPUT` where it cannot go on. */
  add(begun: string | null, text: string): string
  /** The line so far, which is not held any more. Throws `INVALID_INPUT` if nothing is. */
  end(begun: string): LineReader
}

const HELD_MS = 60_000

export interface LongLinesDeps {
  readonly clock: Pick<Clock, 'sleep'>
  readonly ids: Ids
  /** Bytes that are kept of a body: a line may be as long as such a body makes it. */
  bodyLimit(): number
}

export function createLongLines({ clock, ids, bodyLimit }: LongLinesDeps): LongLines {
  let held: { readonly name: string; readonly reader: LineReader; length: number; expiry: AbortController } | null = null

  const drop = () => {
    held?.expiry.abort()
    held = null
  }
  const heldAs = (name: string) => {
    if (held?.name === name) return held
    throw new AppError(
      'INVALID_INPUT',
      'What was begun of this line is not held any more: another import began one, or it took too long. Import the file again.',
    )
  }

  return {
    add(begun, text) {
      if (begun === null) {
        drop()
        const reader = createLineReader({ line: longestLine(bodyLimit()), text: AROUND_BODY })
        held = { name: ids.next(), reader, length: 0, expiry: new AbortController() }
      }
      const line = heldAs(begun ?? held?.name ?? '')
      line.length += text.length
      const limit = bodyLimit()
      if (line.length > longestLine(limit)) {
        drop()
        throw new AppError('INVALID_INPUT', tooLongReason(limit))
      }
      line.reader.add(text)
      line.expiry.abort()
      const expiry = new AbortController()
      line.expiry = expiry
      void clock.sleep(HELD_MS, expiry.signal).then(() => {
        if (!expiry.signal.aborted && held === line) held = null
      })
      return line.name
    },
    end(begun) {
      const { reader } = heldAs(begun)
      drop()
      return reader
    },
  }
}
