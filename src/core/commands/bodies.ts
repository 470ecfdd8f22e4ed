/** Handlers of the commands that read stored bodies. */
import type { OutputOf } from '../../shared/contract/contract.ts'
import { contentEncodings, ENCODING_BYTES, encodingInBytes } from '../../shared/body/encoding.ts'
import type { HandlerInput, Handlers } from '../../shared/rpc/router.ts'
import { createMutex } from '../base/async.ts'
import { decodeBody } from '../base/decode-body.ts'
import type { Services } from './services.ts'

export function createBodyHandlers(services: Services) {
  const { store } = services
  // Decoding one body at a time bounds the memory of parallel requests.
  const exclusive = createMutex()
  return {
    'deliveries.body': async ({ id, offset, length }) => {
      const { seq } = await store.read('get', id)
      const { bytes, size } = await store.read('body', { seq, offset, length })
      return { offset, size, base64: Buffer.from(bytes).toString('base64') }
    },
    'bodies.decoded': (input) => exclusive(() => readDecoded(services, input)),
    'fields.profile': async ({ seqs }, { signal }) => {
      await store.settled()
      await store.pace.rest()
      return store.read('fieldProfile', seqs, undefined, signal)
    },
    'bodies.newFields': async ({ id }) => {
      await store.settled()
      return { paths: await store.search.read('newFields', id) }
    },
  } satisfies Partial<Handlers>
}

async function readDecoded(
  { store }: Services,
  { id, offset, length }: HandlerInput<'bodies.decoded'>,
): Promise<OutputOf<'bodies.decoded'>> {
  const { seq, headers } = await store.read('get', id)
  const named = contentEncodings(headers)
  const beginning = await store.read('body', { seq, offset: 0, length: ENCODING_BYTES })
  // Decoding starts at the first byte; other bodies are read in pieces.
  const isPlain = named.length === 0 && encodingInBytes(beginning.bytes) === null
  const stored = await store.read('body', isPlain ? { seq, offset, length } : { seq })
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
}
