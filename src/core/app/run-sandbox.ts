/** Runs the sandbox beside the receiver, with its data from the data folder. */
import type { OutputOf, PayloadOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import {
  isSandboxEnvironment,
  sandboxEnvironment,
  SANDBOX_TEST,
} from '../../shared/model/environment.ts'
import type { Hook } from '../../shared/model/hook.ts'
import type { ReceiverStatus } from '../../shared/model/status.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Deps, Log } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import type { Admission } from '../outgoing/admit.ts'
import type { Arrivals } from '../outgoing/own-sends.ts'
import type { Environments } from '../hooks/environments.ts'
import type { TlsIdentity } from '../receiver/identity.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { connectionOf } from '../service-api/connection.ts'
import type { Store } from '../store/store.ts'
import type { Vault } from '../hooks/vault.ts'
import { pathOfUrl } from '../hooks/hook-paths.ts'
import { isUnder } from '../../shared/service/hook-rules.ts'
import type { RecordKind, SandboxStorage, SandboxRecord } from '../sandbox/records.ts'
import { openHeaders, sealHeaders, type HookHeaders } from '../hooks/hook-record.ts'
import { throttle } from '../base/throttle.ts'
import type { Ports } from '../settings/ports.ts'
import type { CoreOptions } from './core.ts'

interface SandboxDeps extends Pick<Deps, 'clock' | 'ids' | 'log' | 'randomBytes'> {
  readonly serve: NonNullable<CoreOptions['serve']>
  readonly hub: Pick<EventHub, 'emit' | 'on'>
  readonly store: Store
  readonly vault: Vault
  readonly environments: Environments
  readonly hooks: Hooks
  readonly ports: Ports
  readonly identity: TlsIdentity
  readonly arrivals: Pick<Arrivals, 'expect'>
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

/** Starts the sandbox and adds hooks that were imported while it was stopped. */
export async function startSandbox(deps: SandboxDeps) {
  const { arrivals, clock, environments, hooks, hub, identity, ids, log, ports, serve } = deps
  const randomBytes = (count: number) => deps.randomBytes(count)
  const { host, sandboxPort, whenPortBusy } = serve
  const chosenPort = (await ports.choose('sandbox', sandboxPort)) ?? 0
  const accounts = await accountsOf(environments)
  const changes = createSandboxChanges((parts) => hub.emit('sandbox.changed', { parts }))
  const start = (port: number) =>
    createSandbox({
      clock,
      ids,
      log,
      randomBytes,
      tls: { certificate: identity.certificate, caPem: identity.caPem },
      trustedBy: (mode) => connectionOf(environments.get(sandboxEnvironment(mode))).caPem,
      host,
      port,
      prefixOf: (mode) => environments.get(sandboxEnvironment(mode)).prefix,
      accounts,
      arrivals,
      storage: createSandboxStorage(deps.store, deps.vault, log),
      admission: deps.admission,
      directUrl(hookUrl) {
        const { url, publicUrl } = deps.receiver()
        const isOwn = url !== null && isUnder(hookUrl, publicUrl ?? '')
        return isOwn ? url + pathOfUrl(hookUrl) : hookUrl
      },
      onChanged: changes.note,
    })
  let sandbox
  try {
    sandbox = await start(chosenPort)
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
    sandbox = await start(0)
  }
  const { url, registerHook } = sandbox
  if (sandboxPort === 0) await ports.remember('sandbox', sandbox.port)
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
  hub.on('hook.imported', ({ hook, secret, waitFor }) => waitFor(registerHook({ ...hook, secret })))
  hub.emit('sandbox.started', { url })

  async function sampleHook(receiverUrl: string): Promise<{ hook: Hook; hookMade: boolean }> {
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
      secret: `whsec_${Buffer.from(randomBytes(24)).toString('base64url')}`,
      environment: SANDBOX_TEST,
    })
    return { hook, hookMade: true }
  }

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
      const made = await sampleHook(receiverUrl)
      const input = { event: SAMPLE_EVENT, environment: SANDBOX_TEST }
      return { ...made, result: await sandbox.trigger(input, signal) }
    },
  }
}

type Part = PayloadOf<'sandbox.changed'>['parts'][number]

/** Parts to report by kind of record; hooks are reported by `hooks.changed`. */
const partsOfKind: Readonly<Record<RecordKind, readonly Part[]>> = {
  program: ['objects'],
  brand: ['objects'],
  location: ['objects'],
  card: ['objects'],
  offer: ['objects'],
  payment: ['objects', 'clearings'],
  hook: [],
  notification: ['notifications'],
  clock: ['clock'],
}

/** Creates the report of changes, one for each burst. */
export function createSandboxChanges(report: (parts: Part[]) => void) {
  let parts = new Set<Part>()
  const changed = throttle(
    () => {
      const reported = [...parts]
      parts = new Set()
      report(reported)
    },
    { first: 'later' },
  )

  return {
    note(kind: RecordKind) {
      for (const part of partsOfKind[kind]) {
        parts.add(part)
        changed()
      }
    },
    close: changed.stop,
  }
}

/** Creates the storage of sandbox objects, whose secrets and header values are sealed. */
function createSandboxStorage(
  store: Pick<Store, 'read' | 'write'>,
  vault: Vault,
  log: Log,
): SandboxStorage {
  return {
    async load() {
      const records: SandboxRecord[] = []
      for (const { kind, id, mode, data: text, secret, headers } of await store.read(
        'sandboxObjects',
        null,
      )) {
        try {
          const opened = secret === null ? {} : { secret: await vault.open(secret) }
          const data = JSON.parse(text) as SandboxRecord['data']
          const withHeaders =
            headers === null ? data : { ...data, headers: await openHeaders(vault, headers) }
          records.push({ kind, id, mode, data: withHeaders, ...opened })
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          // Skips a hook that only another host can decrypt, so that the sandbox can start.
          log.warn("A sandbox object is skipped: this host can't open its secret.", {
            kind,
            id,
            reason: error.message,
          })
        }
      }
      return records
    },
    async put({ kind, id, mode, data, secret }) {
      const headers = hasHeaders(data) ? await sealHeaders(vault, data.headers) : null
      await store.write('putSandboxObject', {
        kind,
        id,
        mode,
        data: JSON.stringify(headers === null ? data : { ...data, headers: {} }),
        secret: secret === undefined ? null : await vault.seal(secret),
        headers,
      })
    },
    async delete(kind, id) {
      await store.write('deleteSandboxObject', { kind, id })
    },
  }
}

function hasHeaders(data: object): data is { readonly headers: HookHeaders } {
  return 'headers' in data && typeof data.headers === 'object' && data.headers !== null
}
