/** Notification: one event sent to one hook, with its attempts (section 6.4). */
import { z } from 'zod'
import { modeSchema } from './delivery.ts'

export const sendAttemptSchema = z.object({
  attempt: z.number().int(),
  at: z.iso.datetime(),
  /** Sandbox time of `at`, which the waits between attempts follow. */
  sandboxAt: z.iso.datetime().nullable().default(null),
  status: z.number().int().nullable(),
  ms: z.number(),
  error: z.string().nullable(),
  acknowledged: z.boolean(),
  /** Unknown if sent elsewhere or lost. */
  deliveryId: z.string().nullable().default(null),
})

export type SendAttempt = z.infer<typeof sendAttemptSchema>

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

/** Whether only an attacker would cause a fault, as the signature doesn't match. */
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
  state: z.enum(['pending', 'acknowledged', 'failed', 'not-sent']),
  reason: z.string().nullable(),
  /** Sandbox time. */
  nextAt: z.iso.datetime().nullable(),
  fault: faultSchema.nullable(),
})

export type Notification = z.infer<typeof notificationSchema>
