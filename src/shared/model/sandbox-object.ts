/** What the sandbox knows and shows of itself: its objects, and what an event would send. */
import { z } from 'zod'
import { modeSchema } from './delivery.ts'
import { notificationSchema } from './sending.ts'

/** The kinds of object that can be looked at; all but transactions can be made (a transaction is made by its event). */
export const sandboxObjectKindSchema = z.enum(['program', 'brand', 'location', 'card', 'offer', 'transaction'])
export type SandboxObjectKind = z.infer<typeof sandboxObjectKindSchema>

export const sandboxObjectSchema = z.object({
  kind: sandboxObjectKindSchema,
  id: z.string(),
  environment: z.string(),
  mode: modeSchema,
  /** One line for a list: a name, a place, an amount. */
  title: z.string(),
  /** The resource as its section shows it. */
  data: z.record(z.string(), z.unknown()),
})
export type SandboxObject = z.infer<typeof sandboxObjectSchema>

/** An object made or changed, with the notifications that this caused. */
export const sandboxChangeSchema = z.object({ object: sandboxObjectSchema, deliveries: z.array(notificationSchema) })
export type SandboxChange = z.infer<typeof sandboxChangeSchema>

/** What a trigger would send: each event with its payload and how many hooks take it. The same seed sends exactly this. */
export const triggerPreviewSchema = z.object({
  seed: z.number().int(),
  events: z.array(
    z.object({
      event: z.string(),
      payload: z.record(z.string(), z.unknown()),
      /** The payload as it would be sent, numbers as they were typed. */
      body: z.string(),
      hooks: z.number().int(),
    }),
  ),
})
export type TriggerPreview = z.infer<typeof triggerPreviewSchema>
