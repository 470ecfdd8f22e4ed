/** Handlers of `bodies.*`. */
import { contentEncodings } from '../../shared/body/content-headers.ts'
import { ENCODING_BYTES, encodingInBytes } from '../../shared/body/encoding-in-bytes.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import { createMutex } from '../base/mutex.ts'
import { decodeBody } from '../bodies/decode-body.ts'
import type { Services } from './services.ts'

type BodyHandlers = Pick<Handlers, Extract<keyof Handlers, `bodies.${string}`>>

/** Bodies are kept up to the receiver's limit; this reads any of them in one piece. */
const WHOLE = Number.MAX_SAFE_INTEGER

export function createBodyHandlers({ store }: Services): BodyHandlers {
  // One body is decoded at a time, so that many questions at once need no more memory than one.
  const exclusive = createMutex()

  return {
    'bodies.decoded': ({ id, offset, length }) =>
      exclusive(async () => {
        const { seq, headers } = await store.read('get', id)
        const named = contentEncodings(headers)
        const beginning = await store.read('body', { seq, offset: 0, length: ENCODING_BYTES })
        // Decoding begins at the first byte; what was sent as it is, is read by the piece.
        const isPlain = named.length === 0 && encodingInBytes(beginning.bytes) === null
        const stored = await store.read('body', isPlain ? { seq, offset, length } : { seq, offset: 0, length: WHOLE })
        const { encodings, bytes, size, end, problem } = isPlain
          ? ({ ...stored, encodings: [], end: 'whole', problem: null } as const)
          : await decodeBody(stored.bytes, named, { offset, length })
        return {
          encodings: [...encodings],
          offset,
          size,
          receivedSize: stored.size,
          base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
          end,
          problem,
        }
      }),
    'bodies.newFields': async ({ id }) => {
      await store.settled()
      return { paths: await store.search.read('newFields', id) }
    },
  }
}
