/**
 * The boundary between every user interface and the core, in one table of commands and one of events. Adding a command is
 * one line here and a compile error that leads to the handler. JSON values only; bodies are read in pieces by id.
 */
import { z } from 'zod'
import { deliveryRowSchema, deliverySchema } from '../model/delivery.ts'
import { answeringRuleSchema } from '../model/answering-rule.ts'
import { environmentAddSchema, environmentCheckSchema, environmentSchema, environmentUpdateSchema } from '../model/environment.ts'
import { hookAddSchema, hookFindingSchema, hookImportSchema, hookSchema, hookUpdateSchema } from '../model/hook.ts'
import {
  sandboxChangeSchema,
  sandboxObjectKindSchema,
  sandboxObjectSchema,
  triggerPreviewSchema,
} from '../model/sandbox-object.ts'
import { sandboxClockChangeSchema, sandboxClockSchema } from '../model/sandbox-clock.ts'
import { faultSchema, notificationSchema, triggerResultSchema } from '../model/sending.ts'
import { signatureReportSchema } from '../model/signature.ts'
import { appStatusSchema, doctorCheckSchema, receiverStatusSchema } from '../model/status.ts'

function command<I extends z.ZodType, O extends z.ZodType>(input: I, output: O) {
  return { input, output }
}

const nothing = z.object({})
/** A delivery's id, `latest`, or `latest:EVENT`. */
const deliveryRef = z.string().min(1)
const query = z.string().max(4_000)

/** Values to set, by path: `card.lastNumbers`. */
const setFields = z.record(z.string(), z.json())
const triggerFields = {
  event: z.string().min(1),
  environment: z.string().optional(),
  programId: z.string().optional(),
  /** The object that the event is about: the auth of a clearing, the purchase of a refund. */
  of: z.string().optional(),
  set: setFields.optional(),
  /** The same seed makes the same objects. */
  seed: z.number().int().optional(),
  fault: faultSchema.optional(),
}

/** Largest piece of a body that one call reads, in bytes. */
export const BODY_CHUNK = 1_048_576

