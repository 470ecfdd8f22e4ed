/** Entry of the thread that encrypts and decrypts files with a passphrase, in the format of age. */
import { Decrypter, Encrypter } from 'age-encryption'
import { AppError } from '../../shared/contract/errors.ts'
import { systemClock } from '../base/system-clock.ts'
import { setUpThread, serveJobs } from '../base/threads/job-thread.ts'
import { WaitingStreams } from '../base/waiting-streams.ts'

export interface EncryptionPiece {
  readonly stream: string
  readonly passphrase: string
  readonly bytes: Uint8Array
  readonly ends: boolean
}

type Cipher = (input: ReadableStream<Uint8Array>) => Promise<ReadableStream<Uint8Array>>

interface Conversion {
  readonly writer: WritableStreamDefaultWriter<Uint8Array>
  /** Converted bytes that no piece returned yet. */
  readonly bytes: Uint8Array[]
  readonly copied: Promise<void>
}

const waiting = new WaitingStreams<Conversion>(systemClock)

function begin(cipher: Cipher): Conversion {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const bytes: Uint8Array[] = []
  const copyAll = async () => {
    for await (const chunk of await cipher(readable)) bytes.push(chunk)
  }
  const copied = copyAll()
  // The next piece rejects with it.
  copied.catch(() => undefined)
  return { writer: writable.getWriter(), bytes, copied }
}

/** Adds a piece of a file, and resolves with the converted bytes that are ready. */
async function add(piece: EncryptionPiece, cipher: Cipher): Promise<Uint8Array> {
  const conversion = waiting.take(piece.stream) ?? begin(cipher)
  const { writer, bytes, copied } = conversion
  await Promise.race([writer.write(piece.bytes), copied])
  if (piece.ends) {
    await Promise.race([writer.close(), copied])
    await copied
  } else waiting.keep(piece.stream, conversion)
  return Buffer.concat(bytes.splice(0))
}

const jobs = {
  encrypt(_: null, piece: EncryptionPiece): Promise<Uint8Array> {
    const encrypter = new Encrypter()
    encrypter.setPassphrase(piece.passphrase)
    return add(piece, (input) => encrypter.encrypt(input))
  },
  async decrypt(_: null, piece: EncryptionPiece): Promise<Uint8Array> {
    const decrypter = new Decrypter()
    decrypter.addPassphrase(piece.passphrase)
    try {
      return await add(piece, (input) => decrypter.decrypt(input))
    } catch (error) {
      throw new AppError(
        'UNSUPPORTED',
        String(error).includes('no identity matched')
          ? 'The passphrase is wrong. Use the one that the file was encrypted with.'
          : "The file is damaged or incomplete, so it can't be decrypted. Get it again.",
      )
    }
  },
} as const

export type EncryptionJobs = typeof jobs

setUpThread(() => serveJobs({ tools: null, jobs, close: () => undefined }))
