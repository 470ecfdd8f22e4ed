/** Encrypts captures in a thread, because deriving a key from a passphrase takes a second. */
import { startJobThread, type JobThread } from '../base/threads/job-thread.ts'
import type { EncryptionJobs, EncryptionPiece } from './encryption-thread.ts'

export class CaptureEncryption {
  readonly #entry: URL
  #thread: Promise<JobThread<EncryptionJobs>> | null = null

  constructor(entry: URL) {
    this.#entry = entry
  }

  /** Resolves with the encrypted bytes that are ready, in Base64; all once the piece `ends`. */
  async encrypt(piece: EncryptionPiece): Promise<string> {
    this.#thread ??= startJobThread<EncryptionJobs>(this.#entry, null)
    const thread = await this.#thread
    return Buffer.from(await thread.run('encrypt', piece)).toString('base64')
  }

  async close(): Promise<void> {
    await (await this.#thread)?.close()
  }
}
