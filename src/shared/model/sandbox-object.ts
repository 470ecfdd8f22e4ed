/** The sandbox's objects, and the payloads an event would send. */
import { z } from 'zod'
import { modeSchema } from './delivery.ts'
import { notificationSchema } from './sending.ts'

/** The kinds of objects. All can be created directly except transactions, which come from their events. */
export const sandboxObjectKindSchema = z.enum(['program', 'brand', 'location', 'card', 'offer', 'transaction'])
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
export const sandboxChangeSchema = z.object({ object: sandboxObjectSchema, deliveries: z.array(notificationSchema) })
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
