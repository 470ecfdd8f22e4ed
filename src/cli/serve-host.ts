/** Starts what `serve` runs: the core with its receiver and sandbox, and the app in the browser beside it, ended together. */
import { createRepairableCore } from '../core/app/repairable-core.ts'
import { DEFAULT_PORTS, type Core } from '../core/app/core.ts'
import type { BindAddress } from '../loopback/bind-address.ts'
import { loadBundle, type Bundle } from '../loopback/routes.ts'
import { createLoopbackHost, type LoopbackHost, type LoopbackHostOptions } from '../loopback/loopback-host.ts'
import { createNodeDeps } from '../loopback/node-deps.ts'
import { AppError } from '../shared/contract/errors.ts'
import type { AppStatus } from '../shared/model/status.ts'
import type { CommandContext } from './context.ts'

export interface ServeOptions {
  readonly dataFolder: string
  readonly bind: BindAddress
  readonly uiPort?: number
  readonly receiverPort?: number
  readonly receiverHttpPort?: number
  readonly sandboxPort?: number
  readonly allowedHosts: readonly string[]
}

export interface Served {
  readonly host: LoopbackHost
  readonly status: AppStatus
  close(): Promise<void>
}

/** How long an address lives that was asked for just now, by a person or a program that uses it at once. */
export const ADDRESS_LIFETIME_MS = 60_000

async function loadApp(context: CommandContext): Promise<Bundle> {
  try {
    return await loadBundle(new URL('../renderer/', context.build))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError('INTERNAL', `Couldn't load the app (${reason}). Rebuild it with "npm run build".`)
  }
}

/** Listens on the port asked for; for 0 on the one that a request for 0 got before, so that addresses stay, else on any. */
async function startHost(
  core: Core,
  requested: number | undefined,
  options: Omit<LoopbackHostOptions, 'port' | 'core'>,
): Promise<LoopbackHost> {
  const port = await core.ports.choose('ui', requested, DEFAULT_PORTS.ui)
  const start = (at: number) => createLoopbackHost({ ...options, core, port: at })
  if (requested !== 0) return start(port)
  const host = await start(port).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'PORT_IN_USE' && port !== 0) return start(0)
    throw error
  })
  await core.ports.remember('ui', host.port)
  return host
}

/** Starts everything; rejects with an `AppError`, and leaves nothing open then. */
export async function startServing(context: CommandContext, options: ServeOptions): Promise<Served> {
  const bundle = await loadApp(context)
  const { dataFolder, bind, uiPort, receiverPort, receiverHttpPort, sandboxPort, allowedHosts } = options
  const deps = createNodeDeps({ version: context.version, host: 'loopback', dataFolder, workers: context.build })
  let host: LoopbackHost | null = null
  const core = await createRepairableCore(deps, {
    serve: {
      host: bind.address,
      ...(receiverPort === undefined ? {} : { receiverPort }),
      ...(receiverHttpPort === undefined ? {} : { receiverHttpPort }),
      ...(sandboxPort === undefined ? {} : { sandboxPort }),
    },
    openUrl: () =>
      host === null
        ? Promise.reject(new AppError('NOT_RUNNING', 'The app is still starting. Try again in a moment.'))
        : Promise.resolve(host.issueAddress(ADDRESS_LIFETIME_MS)),
  })
  try {
    const { monotonic } = deps.clock
    host = await startHost(core, uiPort, {
      bundle,
      bind,
      allowedHosts,
      monotonic,
      randomBytes: (count) => deps.randomBytes(count),
    })
    const started = host
    deps.log.info('Serving.', { app: started.port })
    return {
      host: started,
      status: await core.status(),
      async close() {
        await started.close()
        await core.close()
        deps.log.info('Stopped.')
      },
    }
  } catch (error) {
    await host?.close()
    await core.close()
    throw error
  }
}
