/** Entry of the thread that encrypts captures with a passphrase, in the format of age. */
import { Encrypter } from 'age-encryption'
import { systemClock } from '../base/system-clock.ts'
import { setUpThread, serveJobs } from '../base/threads/job-thread.ts'
import { WaitingStreams } from '../base/waiting-streams.ts'

export interface EncryptionPiece {
  readonly stream: string
  readonly passphrase: string
  readonly text: string
  readonly ends: boolean
}

interface Encryption {
  readonly writer: WritableStreamDefaultWriter<Uint8Array>
  /** Encrypted bytes that no piece returned yet. */
  readonly bytes: Uint8Array[]
  readonly copied: Promise<void>
}

const waiting = new WaitingStreams<Encryption>(systemClock)

function begin(passphrase: string): Encryption {
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const bytes: Uint8Array[] = []
  const copyAll = async () => {
    for await (const chunk of await encrypter.encrypt(readable)) bytes.push(chunk)
  }
  return { writer: writable.getWriter(), bytes, copied: copyAll() }
}

const jobs = {
  /** Adds a piece of a capture's text, and resolves with the encrypted bytes that are ready. */
  async encrypt(_: null, { stream, passphrase, text, ends }: EncryptionPiece): Promise<Uint8Array> {
    const encryption = waiting.take(stream) ?? begin(passphrase)
    const { writer, bytes, copied } = encryption
    await Promise.race([writer.write(Buffer.from(text)), copied])
    if (ends) {
      await writer.close()
      await copied
    } else waiting.keep(stream, encryption)
    return Buffer.concat(bytes.splice(0))
  },
} as const

export type EncryptionJobs = typeof jobs

setUpThread(() => serveJobs({ tools: null, jobs, close: () => undefined }))
