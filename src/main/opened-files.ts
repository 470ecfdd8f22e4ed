/**
 * Files that the user opened through the system or chose in its dialog. The page gets a handle and reads by it; it never sees a path,
 * and can't name one. Each reading opens the file again, because editors replace a file when they save it.
 */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { AppError } from '../shared/contract/errors.ts'
import { OPENED_PIECE, type NativeOutputOf, type OpenedFile } from '../shared/contract/native.ts'
import type { FileKind } from '../shared/model/file-kind.ts'
import { FLOW_FILE_BYTES } from '../shared/model/flow.ts'
import { MOST_AUTHORITY } from '../shared/model/send.ts'

const GIB = 1_073_741_824
/** Bytes that a file may have, and what to say about a larger one. */
const limits: Readonly<Record<FileKind, { readonly largest: number; readonly reason: string }>> = {
  // The command line imports a larger one: nobody waits for a window there.
  capture: {
    largest: 8 * GIB,
    reason: 'It is larger than 8 GiB. Import it with "countersign import".',
  },
  flow: {
    largest: FLOW_FILE_BYTES,
    reason: 'It is larger than 1 MiB. Split the flow into smaller files.',
  },
  certificate: {
    largest: MOST_AUTHORITY,
    reason: 'It is larger than 256 KiB. A CA certificate file has a few thousand bytes.',
  },
}
/** Files that a page can still read: those opened last. */
const MOST_FILES = 16

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'It was moved or deleted.',
  EACCES: "You don't have permission to read it.",
  EPERM: "You don't have permission to read it.",
  EISDIR: 'It is a folder.',
}

export interface OpenedFiles {
  /** Checks the file and gives it a handle. Rejects with a sentence for the user. */
  add(path: string, kind: FileKind): Promise<OpenedFile>
  /** The size and time of change now. */
  look(handle: string): Promise<NativeOutputOf<'native.lookAtFile'>>
  /** The bytes from `offset`, as many as fit into one message. */
  read(handle: string, offset: number): Promise<NativeOutputOf<'native.readFile'>>
}

interface Known {
  readonly path: string
  readonly kind: FileKind
}

/** Opens a regular file, runs `task`, and closes it. Not blocking: opening a pipe would wait for a writer. */
async function withFile<T>(
  { path, kind }: Known,
  task: (file: FileHandle, size: number, changedAt: number) => Promise<T>,
): Promise<T> {
  const name = basename(path)
  const refuse = (reason: string) =>
    new AppError('INVALID_INPUT', `Couldn't open ${name}. ${reason}`)
  // Missing on Windows.
  const flags = constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0)
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    throw refuse(reasons[error.code ?? ''] ?? "It can't be read.")
  })
  try {
    const stats = await file.stat()
    const { size, mtimeMs } = stats
    if (!stats.isFile()) throw refuse("It isn't a regular file.")
    if (size > limits[kind].largest) throw refuse(limits[kind].reason)
    return await task(file, size, mtimeMs)
  } finally {
    await file.close()
  }
}

export function createOpenedFiles(): OpenedFiles {
  const files = new Map<string, Known>()
  const knownBy = (handle: string): Known => {
    const known = files.get(handle)
    if (known === undefined)
      throw new AppError('NOT_FOUND', 'The file is no longer open. Open it again.')
    return known
  }
  return {
    add: async (path, kind) => {
      const known = { path, kind }
      return withFile(known, (_file, size, changedAt) => {
        const handle = randomUUID()
        files.set(handle, known)
        for (const oldest of [...files.keys()].slice(0, -MOST_FILES)) files.delete(oldest)
        return Promise.resolve({ handle, kind, name: basename(path), size, changedAt })
      })
    },
    look: async (handle) =>
      withFile(knownBy(handle), (_file, size, changedAt) => Promise.resolve({ size, changedAt })),
    read: async (handle, offset) =>
      withFile(knownBy(handle), async (file) => {
        const bytes = Buffer.alloc(OPENED_PIECE)
        const { bytesRead } = await file.read(bytes, 0, OPENED_PIECE, offset)
        return { base64: bytes.toString('base64', 0, bytesRead) }
      }),
  }
}
