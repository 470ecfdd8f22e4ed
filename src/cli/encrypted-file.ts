/** Decrypts files with a passphrase, in the format of age. */
import { AppError } from '../shared/contract/errors.ts'
import { AGE } from '../shared/import-export/import-file.ts'
import { UsageError } from './context.ts'
import { readNamedFile } from './options/input-files.ts'
import { secretText } from './options/secret-options.ts'

/** Reads the file of `--passphrase-file`. Throws `UsageError` if it is empty. */
export function readPassphrase(file: string | undefined): string | undefined {
  if (file === undefined) return undefined
  const source = `--passphrase-file ${file}`
  const passphrase = secretText(readNamedFile(file), source)
  if (passphrase === '') throw new UsageError(`${source} is empty. It must contain a passphrase.`)
  return passphrase
}

/** Message of the library for a wrong passphrase. */
const NO_MATCH = /no identity matched/

/**
 * Yields the pieces of a file, decrypted if it is encrypted.
 * @param passphrase undefined if none was given
 */
export async function* decryptedPieces(
  pieces: AsyncGenerator<Uint8Array>,
  passphrase: string | undefined,
  file: string,
): AsyncGenerator<Uint8Array> {
  try {
    const { value: first } = await pieces.next()
    if (first === undefined) return
    // Copied, because a piece's buffer may be reused.
    const beginning = Uint8Array.from(first)
    if (Buffer.from(beginning).toString('latin1', 0, AGE.length) === AGE)
      yield* decrypted(copiesOf(beginning, pieces), passphrase, file)
    else {
      yield beginning
      yield* pieces
    }
  } finally {
    await pieces.return(undefined)
  }
}

async function* decrypted(
  pieces: AsyncIterable<Uint8Array<ArrayBuffer>>,
  passphrase: string | undefined,
  file: string,
): AsyncGenerator<Uint8Array> {
  if (passphrase === undefined)
    throw new AppError(
      'UNSUPPORTED',
      `${file} is encrypted. Import it with --passphrase-file and the file that has its passphrase.`,
    )
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  try {
    yield* await decrypter.decrypt(ReadableStream.from(pieces))
  } catch (error) {
    throw new AppError(
      'UNSUPPORTED',
      error instanceof Error && NO_MATCH.test(error.message)
        ? `The passphrase of ${file} is wrong. Use the one that it was encrypted with.`
        : `${file} is damaged or incomplete, so it can't be decrypted. Get it again.`,
    )
  }
}

async function* copiesOf(
  first: Uint8Array<ArrayBuffer>,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  yield first
  for await (const piece of pieces) yield Uint8Array.from(piece)
}
