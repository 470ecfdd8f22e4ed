/** Starts the sandbox of a run, with its own objects, hooks and clock. */
import type { Mode } from '../../shared/model/delivery.ts'
import { sandboxEnvironment } from '../../shared/model/environment.ts'
import type { SandboxObject } from '../../shared/model/sandbox.ts'
import type { Clock, Ids, Log } from '../base/deps.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Admission } from '../outgoing/admit.ts'
import type { TlsIdentity } from '../receiver/identity.ts'
import { memoryStorage } from '../sandbox/records.ts'
import type { CreateObjectInput, UpdateObjectInput } from '../sandbox/sandbox-objects.ts'

interface FlowServiceDeps {
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  randomBytes(count: number): Uint8Array
  readonly identity: Pick<TlsIdentity, 'certificate' | 'caPem'>
  readonly environments: Pick<Environments, 'get'>
  readonly admission: Admission
}

export type StartFlowService = ReturnType<typeof createFlowServices>

export type FlowService = Awaited<ReturnType<StartFlowService>>

export function createFlowServices(deps: FlowServiceDeps) {
  const account = (mode: Mode) => {
    const random = Buffer.from(deps.randomBytes(18)).toString('base64url')
    return {
      environment: sandboxEnvironment(mode),
      mode,
      publicKey: `pk_${mode}_${random.slice(0, 8)}`,
      secretKey: `sk_${mode}_${random}`,
    }
  }
  /**
   * Starts a service. `timeOutOf` returns the signal that ends the next attempt's wait; `onChanged`
   * is called on any change.
   */
  return async (timeOutOf: (url: string) => AbortSignal, onChanged: () => void) => {
    // Commands that only list flows start faster without the server.
    const { createSandbox } = await import('../sandbox/sandbox.ts')
    const sandbox = await createSandbox({
      clock: deps.clock,
      ids: deps.ids,
      log: deps.log,
      randomBytes: (count) => deps.randomBytes(count),
      tls: { certificate: () => deps.identity.certificate(), caPem: deps.identity.caPem },
      host: '127.0.0.1',
      port: 0,
      prefixOf: (mode) => deps.environments.get(sandboxEnvironment(mode)).prefix,
      accounts: [account('test'), account('live')],
      storage: memoryStorage(),
      admission: deps.admission,
      onChanged,
      timeOutOf,
    })
    const { clock, objects } = sandbox
    /** Returns when each pending notification continues; null while it is in progress. */
    const pending = () =>
      sandbox
        .notifications()
        .filter(({ state }) => state === 'pending')
        .map(({ nextAt }) => (nextAt === null ? null : Date.parse(nextAt)))
    const clearings = () => sandbox.clearings().map(({ at }) => Date.parse(at))
    return {
      registerHook: sandbox.registerHook,
      trigger: sandbox.trigger,
      make: async (input: CreateObjectInput): Promise<SandboxObject> =>
        (await objects.create(input)).object,
      change: async (input: UpdateObjectInput): Promise<SandboxObject> =>
        (await objects.update(input)).object,
      clock,
      notifications: sandbox.notifications,
      /** Returns when the next clearing or retry is due (sandbox milliseconds), if any. */
      nextDue() {
        const due = [...clearings(), ...pending().filter((at) => at !== null)].filter(
          (at) => at > clock.now(),
        )
        return due.length === 0 ? null : Math.min(...due)
      },
      isBusy: () =>
        clearings().some((at) => at <= clock.now()) ||
        pending().some((at) => at === null || at <= clock.now()),
      close: sandbox.close,
    }
  }
}
