/** A core that a window can use before it is open; commands reject if opening fails. */
import { commands } from '../../shared/contract/contract.ts'
import type { AppError } from '../../shared/contract/errors.ts'
import { type NativeHandlers, type Handlers, RpcRouter } from '../../shared/rpc/router.ts'
import type { Transport } from '../../shared/rpc/transport.ts'
import type { Core } from './core.ts'

export interface LateCoreOptions {
  readonly native: NativeHandlers
  /** Returns the error of every command; called once. */
  onFailed(error: unknown): AppError
  /** Logs a bug and returns the short reference sent in its place. */
  reportBug(error: unknown, command: string): string
}

function createFailedCore(
  error: AppError,
  { native, reportBug }: LateCoreOptions,
): Pick<Core, 'connect'> {
  const rejected = () => Promise.reject(error)
  const handlers = Object.fromEntries(
    Object.keys(commands).map((name) => [name, rejected]),
  ) as unknown as Handlers
  const windowConsent = () => ({ allowHosts: [], live: [] })
  const router = new RpcRouter({ handlers, native, windowConsent, reportBug })
  return { connect: (transport) => router.connect(transport).close }
}

/** Connects a transport to a core that opens later; messages wait until then. */
function connectLater(core: Promise<Pick<Core, 'connect'>>, transport: Transport): () => void {
  const waiting: string[] = []
  let isClosed = false
  let close = transport.onMessage((text) => waiting.push(text))
  void core.then((opened) => {
    if (isClosed) return
    close()
    close = opened.connect({
      ...transport,
      onMessage(listener) {
        const stop = transport.onMessage(listener)
        for (const text of waiting.splice(0)) listener(text)
        return stop
      },
    })
  })
  return () => {
    isClosed = true
    close()
  }
}

/** Creates a core whose messages and closing wait until `opening` settles. */
export function createLateCore(
  opening: Promise<Core>,
  options: LateCoreOptions,
): Pick<Core, 'connect' | 'close'> {
  const opened: Promise<Pick<Core, 'connect'>> = opening.catch((error: unknown) =>
    createFailedCore(options.onFailed(error), options),
  )
  let current: Pick<Core, 'connect'> | null = null
  void opened.then((core) => {
    current = core
  })
  return {
    // Once open, connects directly, in the same turn.
    connect: (transport) => current?.connect(transport) ?? connectLater(opened, transport),
    async close() {
      const core = await opening.catch(() => null)
      await core?.close()
    },
  }
}
