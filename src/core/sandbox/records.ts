/** The sandbox's kinds of record and their schemas: records read from storage are validated like any input. */
import { z } from 'zod'
import { faultSchema, sendAttemptSchema } from '../../shared/model/sandbox.ts'
import {
  brandSchema,
  locationSchema,
  cardSchema,
  programSchema,
} from '../../shared/service/resources.ts'
import { freeForm } from '../../shared/service/field.ts'
import { transactionSchema } from '../../shared/service/transaction.ts'

const TIME = 'a UTC time such as 2026-12-31T23:59:59Z'

/** An offer: the spec defines only its id (sections 2.1 and 2.7), so the rest is the sandbox's choice. */
export const offerSchema = z.object({
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

/** A payment in its current state, and the offer it qualified for. */
export const paymentSchema = z.object({
  id: z.string(),
  transaction: transactionSchema,
  offerId: z.string().nullable(),
})
export type Payment = z.infer<typeof paymentSchema>

/** The webhook record that the API returns, without its secret. */
export const hookRecordSchema = z.object({
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

export const notificationRecordSchema = z.object({
  id: z.string(),
  event: z.string(),
  hookId: z.string(),
  url: z.string(),
  /** The payload as the JSON text that is signed and sent. */
  body: z.string(),
  headers: z.record(z.string(), z.string()),
  fault: faultSchema.nullable(),
  attempts: z.array(sendAttemptSchema),
  state: z.enum(['pending', 'acknowledged', 'failed']),
  dueAt: z.number().nullable(),
})
export type NotificationRecord = z.infer<typeof notificationRecordSchema>

/** The sandbox time at a wall-clock time (both in milliseconds), and its speed from there. */
export const clockRecordSchema = z.object({
  id: z.string(),
  time: z.number(),
  wall: z.number(),
  speed: z.number().positive(),
  paused: z.boolean(),
})
export type ClockRecord = z.infer<typeof clockRecordSchema>

/** A purchase waiting for its clearing. `id` is the transaction's, `dueAt` in milliseconds of sandbox time. */
export const settlementSchema = z.object({ id: z.string(), dueAt: z.number() })
export type Settlement = z.infer<typeof settlementSchema>

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
  settlement: settlementSchema,
} as const

export type RecordKind = keyof typeof recordSchemas
export type RecordOf<K extends RecordKind> = z.infer<(typeof recordSchemas)[K]>
