/** What the sandbox sent: a notification of one event to one hook, and its attempts (section 6.4). */
import { z } from 'zod'
import { modeSchema } from './delivery.ts'

/** One attempt at sending. `status` null: no answer came; `error` then says why. */
export const sendAttemptSchema = z.object({
  attempt: z.number().int(),
  at: z.iso.datetime(),
  /** The same moment by the clock that the waits between attempts follow; null where that was not kept. */
  sandboxAt: z.iso.datetime().nullable().default(null),
  status: z.number().int().nullable(),
  ms: z.number(),
  error: z.string().nullable(),
  acknowledged: z.boolean(),
  /** The delivery that the receiver of this program made of it; null where it went elsewhere, or did not arrive. */
  deliveryId: z.string().nullable().default(null),
})
export type SendAttempt = z.infer<typeof sendAttemptSchema>

/** `--fault`: how the sandbox departs from what the interface promises, on purpose. */
export const faultSchema = z.enum(['duplicate', 'out-of-order', 'late', 'wrong-secret', 'single-pass', 'stale', 'altered-body'])
export type Fault = z.infer<typeof faultSchema>

export const notificationSchema = z.object({
  id: z.string(),
  event: z.string(),
  mode: modeSchema,
  hookId: z.string(),
  url: z.string(),
  attempts: z.array(sendAttemptSchema),
  /** `pending` while another attempt is to come. */
  state: z.enum(['pending', 'acknowledged', 'failed']),
  /** When the next attempt is due, by the sandbox's clock; null where none is to come or the first is under way. */
  nextAt: z.iso.datetime().nullable(),
  fault: faultSchema.nullable(),
})
export type Notification = z.infer<typeof notificationSchema>

export const triggerResultSchema = z.object({
  event: z.string(),
  environment: z.string(),
  /** Ids of the objects that the event is about, by kind: `{ transaction, card, location, … }`. */
  objects: z.record(z.string(), z.string()),
  /** The notifications sent, each with the attempts made so far. */
  deliveries: z.array(notificationSchema),
})
export type TriggerResult = z.infer<typeof triggerResultSchema>
