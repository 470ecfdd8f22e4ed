/**
 * Files that options of commands name: written in pieces, and in place only once they are complete.
 * A link is replaced, not followed; devices and pipes are written directly.
 */
import { lstat, open, rename, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { removeFile } from '../core/base/data-folder.ts'
import { removeLeftovers, temporaryPath } from '../core/base/leftovers.ts'
import { AppError } from '../shared/contract/errors.ts'
import { aboutFile, UsageError } from './context.ts'
import { filled, toggle, type ValuesOf } from './options.ts'
import type { Output } from './print.ts'

export const outputOptions = {
  output: filled('-o, --output <file>', 'write to a new file'),
  force: toggle('with --output: replace an existing file'),
}

/** Readable only by the user, for captured data; or by those that the user's own files are for. */
const modes = { private: 0o600, shared: 0o666 } as const
type Mode = keyof typeof modes

interface Sink {
  write(text: string | Uint8Array): Promise<void>
  finish(): Promise<void>
  abandon(): Promise<void>
}

/** Throws `UsageError` for `--force` without a file, before the work begins. */
export function checkOutputOptions({ output, force }: ValuesOf<typeof outputOptions>): void {
  if (force && output === undefined) throw new UsageError('--force needs --output.')
}

/** Whether a name leads to a device or pipe, as `/dev/stdout` may, which is never replaced. */
export async function isStream(file: string): Promise<boolean> {
  if (/^\/(?:dev\/(?!shm\/)|proc\/)/.test(resolve(file))) return true
  const target = await stat(file).catch(() => null)
  return target !== null && !target.isFile() && !target.isDirectory()
}

/** The file, or standard output if none is named. Rejects with `UNSUPPORTED` if the file exists and may not be replaced. */
export async function openOutput(
  { output: file, force }: ValuesOf<typeof outputOptions>,
  standard: Pick<Output, 'bytes'>,
  mode: Mode,
): Promise<Sink> {
  if (file === undefined)
    return {
      write: (text) => standard.bytes(Buffer.from(text)),
      finish: () => Promise.resolve(),
      abandon: () => Promise.resolve(),
    }
  const present = await lstat(file).catch(() => null)
  if (present !== null && !force && !(await isStream(file)))
    throw new AppError(
      'UNSUPPORTED',
      `${file} already exists. Choose another file, or replace it with --force.`,
    )
  return openFile(file, mode)
}

async function openFile(file: string, mode: Mode): Promise<Sink> {
  const isReplaced = !(await isStream(file))
  const folder = dirname(file)
  if (isReplaced) removeLeftovers(folder)
  const temporary = temporaryPath(folder)
  const handle = await (isReplaced ? open(temporary, 'wx', modes[mode]) : open(file, 'a')).catch(
    (error: unknown) => {
      // The folder isn't writable, so name it: the temporary file's name means nothing to anyone.
      throw Object.assign(error as NodeJS.ErrnoException, { path: folder })
    },
  )
  return {
    async write(text) {
      await handle.writeFile(text).catch((error: unknown) => {
        throw aboutFile(error, file)
      })
    },
    async finish() {
      if (isReplaced) await handle.sync()
      await handle.close()
      if (isReplaced) await rename(temporary, file)
    },
    async abandon() {
      await handle.close()
      if (isReplaced) await removeFile(temporary)
    },
  }
}

/** Writes a whole file; if that fails, an existing one stays. */
export async function writeOutput(
  file: string,
  contents: string | Uint8Array,
  mode: Mode,
): Promise<void> {
  const sink = await openFile(file, mode)
  try {
    await sink.write(contents)
    await sink.finish()
  } catch (error) {
    await sink.abandon()
    throw error
  }
}
