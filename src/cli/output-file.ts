/**
 * Writes the files that options name, each complete before it replaces another. A link is replaced,
 * not followed.
 */
import { lstat, open, rename, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { removeLeftovers, temporaryPath } from '../core/base/leftovers.ts'
import { AppError } from '../shared/contract/errors.ts'
import { removeFile } from '../core/base/whole-files.ts'
import { withFilePath, UsageError } from './context.ts'
import { nonBlankOption, flagOption, type ValuesOf } from './options/input.ts'
import type { Output } from './print.ts'

export const outputOptions = {
  output: nonBlankOption('-o, --output <file>', 'write to a new file'),
  force: flagOption('with --output: replace an existing file'),
}

/** File modes for captured data, and for files like the user's own. */
const modes = { private: 0o600, shared: 0o666 } as const
type Mode = keyof typeof modes

interface Sink {
  write(text: string | Uint8Array): Promise<void>
  finish(): Promise<void>
  abandon(): Promise<void>
}

/** Throws `UsageError` for `--force` without a file. */
export function checkOutputOptions({ output, force }: ValuesOf<typeof outputOptions>): void {
  if (force && output === undefined) throw new UsageError('--force needs --output.')
}

/** Whether a name leads to a device or pipe, such as `/dev/stdout`, which is never replaced. */
export async function isStream(file: string): Promise<boolean> {
  if (/^\/(?:dev\/(?!shm\/)|proc\/)/.test(resolve(file))) return true
  const target = await stat(file).catch(() => null)
  return target !== null && !target.isFile() && !target.isDirectory()
}

/**
 * Opens the file, or standard output. Rejects with `UNSUPPORTED` if an existing file may not be
 * replaced.
 */
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
  await refuseExisting(file, force)
  return openFile(file, mode)
}

/** Rejects with `UNSUPPORTED` for an existing file, unless `force` replaces it. */
export async function refuseExisting(file: string, force: boolean): Promise<void> {
  const existing = await lstat(file).catch(() => null)
  if (existing !== null && !force && !(await isStream(file)))
    throw new AppError(
      'UNSUPPORTED',
      `${file} already exists. Choose another file, or replace it with --force.`,
    )
}

async function openFile(file: string, mode: Mode): Promise<Sink> {
  const isReplaced = !(await isStream(file))
  const folder = dirname(file)
  if (isReplaced) removeLeftovers(folder)
  const temporary = temporaryPath(folder)
  const handle = await (isReplaced ? open(temporary, 'wx', modes[mode]) : open(file, 'a')).catch(
    (error: unknown) => {
      // The folder isn't writable; name it, because the temporary file's name means nothing to
      // users.
      throw Object.assign(error as NodeJS.ErrnoException, { path: folder })
    },
  )
  return {
    async write(text) {
      await handle.writeFile(text).catch((error: unknown) => {
        throw withFilePath(error, file)
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
