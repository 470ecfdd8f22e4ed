/** Starts and stops what `serve` runs: the core, and the app in the browser. */
import { createCore } from '../core/app/app.ts'
import { privateFolder } from '../core/base/private-folder.ts'
import type { Core } from '../core/app/core.ts'
import type { BindAddress } from '../loopback/bind-address.ts'
import { loadBundle, type Bundle } from '../loopback/bundle.ts'
import {
  createLoopbackHost,
  type LoopbackHost,
  type LoopbackHostOptions,
} from '../loopback/loopback-host.ts'
import { createNodeDeps } from '../loopback/node-deps.ts'
import { openSessionFile } from '../loopback/session-file.ts'
import { AppError } from '../shared/contract/errors.ts'
import type { AppStatus } from '../shared/model/status.ts'
import { removeRedirect } from './open-browser.ts'
import { omitUndefined } from './options/input.ts'
import type { CommandContext } from './context.ts'

export interface ServeOptions {
  readonly dataFolder: string
  readonly isTemporary: boolean
  /** Setup file that names the data folder. */
  readonly setupFile: string | null
  readonly bind: BindAddress
  readonly uiPort: number | undefined
  readonly receiverPort: number | undefined
  readonly receiverHttpPort: number | undefined
  readonly sandboxPort: number | undefined
  readonly allowedHosts: readonly string[]
}

export interface Served {
  readonly host: LoopbackHost
  readonly status: AppStatus
  close(): Promise<void>
}

/** Lifetime of a link that is used immediately, in milliseconds. */
export const ADDRESS_LIFETIME_MS = 60_000

async function loadApp(context: Pick<CommandContext, 'build'>): Promise<Bundle> {
  try {
    return await loadBundle(context.build)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError(
      'INTERNAL',
      `Couldn't load the app (${reason}). Rebuild it with "npm run build".`,
    )
  }
}

/**
 * Listens on the requested port. For 0, reuses the previous free port, so that addresses stay the
 * same.
 */
async function startHost(
  core: Core,
  requested: number | undefined,
  options: Omit<LoopbackHostOptions, 'port' | 'core'>,
): Promise<LoopbackHost> {
  const port = (await core.ports.choose('ui', requested)) ?? 0
  const start = (at: number) => createLoopbackHost({ ...options, core, port: at })
  if (requested !== 0) return start(port)
  const host = await start(port).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'PORT_IN_USE' && port !== 0) return start(0)
    throw error
  })
  await core.ports.remember('ui', host.port)
  return host
}

/** Starts everything; on failure, closes everything and rejects with an `AppError`. */
export async function startCoreAndHost(
  context: Pick<CommandContext, 'build' | 'env' | 'version'>,
  options: ServeOptions,
): Promise<Served> {
  const bundle = await loadApp(context)
  const { dataFolder, bind, uiPort, receiverPort, receiverHttpPort, sandboxPort, allowedHosts } =
    options
  const deps = createNodeDeps({
    version: context.version,
    host: 'loopback',
    dataFolder,
    workers: context.build,
    withoutKeyring: options.isTemporary,
  })
  let host: LoopbackHost | null = null
  const core = await createCore(deps, {
    serve: {
      host: bind.address,
      ...omitUndefined({ receiverPort, receiverHttpPort, sandboxPort }),
    },
    ...(options.setupFile === null ? {} : { setupFile: options.setupFile }),
    browsers() {
      if (host === null)
        throw new AppError('NOT_RUNNING', 'The app is still starting. Try again in a moment.')
      const running = host
      return {
        openUrl: () => running.issueAddress(ADDRESS_LIFETIME_MS),
        signOut: (kept) => running.signOut(kept),
      }
    },
  })
  try {
    const { monotonic } = deps.clock
    const { caFile } = await core.status()
    const folder = options.isTemporary ? null : privateFolder('browsers', { env: context.env })
    host = await startHost(core, uiPort, {
      bundle,
      bind,
      allowedHosts,
      monotonic,
      randomBytes: (count) => deps.randomBytes(count),
      onOpened: (token) => void removeRedirect(dataFolder, token),
      ...(folder !== null && { store: await openSessionFile(folder, dataFolder, caFile) }),
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
