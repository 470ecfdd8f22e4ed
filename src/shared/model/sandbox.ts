/** Objects, triggers and clock of the emulated service. */
import { notificationSchema } from './notification.ts'
import { z } from 'zod'
import { modeSchema } from './delivery.ts'

export const triggerResultSchema = z.object({
  event: z.string(),
  environment: z.string(),
  /** Ids of the event's objects: `{ transaction, card, location, … }`. */
  objects: z.record(z.string(), z.string()),
  deliveries: z.array(notificationSchema),
  otherPrograms: z.array(z.object({ id: z.string(), name: z.string() })).default([]),
  /** Objections of the spec to fields that were set or removed. */
  findings: z.array(z.string()).default([]),
})
export type TriggerResult = z.infer<typeof triggerResultSchema>

/** Kinds of objects; transactions come from their events. */
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
  title: z.string(),
  data: z.record(z.string(), z.unknown()),
})
export type SandboxObject = z.infer<typeof sandboxObjectSchema>

export const sandboxChangeSchema = z.object({
  object: sandboxObjectSchema,
  deliveries: z.array(notificationSchema),
})
export type SandboxChange = z.infer<typeof sandboxChangeSchema>

export const triggerPreviewSchema = z.object({
  seed: z.number().int(),
  events: z.array(
    z.object({
      event: z.string(),
      payload: z.record(z.string(), z.unknown()),
      body: z.string(),
      hooks: z.number().int(),
    }),
  ),
})
export type TriggerPreview = z.infer<typeof triggerPreviewSchema>

/** Clock of payload times, clearing and attempts. */
export const sandboxClockSchema = z.object({
  now: z.iso.datetime(),
  /** Sandbox seconds per real second. */
  speed: z.number(),
  paused: z.boolean(),
})
export type SandboxClockState = z.infer<typeof sandboxClockSchema>

export const pendingClearingSchema = z.object({
  transactionId: z.string(),
  mode: modeSchema,
  at: z.iso.datetime(),
})
export type PendingClearing = z.infer<typeof pendingClearingSchema>

/** Changes to the clock, which never runs backwards. */
export const sandboxClockChangeSchema = z.discriminatedUnion('action', [
  z.object({ action: z.literal('set'), time: z.iso.datetime({ offset: true }) }),
  z.object({ action: z.literal('jump'), ms: z.number().positive() }),
  z.object({ action: z.literal('speed'), speed: z.number().positive() }),
  z.object({ action: z.literal('pause') }),
  z.object({ action: z.literal('resume') }),
  z.object({ action: z.literal('reset') }),
])
export type SandboxClockChange = z.infer<typeof sandboxClockChangeSchema>
