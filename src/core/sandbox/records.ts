/**
 * What the sandbox knows: its kinds of record with their schemas, held in memory and stored when they change. Records read from
 * storage are validated like any input.
 */
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import { faultSchema, notificationSchema, sendAttemptSchema } from '../../shared/model/sandbox.ts'
import { freeForm } from '../../shared/service/field.ts'
import {
  brandSchema,
  cardSchema,
  locationSchema,
  programSchema,
  transactionSchema,
} from '../../shared/service/resources.ts'
import { listed } from '../../shared/text/counted.ts'
import type { Clock, Ids, Log } from '../base/deps.ts'
import type { Admission } from '../outgoing/admit.ts'
import type { Arrivals } from '../outgoing/own-sends.ts'
import { clockRecordSchema, type SandboxClock } from './clock.ts'

const TIME = 'a UTC time such as 2026-12-31T23:59:59Z'

/** An offer: the spec defines only its id (sections 2.1 and 2.7), so the rest is the sandbox's choice. */
const offerSchema = z.object({
  id: z.string(),
  programId: z.string(),
  name: z.string({ error: 'a string' }),
  live: z.boolean({ error: 'a boolean' }),
  /** Share of the amount paid back to the card holder, and to the service. */
  cashbackRate: z.number({ error: 'a number' }),
  feeRate: z.number({ error: 'a number' }),
  /** The offer period; null: no end. */
  startsAt: z.iso.datetime({ error: TIME }),
  endsAt: z.iso.datetime({ error: `${TIME}, or null` }).nullable(),
  /** The offer's rule: the minimum amount, in units of the currency. */
  minimumAmount: z.number({ error: 'a number' }),
})
export type Offer = z.infer<typeof offerSchema>

/** Metadata that a client stores with an object: transactions include it (section 2.6), the object's own events don't. */
const metadata = { metadata: freeForm().optional() }

/**
 * A payment in its current state, the offer it qualified for, and when it will be cleared, in milliseconds of sandbox time; null if
 * it isn't waiting for that.
 */
const paymentSchema = z.object({
  id: z.string(),
  transaction: transactionSchema,
  offerId: z.string().nullable(),
  clearsAt: z.number().nullable(),
})
export type Payment = z.infer<typeof paymentSchema>

/** The webhook record that the API returns, without its secret. */
const hookRecordSchema = z.object({
  id: z.string(),
  accountId: z.string(),
  event: z.string(),
  url: z.string(),
  programId: z.string().nullable(),
  offerId: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  live: z.boolean(),
  created: z.string(),
  updated: z.string(),
})
export type HookRecord = z.infer<typeof hookRecordSchema>

const notificationRecordSchema = z.object({
  id: z.string(),
  event: z.string(),
  hookId: z.string(),
  url: z.string(),
  /** The payload as the JSON text that is signed and sent. */
  body: z.string(),
  headers: z.record(z.string(), z.string()),
  fault: faultSchema.nullable(),
  attempts: z.array(sendAttemptSchema),
  state: notificationSchema.shape.state,
  reason: notificationSchema.shape.reason.default(null),
  dueAt: z.number().nullable(),
})
export type NotificationRecord = z.infer<typeof notificationRecordSchema>

export const recordSchemas = {
  program: programSchema,
  brand: brandSchema.extend(metadata),
  location: locationSchema.extend(metadata),
  card: cardSchema.extend(metadata),
  offer: offerSchema,
  payment: paymentSchema,
  hook: hookRecordSchema,
  notification: notificationRecordSchema,
  clock: clockRecordSchema,
} as const

export type RecordKind = keyof typeof recordSchemas
export type RecordOf<K extends RecordKind> = z.infer<(typeof recordSchemas)[K]>

export type Objects = Awaited<ReturnType<typeof loadObjects>>

interface Entry<K extends RecordKind> {
  readonly mode: Mode
  readonly data: RecordOf<K>
  readonly secret: string | undefined
}

/**
 * Reads all stored records. One that this version can't read stays in storage, is logged, and isn't used. `onChanged` is called
 * after each change.
 */