export const commands = {
  'app.status': command(nothing, appStatusSchema),
  /** A fresh one-time address of the app in the browser; only the loopback host has one. */
  'app.open': command(nothing, z.object({ url: z.string() })),
  'doctor.run': command(nothing, z.object({ checks: z.array(doctorCheckSchema) })),

  /** Newest first, whole. `before`: only those with a smaller seq. */
  'deliveries.list': command(
    z.object({
      query: query.optional(),
      limit: z.number().int().min(1).max(1_000).default(50),
      before: z.number().int().optional(),
      after: z.number().int().optional(),
    }),
    z.object({ items: z.array(deliverySchema) }),
  ),
  /** One page of rows for a list, newest first, from seq `from` downwards (from the newest where absent). */
  'deliveries.page': command(
    z.object({ query: query.optional(), from: z.number().int().optional(), limit: z.number().int().min(1).max(1_000) }),
    z.object({ rows: z.array(deliveryRowSchema) }),
  ),
  /**
   * What a list of any length needs to reach every row by key: how many rows match (`total`), and for each page of
   * `pageSize` rows the seq that it starts from, newest first. `newest` is the largest seq stored when it was made.
   */
  'deliveries.anchors': command(
    z.object({ query: query.optional(), pageSize: z.number().int().min(10).max(1_000) }),
    z.object({ total: z.number().int(), anchors: z.array(z.number().int()), newest: z.number().int() }),
  ),
  'deliveries.get': command(z.object({ id: deliveryRef }), deliverySchema),
  /** A piece of the bytes received, Base-64; `size` is that of all the bytes kept. */
  'deliveries.body': command(
    z.object({
      id: deliveryRef,
      offset: z.number().int().min(0).default(0),
      length: z.number().int().min(1).max(BODY_CHUNK).default(BODY_CHUNK),
    }),
    z.object({ offset: z.number().int(), size: z.number().int(), base64: z.string() }),
  ),
  /** The recipe of the signature, and the diagnosis where it does not match. */
  'deliveries.signature': command(z.object({ id: deliveryRef }), signatureReportSchema),
  /** The deliveries of the same notification, oldest first, this one among them. */
  'deliveries.attempts': command(z.object({ id: deliveryRef }), z.object({ rows: z.array(deliveryRowSchema) })),

  'hooks.list': command(z.object({ environment: z.string().optional() }), z.object({ hooks: z.array(hookSchema) })),
  'hooks.import': command(hookImportSchema, hookSchema),
  /** What speaks against registering it, as a form asks while it is filled in; `url` is the one that would be registered. */
  'hooks.check': command(
    hookAddSchema,
    z.object({ findings: z.array(hookFindingSchema), warnings: z.array(hookFindingSchema), url: z.string() }),
  ),
  /** Registers a hook at the service of its environment. In a live one it wants `live: true`, as all changes do. */
  'hooks.add': command(hookAddSchema, z.object({ hook: hookSchema, warnings: z.array(hookFindingSchema) })),
  'hooks.update': command(hookUpdateSchema, z.object({ hook: hookSchema, warnings: z.array(hookFindingSchema) })),
  /** Deletes it at the service; its record and secret stay, so that old deliveries still verify. */
  'hooks.remove': command(z.object({ id: z.string(), live: z.boolean().default(false) }), hookSchema),
  /** Makes a secret the present one; the previous ones still verify. */
  'hooks.rotate': command(z.object({ id: z.string(), secret: z.string().min(1) }), hookSchema),
  /** What the receiver answers to the deliveries of a hook. */
  'hooks.answer': command(z.object({ id: z.string(), rule: answeringRuleSchema }), hookSchema),
  /** Points every active hook under the address `from` to the same path under `to`. */
  'hooks.repoint': command(
    z.object({ from: z.url(), to: z.url(), live: z.boolean().default(false) }),
    z.object({ moved: z.array(z.object({ hook: hookSchema, problem: z.string().nullable() })) }),
  ),
  'hooks.reveal': command(z.object({ id: z.string() }), z.object({ secret: z.string() })),

  'environments.list': command(
    z.object({ includeSecrets: z.boolean().default(false) }),
    z.object({ environments: z.array(environmentSchema) }),
  ),

  'environments.add': command(environmentAddSchema, environmentSchema),
  'environments.update': command(environmentUpdateSchema, environmentSchema),
  /** Makes it the current one: the one that is meant where none is named. */
  'environments.use': command(z.object({ name: z.string() }), environmentSchema),
  /** Makes one call that changes nothing, and says what it learned. */
  'environments.check': command(z.object({ name: z.string().optional() }), environmentCheckSchema),
  'environments.remove': command(z.object({ name: z.string() }), z.object({})),

  /** Sets the public address that stands in front of the receiver (a tunnel's), or takes it away. New hooks are registered under it. */
  'receiver.setPublicUrl': command(z.object({ url: z.url({ protocol: /^https$/ }).nullable() }), receiverStatusSchema),
  'receiver.pause': command(nothing, receiverStatusSchema),
  'receiver.resume': command(nothing, receiverStatusSchema),

  /**
   * Makes the sandbox cause an event. Resolves when the first attempt of each notification has ended; later ones go on by
   * themselves. In a live environment it wants `live: true`, else it is refused with `CONFIRMATION_REQUIRED`.
   */
  'sandbox.trigger': command(z.object({ ...triggerFields, live: z.boolean().default(false) }), triggerResultSchema),
  /** What a trigger would send, without sending it; its seed makes exactly that. */
  'sandbox.preview': command(z.object(triggerFields), triggerPreviewSchema),
  /** The objects of the sandbox, of one environment or both, of one kind or all, oldest first. */
  'sandbox.objects': command(
    z.object({ environment: z.string().optional(), kind: sandboxObjectKindSchema.optional() }),
    z.object({ objects: z.array(sandboxObjectSchema) }),
  ),
  /** Makes an object; what the interface says of a new one (a consent, a location's status) is sent along. */
  'sandbox.create': command(
    z.object({
      environment: z.string().optional(),
      kind: sandboxObjectKindSchema,
      programId: z.string().optional(),
      set: setFields.optional(),
      seed: z.number().int().optional(),
      live: z.boolean().default(false),
    }),
    sandboxChangeSchema,
  ),
  /** Sets fields of an object by path; what that causes is sent along. */
  'sandbox.update': command(
    z.object({ environment: z.string().optional(), id: z.string(), set: setFields, live: z.boolean().default(false) }),
    sandboxChangeSchema,
  ),
  /** Back to the start: objects, pending deliveries and clock of both modes. Hooks and keys stay. */
  'sandbox.reset': command(z.object({ live: z.boolean().default(false) }), z.object({})),
  /** What the sandbox has sent, newest first, with every attempt. */
  'sandbox.notifications': command(
    z.object({ limit: z.number().int().min(1).max(500).default(100) }),
    z.object({ notifications: z.array(notificationSchema) }),
  ),
  'sandbox.clock': command(nothing, sandboxClockSchema),
  'sandbox.setClock': command(sandboxClockChangeSchema, sandboxClockSchema),
  /** Sends a `transaction.auth` to this receiver, and makes the hook for it where there is none. */
  'sandbox.sample': command(nothing, z.object({ hook: hookSchema, hookMade: z.boolean(), result: triggerResultSchema })),
} as const

export const events = {
  /**
   * Deliveries that came or changed since the last one of these, at most ten times a second. `added` newest first, at most
   * 200 of them; `skipped` counts those that a list has to read for itself.
   */
  'deliveries.changed': z.object({
    added: z.array(deliveryRowSchema),
    skipped: z.number().int(),
    updated: z.array(deliveryRowSchema),
    total: z.number().int(),
  }),
  'hooks.changed': z.object({ hook: hookSchema }),
  'receiver.changed': receiverStatusSchema,
  'store.changed': appStatusSchema.shape.store,
} as const

type Commands = typeof commands
type Events = typeof events

export type CommandName = keyof Commands
/** What a caller gives: fields with a default may be left out. */
export type InputOf<K extends CommandName> = z.input<Commands[K]['input']>
/** What a handler gets: parsed, defaults filled in. */
export type ParsedInputOf<K extends CommandName> = z.output<Commands[K]['input']>
export type OutputOf<K extends CommandName> = z.output<Commands[K]['output']>
export type EventName = keyof Events
export type PayloadOf<K extends EventName> = z.output<Events[K]>
