/** What the sandbox sent: a notification of one event to one hook, with its attempts (section 6.4). */
import { z } from 'zod'
import { modeSchema } from './delivery.ts'

/** One attempt. `status` is null if there was no response; `error` then says why. */
export const sendAttemptSchema = z.object({
  attempt: z.number().int(),
  at: z.iso.datetime(),
  /** The same moment in sandbox time, which the waits between attempts follow; null if it wasn't recorded. */
  sandboxAt: z.iso.datetime().nullable().default(null),
  status: z.number().int().nullable(),
  ms: z.number(),
  error: z.string().nullable(),
  acknowledged: z.boolean(),
  /** The delivery recorded by this receiver; null if it was sent elsewhere or didn't arrive. */
  deliveryId: z.string().nullable().default(null),
})
export type SendAttempt = z.infer<typeof sendAttemptSchema>

/** `--fault`: how the sandbox deliberately departs from the spec. */
export const faultSchema = z.enum([
  'duplicate',
  'out-of-order',
  'late',
  'wrong-secret',
  'single-pass',
  'stale',
  'altered-body',
])
export type Fault = z.infer<typeof faultSchema>

/** Faults that only an attacker would cause: the signature doesn't match. A stale delivery is the service's own. */
export function isForgery(fault: Fault): boolean {
  return fault === 'wrong-secret' || fault === 'single-pass' || fault === 'altered-body'
}

export const notificationSchema = z.object({
  id: z.string(),
  event: z.string(),
  mode: modeSchema,
  hookId: z.string(),
  url: z.string(),
  attempts: z.array(sendAttemptSchema),
  /** `pending` if another attempt is due. */
  state: z.enum(['pending', 'acknowledged', 'failed']),
  /** When the next attempt is due, in sandbox time; null if there is none or the first is in progress. */
  nextAt: z.iso.datetime().nullable(),
  fault: faultSchema.nullable(),
})
export type Notification = z.infer<typeof notificationSchema>

export const triggerResultSchema = z.object({
  event: z.string(),
  environment: z.string(),
  /** Ids of the event's objects by kind: `{ transaction, card, location, … }`. */
  objects: z.record(z.string(), z.string()),
  /** The notifications, each with its attempts so far. */
  deliveries: z.array(notificationSchema),
  /** Other programs with hooks for the event, if no program was named. */
  otherPrograms: z.array(z.object({ id: z.string(), name: z.string() })).default([]),
})
export type TriggerResult = z.infer<typeof triggerResultSchema>
