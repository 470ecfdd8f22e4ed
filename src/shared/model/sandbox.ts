/** The sandbox as it shows itself: its objects, what an event would send, and its clock. */
import { z } from 'zod'
import { modeSchema } from './delivery.ts'

// What the sandbox sent: a notification of one event to one hook, with its attempts (section 6.4).

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

/** `--fault`: how the sandbox deliberately deviates from the spec. */
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
  /** `pending` if another attempt is due; `not-sent` if that needs consent to its host. */
  state: z.enum(['pending', 'acknowledged', 'failed', 'not-sent']),
  /** Why it is `not-sent`; otherwise null. */
  reason: z.string().nullable(),
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
  /** The spec's objections to fields that were set or removed: sentences with their section. */
  findings: z.array(z.string()).default([]),
})
export type TriggerResult = z.infer<typeof triggerResultSchema>

/** The kinds of objects. All can be created directly except transactions, which come from their events. */
export const sandboxObjectKindSchema = z.enum([
  'program',
  'brand',
  'location',
  'card',
  'offer',
  'transaction',
])
export type SandboxObjectKind = z.infer<typeof sandboxObjectKindSchema>

export const sandboxObjectSchema = z.object({
  kind: sandboxObjectKindSchema,
  id: z.string(),
  environment: z.string(),
  mode: modeSchema,
  /** One line for a list: a name, a place or an amount. */
  title: z.string(),
  /** The resource as defined in its section of the spec. */
  data: z.record(z.string(), z.unknown()),
})
export type SandboxObject = z.infer<typeof sandboxObjectSchema>

export const sandboxChangeSchema = z.object({
  object: sandboxObjectSchema,
  deliveries: z.array(notificationSchema),
})
export type SandboxChange = z.infer<typeof sandboxChangeSchema>

/** The preview of a trigger: each event with its payload and its number of hooks. The same seed sends exactly this. */
export const triggerPreviewSchema = z.object({
  seed: z.number().int(),
  events: z.array(
    z.object({
      event: z.string(),
      payload: z.record(z.string(), z.unknown()),
      /** The payload as it would be sent, with numbers as typed. */
      body: z.string(),
      hooks: z.number().int(),
    }),
  ),
})
export type TriggerPreview = z.infer<typeof triggerPreviewSchema>

/** The sandbox's clock. It determines the times in payloads, the wait for clearing, and the waits between attempts. */
export const sandboxClockSchema = z.object({
  now: z.iso.datetime(),
  /** Sandbox seconds per real second. */
  speed: z.number(),
  paused: z.boolean(),
})
export type SandboxClockState = z.infer<typeof sandboxClockSchema>

/** A purchase that clears automatically when the clock reaches `at`, in sandbox time. */
export const pendingClearingSchema = z.object({
  transactionId: z.string(),
  mode: modeSchema,
  at: z.iso.datetime(),
})
export type PendingClearing = z.infer<typeof pendingClearingSchema>

/** Changes to the clock. It never runs backwards, because payloads already contain earlier times. */
export const sandboxClockChangeSchema = z.discriminatedUnion('action', [
  z.object({ action: z.literal('set'), time: z.iso.datetime({ offset: true }) }),
  z.object({ action: z.literal('jump'), ms: z.number().positive() }),
  z.object({ action: z.literal('speed'), speed: z.number().positive() }),
  z.object({ action: z.literal('pause') }),
  z.object({ action: z.literal('resume') }),
  z.object({ action: z.literal('reset') }),
])
export type SandboxClockChange = z.infer<typeof sandboxClockChangeSchema>
