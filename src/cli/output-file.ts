/** The file of `--output`, which is written in pieces and appears only once it is complete. */
import { open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { removeFile } from '../core/base/data-folder.ts'
import { removeLeftovers, temporaryPath } from '../core/base/leftovers.ts'
import { AppError } from '../shared/contract/errors.ts'
import { UsageError } from './context.ts'
import { filled, toggle, type ValuesOf } from './options.ts'
import type { Output } from './print.ts'

export const outputOptions = {
  output: filled('-o, --output <file>', 'write to a new file'),
  force: toggle('with --output: replace an existing file'),
}

/** Readable only by the user, for captured data; or by those that the user's own files are for. */
const modes = { private: 0o600, shared: 0o666 } as const

interface Sink {
  write(text: string): Promise<void>
  /** Completes the file. */
  finish(): Promise<void>
  /** Discards the file. */
  abandon(): Promise<void>
}

/** Throws `UsageError` for `--force` without a file, before the work begins. */
export function checkOutputOptions({ output, force }: ValuesOf<typeof outputOptions>): void {
  if (force && output === undefined) throw new UsageError('--force needs --output.')
}

/** The file, or standard output if none is named. Rejects with `UNSUPPORTED` if the file exists and may not be replaced. */
export async function openOutput(
  { output: file, force }: ValuesOf<typeof outputOptions>,
  standard: Pick<Output, 'bytes'>,
  mode: keyof typeof modes,
): Promise<Sink> {
  if (file === undefined)
    return {
      write: (text) => standard.bytes(Buffer.from(text)),
      finish: () => Promise.resolve(),
      abandon: () => Promise.resolve(),
    }
  const isThere = await stat(file).then(
    () => true,
    () => false,
  )
  if (isThere && !force)
    throw new AppError(
      'UNSUPPORTED',
      `${file} already exists. Choose another file, or replace it with --force.`,
    )
  const folder = dirname(file)
  removeLeftovers(folder)
  const temporary = temporaryPath(folder)
  const handle = await open(temporary, 'wx', modes[mode]).catch((error: unknown) => {
    // The folder isn't writable, so name it: the temporary file's name means nothing to anyone.
    throw Object.assign(error as NodeJS.ErrnoException, { path: folder })
  })
  return {
    async write(text) {
      await handle.writeFile(text)
    },
    async finish() {
      await handle.sync()
      await handle.close()
      await rename(temporary, file)
    },
    async abandon() {
      await handle.close()
      await removeFile(temporary)
    },
  }
}
