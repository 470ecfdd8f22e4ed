/** Encrypts captures in a thread, because deriving a key from a passphrase takes a second. */
import { startJobThread, type JobThread } from '../base/threads/job-thread.ts'
import type { EncryptionJobs, EncryptionPiece } from './encryption-thread.ts'

type TextPiece = Omit<EncryptionPiece, 'bytes'> & { readonly text: string }
type Base64Piece = Omit<EncryptionPiece, 'bytes'> & { readonly base64: string }

export class CaptureEncryption {
  readonly #entry: URL
  #thread: Promise<JobThread<EncryptionJobs>> | null = null

  constructor(entry: URL) {
    this.#entry = entry
  }

  /** Resolves with the encrypted bytes that are ready, in Base64; all once the piece `ends`. */
  encrypt({ text, ...piece }: TextPiece): Promise<string> {
    return this.#run('encrypt', { ...piece, bytes: Buffer.from(text) })
  }

  /**
   * Resolves with the decrypted bytes that are ready, in Base64; all once the piece `ends`.
   * @throws `UNSUPPORTED` for a wrong passphrase or a damaged file
   */
  decrypt({ base64, ...piece }: Base64Piece): Promise<string> {
    return this.#run('decrypt', { ...piece, bytes: Buffer.from(base64, 'base64') })
  }

  async #run(job: keyof EncryptionJobs, piece: EncryptionPiece): Promise<string> {
    this.#thread ??= startJobThread<EncryptionJobs>(this.#entry, null)
    const thread = await this.#thread
    return Buffer.from(await thread.run(job, piece)).toString('base64')
  }

  async close(): Promise<void> {
    await (await this.#thread)?.close()
  }
}