export async function loadObjects(
  storage: SandboxStorage,
  log: Pick<Log, 'warn'>,
  onChanged: (kind: RecordKind) => void = () => undefined,
) {
  // Values in the maps were validated by their kind's schema on loading, or by the type of `put`.
  const kinds = Object.fromEntries(Object.keys(recordSchemas).map((kind) => [kind, new Map()])) as {
    readonly [K in RecordKind]: Map<string, Entry<K>>
  }
  const mapOf = <K extends RecordKind>(kind: K): Map<string, Entry<K>> => kinds[kind]
  for (const { kind, id, mode, data, secret } of await storage.load()) {
    const parsed = isKind(kind) ? recordSchemas[kind].safeParse(data) : null
    if (isKind(kind) && parsed?.success === true)
      mapOf(kind).set(id, { mode, data: parsed.data, secret })
    else log.warn("A sandbox record can't be read and is skipped", { kind, id })
  }
  return {
    /** In order of creation. */
    entries: <K extends RecordKind>(kind: K): Entry<K>[] => [...mapOf(kind).values()],
    all: <K extends RecordKind>(kind: K, mode: Mode): RecordOf<K>[] =>
      [...mapOf(kind).values()].flatMap((entry) => (entry.mode === mode ? [entry.data] : [])),
    /** Undefined also for an object of the other mode: test and live are separate (section 1). */
    find<K extends RecordKind>(kind: K, id: string, mode: Mode): RecordOf<K> | undefined {
      const entry = mapOf(kind).get(id)
      return entry?.mode === mode ? entry.data : undefined
    },
    has: (kind: RecordKind, id: string): boolean => kinds[kind].has(id),
    secretOf: (hookId: string): string | undefined => kinds.hook.get(hookId)?.secret,
    /** Without a secret, a known record keeps its own. */
    async put<K extends RecordKind>(kind: K, mode: Mode, data: RecordOf<K>, secret?: string) {
      const { id } = data
      const kept = secret ?? kinds[kind].get(id)?.secret
      const sealed = kept === undefined ? {} : { secret: kept }
      await storage.put({ kind, id, mode, data: { ...data }, ...sealed })
      mapOf(kind).set(id, { mode, data, secret: kept })
      onChanged(kind)
    },
    async remove(kind: RecordKind, id: string) {
      await storage.delete(kind, id)
      kinds[kind].delete(id)
      onChanged(kind)
    },
  }
}

function isKind(kind: string): kind is RecordKind {
  return Object.hasOwn(recordSchemas, kind)
}

/** `kind` and `id` identify a record. `data` is JSON. `secret` is separate, so that it can be encrypted at rest. */
export interface SandboxRecord {
  readonly kind: string
  readonly id: string
  readonly mode: Mode
  readonly data: { readonly [key: string]: unknown }
  readonly secret?: string
}

export type SandboxStorage = ReturnType<typeof memoryStorage>

/** A storage without persistence, for tests. */
export function memoryStorage(records: readonly SandboxRecord[] = []) {
  const kept = new Map(
    records.map((record) => [`${record.kind} ${record.id}`, structuredClone(record)]),
  )
  return {
    load: (): Promise<readonly SandboxRecord[]> =>
      Promise.resolve([...kept.values()].map((record) => structuredClone(record))),
    put(record: SandboxRecord) {
      kept.set(`${record.kind} ${record.id}`, structuredClone(record))
      return Promise.resolve()
    },
    delete(kind: string, id: string) {
      kept.delete(`${kind} ${id}`)
      return Promise.resolve()
    },
  }
}

// What the parts of a sandbox share.

/** One mode of the account, under the name of the environment that represents it, with its pair of keys (section 5.1). */
export interface SandboxAccount {
  readonly environment: string
  readonly mode: Mode
  readonly publicKey: string
  readonly secretKey: string
}

/** Returns the first account by default. */
export function sandboxAccount(
  accounts: readonly SandboxAccount[],
  environment: string | undefined,
): SandboxAccount {
  const account =
    environment === undefined
      ? accounts[0]
      : accounts.find((each) => each.environment === environment)
  if (account !== undefined) return account
  const names = listed(
    accounts.map((each) => each.environment),
    'and',
  )
  throw new AppError(
    'NOT_FOUND',
    `Environment ${environment ?? ''} not found in the sandbox. It has ${names}.`,
  )
}

export interface SandboxDeps {
  readonly clock: Clock
  readonly ids: Ids
  randomBytes(count: number): Uint8Array
  readonly log: Log
  readonly tls: {
    /** This computer's current certificate and key as PEM; requested again after renewal. */
    certificate(): { key: string; cert: string }
    /** The CA certificate that signed it: the sandbox trusts it for hook URLs, in addition to the system's. */
    readonly caPem: string
  }
  /** Another CA certificate that a mode's environment trusts for hook URLs, as PEM. It can change. */
  readonly trustedBy?: (mode: Mode) => string | null
  readonly host: string
  readonly port: number
  prefixOf(mode: Mode): string
  readonly accounts: readonly SandboxAccount[]
  readonly storage: SandboxStorage
  readonly admission: Pick<Admission, 'check' | 'senderForSaved'>
  /** Returns the receiver's own URL for a URL that leads there through a tunnel. */
  readonly directUrl?: (url: string) => string
  readonly onChanged?: (kind: RecordKind) => void
  /** Reports which delivery an attempt became, if given. */
  readonly arrivals?: Pick<Arrivals, 'expect'>
  /** Called before each attempt at a URL; returns what ends its wait early, like the 20-second limit (section 6.4). */
  readonly timeOutOf?: (url: string) => AbortSignal
}

export interface Service extends Omit<SandboxDeps, 'clock'> {
  /** The real clock, for signatures and timeouts. */
  readonly wall: Clock
  readonly clock: SandboxClock
  readonly objects: Objects
}

/** What `countersign` offers to make a mode trust the certificate at a URL. */
export function trustCommand(mode: Mode): string {
  return `countersign environments update sandbox-${mode} --ca FILE${mode === 'live' ? ' --live' : ''}`
}
