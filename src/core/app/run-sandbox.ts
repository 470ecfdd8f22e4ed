/** Runs the sandbox beside the receiver, with its data from the data folder. */
import type { OutputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import {
  isSandboxEnvironment,
  sandboxEnvironment,
  SANDBOX_TEST,
} from '../../shared/model/environment.ts'
import type { Hook } from '../../shared/model/hook.ts'
import type { ReceiverStatus } from '../../shared/model/status.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Deps } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import type { Admission } from '../outgoing/admit.ts'
import type { Arrivals } from '../outgoing/own-sends.ts'
import type { Environments } from '../hooks/environments.ts'
import type { TlsIdentity } from '../receiver/identity.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { connectionOf } from '../service-api/connection.ts'
import type { Store } from '../store/store.ts'
import type { Vault } from '../hooks/vault.ts'
import { pathOfUrl } from '../hooks/hook-paths.ts'
import { isUnder } from '../../shared/service/hook-rules.ts'
import type { RecordKind } from '../sandbox/records.ts'
import type { Ports } from '../settings/ports.ts'
import type { CoreOptions } from './core.ts'
import { createSandboxChanges } from './sandbox-changes.ts'
import { createSandboxStorage } from './sandbox-storage.ts'

interface SandboxDeps extends Pick<Deps, 'clock' | 'ids' | 'log' | 'randomBytes'> {
  readonly serve: NonNullable<CoreOptions['serve']>
  readonly hub: Pick<EventHub, 'emit' | 'on'>
  readonly store: Store
  readonly vault: Vault
  readonly environments: Environments
  readonly hooks: Hooks
  readonly ports: Ports
  readonly identity: TlsIdentity
  readonly arrivals: Pick<Arrivals, 'expectDelivery'>
  readonly admission: Admission
  receiver(): ReceiverStatus
}

const SAMPLE_EVENT = 'transaction.auth'

async function accountsOf(environments: Environments) {
  const own = environments.all().filter(({ name }) => isSandboxEnvironment(name))
  return Promise.all(
    own.map(async (environment) => ({
      environment: environment.name as 'sandbox-test' | 'sandbox-live',
      mode: environment.mode,
      ...(await environments.openSandboxKeys(environment)),
    })),
  )
}

async function prepareSandbox(deps: SandboxDeps, onChanged: (kind: RecordKind) => void) {
  const { admission, arrivals, clock, environments, identity, ids, log, serve } = deps
  const accounts = await accountsOf(environments)
  return (port: number) =>
    createSandbox({
      clock,
      ids,
      log,
      randomBytes: (count) => deps.randomBytes(count),
      tls: { certificate: identity.certificate, caPem: identity.caPem },
      extraCaOf: (mode) => connectionOf(environments.get(sandboxEnvironment(mode))).caPem,
      host: serve.host,
      port,
      prefixOf: (mode) => environments.get(sandboxEnvironment(mode)).prefix,
      accounts,
      arrivals,
      storage: createSandboxStorage(deps.store, deps.vault, log),
      admission,
      directUrl(hookUrl) {
        const { url, publicUrl } = deps.receiver()
        const isOwn = url !== null && publicUrl !== null && isUnder(hookUrl, publicUrl)
        return isOwn ? url + pathOfUrl(hookUrl) : hookUrl
      },
      onChanged,
    })
}

/** Starts the sandbox on its port, or on another one if that is in use and may be replaced. */
async function startOnPort(
  { ports, serve: { sandboxPort, whenPortBusy } }: Pick<SandboxDeps, 'ports' | 'serve'>,
  start: (port: number) => Promise<Sandbox>,
): Promise<Sandbox> {
  const chosenPort = (await ports.choose('sandbox', sandboxPort)) ?? 0
  try {
    return await start(chosenPort)
  } catch (error) {
    // A remembered port may be replaced, and any port if a window must open anyway.
    const mayMove = whenPortBusy === 'show' || sandboxPort === 0
    if (
      !mayMove ||
      chosenPort === 0 ||
      !(error instanceof AppError) ||
      error.code !== 'PORT_IN_USE'
    )
      throw error
    return start(0)
  }
}

/** Registers hooks of the sandbox's environments that it doesn't have yet. */
async function registerImported(
  { hooks }: Pick<SandboxDeps, 'hooks'>,
  { registerHook }: Sandbox,
): Promise<void> {
  for (const hook of hooks.list()) {
    if (
      !isSandboxEnvironment(hook.environment) ||
      hook.status !== 'active' ||
      hook.remoteId !== null ||
      hook.secretHint === null
    )
      continue
    await registerHook({ ...hook, secret: await hooks.reveal(hook.id) })
    await hooks.change(hook.id, { remoteId: hook.id })
  }
}

async function sampleHook(
  deps: Pick<SandboxDeps, 'hooks' | 'randomBytes'>,
  receiverUrl: string,
): Promise<{ hook: Hook; hookMade: boolean }> {
  const { hooks } = deps
  const existing = hooks
    .list(SANDBOX_TEST)
    .find(
      (hook) =>
        hook.event === SAMPLE_EVENT &&
        hook.status === 'active' &&
        hook.url.startsWith(`${receiverUrl}/`),
    )
  if (existing !== undefined) return { hook: existing, hookMade: false }
  const hook = await hooks.import({
    event: SAMPLE_EVENT,
    url: `${receiverUrl}/h/sample`,
    secret: `whsec_${Buffer.from(deps.randomBytes(24)).toString('base64url')}`,
    environment: SANDBOX_TEST,
  })
  return { hook, hookMade: true }
}

/** Starts the sandbox and adds hooks that were imported while it was stopped. */
export async function startSandbox(deps: SandboxDeps) {
  const { hub, ports, serve } = deps
  const changes = createSandboxChanges((parts) => hub.emit('sandbox.changed', { parts }))
  const sandbox = await startOnPort(deps, await prepareSandbox(deps, changes.note))
  const { registerHook, removeHook, url } = sandbox
  if (serve.sandboxPort === 0) await ports.remember('sandbox', sandbox.port)
  await registerImported(deps, sandbox)
  hub.on('hook.imported', ({ hook, secret, waitFor }) => waitFor(registerHook({ ...hook, secret })))
  // An imported hook has the same ID there.
  hub.on('hooks.removed', ({ id }) => {
    removeHook(id).catch((error: unknown) => deps.log.bug(error, 'removing a hook of the sandbox'))
  })
  hub.emit('sandbox.started', { url })
  return {
    ...sandbox,
    async close() {
      await sandbox.close()
      changes.close()
    },
    /**
     * Sends a valid delivery to this receiver. Rejects with `NOT_RUNNING` if it isn't listening.
     */
    async sample(signal: AbortSignal): Promise<OutputOf<'sandbox.sample'>> {
      const receiverUrl = deps.receiver().url
      if (receiverUrl === null) {
        throw new AppError(
          'NOT_RUNNING',
          "The receiver isn't listening, so a sample can't arrive. Choose another port for it, then start again.",
        )
      }
      const hook = await sampleHook(deps, receiverUrl)
      const input = { event: SAMPLE_EVENT, environment: SANDBOX_TEST }
      return { ...hook, result: await sandbox.trigger(input, signal) }
    },
  }
}
