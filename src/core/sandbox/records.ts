/** Holds the sandbox's records in memory, validated, and stores changes. */
import { z } from 'zod'
import type { Mode } from '../../shared/model/delivery.ts'
import {
  faultSchema,
  notificationSchema,
  sendAttemptSchema,
} from '../../shared/model/notification.ts'
import { freeForm } from '../../shared/service/field.ts'
import {
  brandSchema,
  cardSchema,
  locationSchema,
  programSchema,
  transactionSchema,
} from '../../shared/service/resources.ts'
import type { Log } from '../base/deps.ts'
import { clockRecordSchema } from './clock.ts'

const TIME = 'a UTC time such as 2026-12-31T23:59:59Z'

/** Offer; the interface defines only its id (sections 2.1 and 2.7). */
const offerSchema = z.object({
  id: z.string(),
  programId: z.string(),
  name: z.string({ error: 'a string' }),
  live: z.boolean({ error: 'a boolean' }),
  /** Share of the amount that the card holder gets back; `feeRate` is the service's. */
  cashbackRate: z.number({ error: 'a number' }),
  feeRate: z.number({ error: 'a number' }),
  /** Period of the offer, without end if `endsAt` is null. */
  startsAt: z.iso.datetime({ error: TIME }),
  endsAt: z.iso.datetime({ error: `${TIME}, or null` }).nullable(),
  /** Minimum amount to qualify, in units of the currency. */
  minimumAmount: z.number({ error: 'a number' }),
})
export type Offer = z.infer<typeof offerSchema>

/** Client's metadata, which only transactions include (section 2.6). */
const metadata = { metadata: freeForm().optional() }

/** Payment. `clearsAt`: sandbox time of clearing in ms; null if none is scheduled. */
const paymentSchema = z.object({
  id: z.string(),
  transaction: transactionSchema,
  offerId: z.string().nullable(),
  clearsAt: z.number().nullable(),
})
export type Payment = z.infer<typeof paymentSchema>

/** Webhook record that the API returns, without its secret. */
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
  /** JSON text that is signed and sent. */
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

export type SandboxRecords = Awaited<ReturnType<typeof loadRecords>>

interface Entry<K extends RecordKind> {
  readonly mode: Mode
  readonly data: RecordOf<K>
  readonly secret: string | undefined
}

/** Reads all stored records; unreadable ones stay in storage and are logged. */
export async function loadRecords(
  storage: SandboxStorage,
  log: Pick<Log, 'warn'>,
  onChanged: (kind: RecordKind) => void = () => undefined,
) {
  // The kinds' schemas or the type of `put` have validated the values.
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
    entries: <K extends RecordKind>(kind: K): Entry<K>[] => [...mapOf(kind).values()],
    all: <K extends RecordKind>(kind: K, mode: Mode): RecordOf<K>[] =>
      [...mapOf(kind).values()].flatMap((entry) => (entry.mode === mode ? [entry.data] : [])),
    /** Returns the record, unless it has the other mode (section 1). */
    find<K extends RecordKind>(kind: K, id: string, mode: Mode): RecordOf<K> | undefined {
      const entry = mapOf(kind).get(id)
      return entry?.mode === mode ? entry.data : undefined
    },
    has: (kind: RecordKind, id: string): boolean => kinds[kind].has(id),
    secretOf: (hookId: string): string | undefined => kinds.hook.get(hookId)?.secret,
    /** Stores a record; without `secret` it keeps its own. */
    async put<K extends RecordKind>(kind: K, mode: Mode, data: RecordOf<K>, secret?: string) {
      const { id } = data
      const keptSecret = secret ?? kinds[kind].get(id)?.secret
      const sealed = keptSecret === undefined ? {} : { secret: keptSecret }
      await storage.put({ kind, id, mode, data: { ...data }, ...sealed })
      mapOf(kind).set(id, { mode, data, secret: keptSecret })
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

/** Stored record; the secret is separate, to be encrypted at rest. */
export interface SandboxRecord {
  readonly kind: string
  readonly id: string
  readonly mode: Mode
  readonly data: { readonly [key: string]: unknown }
  readonly secret?: string
}

export type SandboxStorage = ReturnType<typeof memoryStorage>

export function memoryStorage(records: readonly SandboxRecord[] = []) {
  const recordsByKey = new Map(
    records.map((record) => [`${record.kind} ${record.id}`, structuredClone(record)]),
  )
  return {
    load: (): Promise<readonly SandboxRecord[]> =>
      Promise.resolve([...recordsByKey.values()].map((record) => structuredClone(record))),
    put(record: SandboxRecord) {
      recordsByKey.set(`${record.kind} ${record.id}`, structuredClone(record))
      return Promise.resolve()
    },
    delete(kind: string, id: string) {
      recordsByKey.delete(`${kind} ${id}`)
      return Promise.resolve()
    },
  }
}
