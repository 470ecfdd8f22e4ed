/** The sandbox as it shows itself: its objects, what an event would send, and its clock. */
import { z } from 'zod'
import { modeSchema } from './delivery.ts'
import { notificationSchema } from './sending.ts'

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

/** A created or changed object, and the notifications this caused. */
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
  /** ISO 8601, UTC. */
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
