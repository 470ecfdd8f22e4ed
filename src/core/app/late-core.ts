/** A core that a window can use before it is open, so that the window shows at once that Countersign starts, or why it can't. */
import { commands } from '../../shared/contract/contract.ts'
import type { AppError } from '../../shared/contract/errors.ts'
import { createRouter, type Handlers, type NativeHandlers } from '../../shared/rpc/router.ts'
import type { Core } from './core.ts'
import { createLine, type CoreLine } from './line.ts'

export interface LateCoreOptions {
  /** Functions of the desktop host, which work without a core. */
  readonly native: NativeHandlers
  /** Turns the reason into the error that every command is rejected with. Called once. */
  onFailed(error: unknown): AppError
  /** Logs a bug and returns the short reference sent in its place. */
  reportBug(error: unknown, command: string): string
}

/** Rejects every command with `error`, except native ones. */
function createFailedCore(
  error: AppError,
  { native, reportBug }: LateCoreOptions,
): Pick<Core, 'connect'> {
  const rejected = () => Promise.reject(error)
  const handlers = Object.fromEntries(
    Object.keys(commands).map((name) => [name, rejected]),
  ) as unknown as Handlers
  const router = createRouter({ handlers, native, reportBug })
  return { connect: (transport) => router.connect(transport).close }
}

/** Messages wait until `opening` settles. Closing waits too, and closes the core if there is one. */
export function createLateCore(
  opening: Promise<Core>,
  options: LateCoreOptions,
): Pick<Core, 'connect' | 'close'> {
  const lines = new Set<CoreLine>()
  let current: Pick<Core, 'connect'> | null = null
  const opened = opening.catch((error: unknown) =>
    createFailedCore(options.onFailed(error), options),
  )
  void opened.then((core) => {
    current = core
    for (const line of lines) line.connect(core)
  })
  return {
    connect(transport) {
      const line = createLine(transport)
      lines.add(line)
      if (current !== null) line.connect(current)
      return () => {
        lines.delete(line)
        line.close()
      }
    },
    async close() {
      const core = await opening.catch(() => null)
      await core?.close()
    },
  }
}
