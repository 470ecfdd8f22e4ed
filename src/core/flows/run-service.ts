/**
 * The service of a run: its own sandbox with its own objects, hooks and clock. A run doesn't advance the clock that a person works
 * with or meet that person's objects, and concurrent runs don't affect each other.
 */
import type { Mode } from '../../shared/model/delivery.ts'
import { sandboxEnvironment } from '../../shared/model/environment.ts'
import type { SandboxObject, Notification, TriggerResult } from '../../shared/model/sandbox.ts'
import type { Clock, Ids, Log } from '../base/deps.ts'
import type { Environments } from '../hooks/environments.ts'
import type { TlsIdentity } from '../receiver/identity.ts'
import type { CreateObjectInput, UpdateObjectInput } from '../sandbox/sandbox.ts'
import type { HookRegistration } from '../sandbox/api.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import type { SandboxClock } from '../sandbox/clock.ts'
import { memoryStorage, type SandboxStorage } from '../sandbox/records.ts'
import type { TriggerInput } from '../sandbox/trigger.ts'

/** What a run asks of the service. */
export interface FlowService {
  registerHook(hook: HookRegistration): Promise<void>
  trigger(input: TriggerInput, signal: AbortSignal): Promise<TriggerResult>
  make(input: CreateObjectInput): Promise<SandboxObject>
  change(input: UpdateObjectInput): Promise<SandboxObject>
  readonly clock: SandboxClock
  notifications(): readonly Notification[]
  /** When the next clearing or retry is due, by the service's clock in milliseconds; null if nothing is pending. */
  nextDue(): number | null
  /** Whether a request is in progress. */
  isBusy(): boolean
  close(): Promise<void>
}

export interface FlowServiceDeps {
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  randomBytes(count: number): Uint8Array
  readonly identity: Pick<TlsIdentity, 'certificate' | 'caPem'>
  readonly environments: Pick<Environments, 'get'>
}

export interface FlowServiceOptions {
  /** Asked before each attempt at a URL for a signal that ends its wait as if its 20 seconds were over. */
  timeOutOf(url: string): AbortSignal
  /** Called when anything in the service changes. */
  onChanged(): void
}

export type StartFlowService = (options: FlowServiceOptions) => Promise<FlowService>

function watched(storage: SandboxStorage, onChanged: () => void): SandboxStorage {
  return {
    load: () => storage.load(),
    async put(record) {
      await storage.put(record)
      onChanged()
    },
    async delete(kind, id) {
      await storage.delete(kind, id)
      onChanged()
    },
  }
}

export function createFlowServices(deps: FlowServiceDeps): StartFlowService {
  const account = (mode: Mode) => {
    const drawn = Buffer.from(deps.randomBytes(18)).toString('base64url')
    return {
      environment: sandboxEnvironment(mode),
      mode,
      publicKey: `pk_${mode}_${drawn.slice(0, 8)}`,
      secretKey: `sk_${mode}_${drawn}`,
    }
  }
  return async ({ timeOutOf, onChanged }) => {
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
      storage: watched(memoryStorage(), onChanged),
      timeOutOf,
    })
    const { clock, objects } = sandbox
    /** When each pending notification continues; null while it is in progress. */
    const pending = () =>
      sandbox
        .notifications()
        .filter(({ state }) => state === 'pending')
        .map(({ nextAt }) => (nextAt === null ? null : Date.parse(nextAt)))
    const clearings = () => sandbox.clearings().map(({ at }) => Date.parse(at))
    return {
      registerHook: (hook) => sandbox.registerHook(hook),
      trigger: (input, signal) => sandbox.trigger(input, signal),
      make: async (input) => (await objects.create(input)).object,
      change: async (input) => (await objects.update(input)).object,
      clock,
      notifications: () => sandbox.notifications(),
      nextDue() {
        const due = [...clearings(), ...pending().filter((at) => at !== null)].filter(
          (at) => at > clock.now(),
        )
        return due.length === 0 ? null : Math.min(...due)
      },
      isBusy: () =>
        clearings().some((at) => at <= clock.now()) ||
        pending().some((at) => at === null || at <= clock.now()),
      close: () => sandbox.close(),
    }
  }
}
