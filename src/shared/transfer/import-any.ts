/**
 * Imports a file of any kind: a JSON Lines export, or copied requests, which are kept as reported.
 */
import { AppError } from '../contract/errors.ts'
import type { Client } from '../rpc/client.ts'
import { importFile, NOTHING_IMPORTED, type ImportOutcome } from './import-file.ts'
import { MOST_PASTED_BYTES, readPasted, verifyInput } from './pasted-request.ts'

/** A field that only an export's lines have. */
const EXPORTED = /"(?:countersign|bodySha256|attemptOf|receivedAt)"\s*:/

/** A HAR file, whose entries have an export's fields if Countersign wrote it. */
const HAR = /^\s*\{\s*"log"\s*:/

/**
 * Whether a file begins like an export, by the fields of its first lines. An empty file is one
 * without lines.
 */
function isExport(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head)
  return text.trim() === '' || (EXPORTED.test(text) && !HAR.test(text))
}

/** Like `importFile`; for copied requests, `line` is the number of the request. Throws `UNSUPPORTED` if none can be read. */
export async function* importAny(
  client: Client,
  pieces: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<ImportOutcome> {
  const iterator = pieces[Symbol.asyncIterator]()
  const first = await iterator.next()
  async function* whole(): AsyncGenerator<Uint8Array> {
    try {
      for (let next = first; next.done !== true; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  if (first.done === true || isExport(first.value)) yield* importFile(client, whole(), signal)
  else yield* importCopied(client, whole(), signal)
}

async function* importCopied(
  client: Client,
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ImportOutcome> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    // A copy, because a piece's buffer may be reused.
    parts.push(piece.slice())
    length += piece.length
    if (length > MOST_PASTED_BYTES) break
  }
  const bytes = new Uint8Array(length)
  parts.reduce((at, part) => {
    bytes.set(part, at)
    return at + part.length
  }, 0)
  const pasted = readPasted(bytes)
  if ('refused' in pasted) throw new AppError('UNSUPPORTED', pasted.refused)
  let outcome = NOTHING_IMPORTED
  for (const request of pasted.requests) {
    const line = outcome.lines + 1
    try {
      await client.call(
        'exchange.verify',
        { ...verifyInput(request), keep: true },
        signal === undefined ? {} : { signal },
      )
      outcome = { ...outcome, lines: line, imported: outcome.imported + 1 }
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'INVALID_INPUT') throw error
      const problems = [...outcome.problems, { line, reason: error.message }]
      outcome = { ...outcome, lines: line, refused: outcome.refused + 1, problems }
    }
    yield outcome
  }
}
