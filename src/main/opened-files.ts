/** Files that the user opened. The page gets a handle, and can't name a path. */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { AppError } from '../shared/contract/errors.ts'
import { type OpenedFile, FILE_CHUNK_BYTES } from '../shared/contract/native.ts'
import { fileKindRules } from './file-kinds.ts'
import type { OpenableFile } from './open-requests.ts'

/** Number of opened files that stay readable; older handles expire. */
const MOST_FILES = 16
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'It was moved or deleted.',
  EACCES: "You don't have permission to read it.",
  EPERM: "You don't have permission to read it.",
  EISDIR: 'It is a folder.',
}

/** Opens without blocking, because a pipe would wait for a writer. */
async function withFile<T>(
  { path, kind }: OpenableFile,
  task: (facts: Pick<OpenedFile, 'size' | 'changedAt'>, file: FileHandle) => T | Promise<T>,
): Promise<T> {
  const refuse = (reason: string) =>
    new AppError('INVALID_INPUT', `Couldn't open ${basename(path)}. ${reason}`)
  // Windows has no O_NONBLOCK.
  const flags = constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0)
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    throw refuse(reasons[error.code ?? ''] ?? "It can't be read.")
  })
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw refuse("It isn't a regular file.")
    if (stats.size > fileKindRules[kind].largest) throw refuse(fileKindRules[kind].reason)
    return await task({ size: stats.size, changedAt: stats.mtimeMs }, file)
  } finally {
    await file.close()
  }
}

export function createOpenedFiles() {
  const files = new Map<string, OpenableFile>()
  const fileOf = (handle: string): OpenableFile => {
    const openedFile = files.get(handle)
    if (openedFile === undefined)
      throw new AppError('NOT_FOUND', 'The file is no longer open. Open it again.')
    return openedFile
  }
  return {
    /** Adds a file. Rejects with a sentence for the user if it can't be read. */
    add: (file: OpenableFile): Promise<OpenedFile> =>
      withFile(file, (facts) => {
        const handle = randomUUID()
        files.set(handle, file)
        for (const oldest of [...files.keys()].slice(0, -MOST_FILES)) files.delete(oldest)
        return { handle, kind: file.kind, name: basename(file.path), ...facts }
      }),
    stat: async (handle: string) => withFile(fileOf(handle), (facts) => facts),
    /** Reads as many bytes as fit into one message. */
    read: async (handle: string, offset: number) =>
      withFile(fileOf(handle), async (_facts, file) => {
        const bytes = Buffer.alloc(FILE_CHUNK_BYTES)
        const { bytesRead } = await file.read(bytes, 0, FILE_CHUNK_BYTES, offset)
        return { base64: bytes.toString('base64', 0, bytesRead) }
      }),
  }
}
