/** The service, emulated on this machine: its objects, its hooks, its events, and their deliveries (see `docs/sandbox.md`). */
import { AppError } from '../../shared/contract/errors.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type { Notification, TriggerResult } from '../../shared/model/sending.ts'
import type { Clock, Ids, Log } from '../deps.ts'
import { createSender } from '../dispatch/sender.ts'
import { trustedAuthorities } from '../dispatch/trusted-authorities.ts'
import { createDeliveries, toNotification } from './deliveries.ts'
import { loadObjects } from './objects.ts'
import { ensureProgram } from './programs.ts'
import type { HookRecord } from './records.ts'
import type { SandboxStorage } from './storage.ts'
import { createTrigger, type TriggerInput } from './trigger.ts'
import { ACCOUNT_ID } from './world.ts'

/** A mode of the one account, under the name of the environment that stands for it, with its pair of keys (section 5.1). */
export interface SandboxAccount {
  readonly environment: string
  readonly mode: Mode
  readonly publicKey: string
  readonly secretKey: string
}

export interface SandboxDeps {
  readonly clock: Clock
  readonly ids: Ids
  randomBytes(count: number): Uint8Array
  readonly log: Log
  readonly tls: {
    /** The present certificate of this machine and its key, as PEM; asked again when it has been renewed. */
    certificate(): { key: string; cert: string }
    /** The authority that signed it: the sandbox trusts it for the URLs of hooks, beside those of the system. */
    readonly caPem: string
  }
  readonly host: string
  readonly port: number
  /** The word in its header names. */
  readonly prefix: string
  readonly accounts: readonly SandboxAccount[]
  readonly storage: SandboxStorage
  /** Base URL of the receiver, for the advice on how to make a hook. */
  readonly receiverUrl?: () => string | null
  /** Of one attempt, in milliseconds; by default the 20 s of section 6.4. */
  readonly acknowledgeTimeoutMs?: number
}

/** A hook made elsewhere, with the secret that its deliveries are signed with. */
export interface HookRegistration {
  readonly id?: string
  readonly event: string
  readonly url: string
  readonly secret: string
  readonly programId?: string | null
  readonly offerId?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly mode: Mode
}

export interface Sandbox {
  /** `https://127.0.0.1:PORT` */
  readonly url: string
  readonly port: number
  /** Makes a hook known with the secret given; one of the same id takes its place. Returns its id. */
  registerHook(hook: HookRegistration): Promise<string>
  /** Forgets a hook and gives up what is pending for it. */
  removeHook(id: string): Promise<void>
  /** Causes an event; resolves when the first attempt of each notification has ended. */
  trigger(input: TriggerInput): Promise<TriggerResult>
  /** Newest first. */
  notifications(): Notification[]
  close(): Promise<void>
}

export async function createSandbox(deps: SandboxDeps): Promise<Sandbox> {
  const objects = await loadObjects(deps.storage, deps.log)
  for (const { mode } of deps.accounts) await ensureProgram(objects, mode, deps.clock.now())
  const sender = createSender({
    authorities: trustedAuthorities([deps.tls.caPem]),
    monotonic: () => deps.clock.monotonic(),
  })
  const deliveries = createDeliveries({
    objects,
    sender,
    clocks: { wall: () => deps.clock.now(), waits: deps.clock },
    prefix: deps.prefix,
    log: deps.log,
    timeoutMs: deps.acknowledgeTimeoutMs,
  })
  const trigger = createTrigger({ ...deps, objects, deliveries })
  deliveries.resume()

  return {
    url: '',
    port: 0,
    async registerHook(hook) {
      const id = hook.id ?? deps.ids.next()
      const now = deps.clock.now()
      if (hook.programId != null) await ensureProgram(objects, hook.mode, now, hook.programId)
      const record: HookRecord = {
        id,
        accountId: ACCOUNT_ID,
        event: hook.event,
        url: hook.url,
        programId: hook.programId ?? null,
        offerId: hook.offerId ?? null,
        headers: { ...hook.headers },
        live: hook.mode === 'live',
        created: new Date(now).toISOString(),
        updated: new Date(now).toISOString(),
      }
      await objects.put('hook', hook.mode, record, hook.secret)
      return id
    },
    async removeHook(id) {
      await objects.remove('hook', id)
      await deliveries.stopHook(id)
    },
    trigger,
    notifications: () => objects.all('notification').map(toNotification).reverse(),
    async close() {
      await deliveries.close()
      await sender.close()
    },
  }
}
