/** Import of a file piece by piece: lines of an export, or copied requests. */
import { AppError } from '../contract/errors.ts'
import { DECRYPT_CHUNK_CHARACTERS, IMPORT_CHUNK_CHARACTERS } from '../contract/nouns/exchange.ts'
import { type ImportOutcome, NOTHING_IMPORTED, addLines } from '../model/import-outcome.ts'
import type { Client } from '../rpc/client.ts'
import { MOST_PASTED_BYTES, readPasted, verifyInput } from '../pasted/pasted-request.ts'
import { byteTextOf, byteTextOfBase64, bytesOfByteText } from '../text/byte-text.ts'

/** Field that only an export's lines have. */
const EXPORTED = /"(?:countersign|bodySha256|attemptOf|receivedAt)"\s*:/

/** First bytes of a file in the format of age. */
export const AGE = 'age-encryption.org/v1'

/** HAR file, which may be Countersign's own. */
const HAR = /^\s*\{\s*"log"\s*:/

/** Whether a file begins like an export; an empty file does. */
function isExport(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head)
  return text.trim() === '' || (EXPORTED.test(text) && !HAR.test(text))
}

/** Whether a file begins like one in the format of age. */
export function isEncrypted(head: Uint8Array): boolean {
  return byteTextOf(head.subarray(0, AGE.length)) === AGE
}

interface ImportOptions {
  readonly signal?: AbortSignal | undefined
  /** Passphrase of an encrypted file. */
  readonly passphrase?: string | undefined
}

/**
 * Yields the outcome so far after each call, but not of a call that the signal aborts.
 *
 * @throws `UNSUPPORTED` if nothing in the file can be read.
 */
export async function* importFile(
  client: Client,
  pieces: AsyncIterable<Uint8Array>,
  { signal, passphrase }: ImportOptions = {},
): AsyncGenerator<ImportOutcome> {
  const options = signal === undefined ? {} : { signal }
  const decoder = new TextDecoder()
  let isLineExport: boolean | null = null
  let stream: string | null = null
  const copied: Uint8Array[] = []
  let copiedBytes = 0

  const importPiece = async (text: string, ends: boolean) => {
    const response = await client.call('exchange.import', { stream, text, ends }, options)
    stream = response.stream
    return response.outcome
  }
  for await (const piece of decryptedPieces(client, pieces, passphrase, options)) {
    isLineExport ??= isExport(piece)
    if (isLineExport) {
      const text = decoder.decode(piece, { stream: true })
      // Short, because copies of a large message would stay until the next full garbage collection.
      for (let from = 0; from < text.length; from += IMPORT_CHUNK_CHARACTERS)
        yield await importPiece(text.slice(from, from + IMPORT_CHUNK_CHARACTERS), false)
    } else {
      // Copied, because a piece's buffer may be reused.
      copied.push(piece.slice())
      copiedBytes += piece.length
      if (copiedBytes > MOST_PASTED_BYTES) break
    }
  }
  if (isLineExport === null) yield NOTHING_IMPORTED
  else if (isLineExport) yield await importPiece(decoder.decode(), true)
  else yield* importCopied(client, joined(copied, copiedBytes), options)
}

/** Bytes of an encrypted file per message, which are Base64 without padding. */
const DECRYPT_CHUNK_BYTES = (DECRYPT_CHUNK_CHARACTERS / 4) * 3

/** Yields the pieces of a file, decrypted if it is encrypted. */
async function* decryptedPieces(
  client: Client,
  pieces: AsyncIterable<Uint8Array>,
  passphrase: string | undefined,
  options: { readonly signal?: AbortSignal },
): AsyncGenerator<Uint8Array> {
  let isAge: boolean | null = null
  let stream: string | null = null

  async function* decrypt(bytes: Uint8Array, ends: boolean): AsyncGenerator<Uint8Array> {
    if (passphrase === undefined)
      throw new AppError(
        'UNSUPPORTED',
        'The file is encrypted. Import it with "countersign import FILE --passphrase-file FILE".',
      )
    const input = { stream, passphrase, base64: btoa(byteTextOf(bytes)), ends }
    const response = await client.call('exchange.decrypt', input, options)
    stream = response.stream
    if (response.base64 !== '') yield bytesOfByteText(byteTextOfBase64(response.base64) ?? '')
  }
  for await (const piece of pieces) {
    isAge ??= isEncrypted(piece)
    if (!isAge) yield piece
    else
      for (let from = 0; from < piece.length; from += DECRYPT_CHUNK_BYTES)
        yield* decrypt(piece.subarray(from, from + DECRYPT_CHUNK_BYTES), false)
  }
  if (isAge === true) yield* decrypt(new Uint8Array(), true)
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  parts.reduce((at, part) => {
    bytes.set(part, at)
    return at + part.length
  }, 0)
  return bytes
}

async function* importCopied(
  client: Client,
  bytes: Uint8Array,
  options: { readonly signal?: AbortSignal },
): AsyncGenerator<ImportOutcome> {
  const pasted = readPasted(bytes)
  if ('refused' in pasted) throw new AppError('UNSUPPORTED', pasted.refused)
  let outcome = NOTHING_IMPORTED
  for (const request of pasted.requests) {
    const input = { ...verifyInput(request), keep: true }
    const refused = await client.call('exchange.verify', input, options).then(
      () => [],
      (error: unknown) => {
        if (!(error instanceof AppError) || error.code !== 'INVALID_INPUT') throw error
        return [{ line: 0, reason: error.message }]
      },
    )
    const imported = 1 - refused.length
    outcome = addLines(outcome, { lines: 1, imported, known: 0, refused })
    yield outcome
  }
}
