/**
 * Forwarding: each new delivery is passed on to targets, the developer's own endpoints. What a target is, how it does, what waits
 * for it, and which deliveries wait for an answer by hand.
 */
import { z } from 'zod'
import { targetCaSchema } from './target-ca.ts'

/**
 * What the service is answered for a delivery that goes to a target. `rule`: what the hook's answering rule says, whatever the
 * target does. `handler`: what the target answers. `at-once`: 200 at once, and the target has as long as it likes, since
 * somebody may sit in a debugger. `by-hand`: what somebody decides while the delivery is held.
 */
export const forwardAnswerSchema = z.enum(['rule', 'handler', 'at-once', 'by-hand'])
export type ForwardAnswer = z.infer<typeof forwardAnswerSchema>

/** `now`: genuine deliveries get a fresh signature and timestamp. `as-received`: those that they came with, which grow old. */
export const forwardSignSchema = z.enum(['now', 'as-received'])
export type ForwardSign = z.infer<typeof forwardSignSchema>

export const forwardSettingsSchema = z.object({
  name: z.string().trim().max(60),
  /** Where to. Empty only where the answer is given by hand: then deliveries are held and go nowhere. */
  url: z.string().trim().max(2_000),
  /** Which deliveries, in the language of the search; empty: all. */
  query: z.string().max(4_000),
  answer: forwardAnswerSchema,
  sign: forwardSignSchema,
  /** The URL that is signed; null: the registered one of each delivery's hook. */
  registeredUrl: z.string().trim().min(1).max(2_000).nullable(),
  /** A certificate authority that the target's certificate has to verify with, on this machine too; PEM. */
  targetCa: targetCaSchema,
  /** False: new deliveries pass it by. */
  on: z.boolean(),
})
export type ForwardSettings = z.infer<typeof forwardSettingsSchema>

/** `new`: nothing was sent since the start. `down`: no answer comes; what waits is kept. `failing`: it answers, and does not acknowledge. */
export const forwardLightSchema = z.enum(['new', 'up', 'failing', 'down', 'paused', 'off'])
export type ForwardLight = z.infer<typeof forwardLightSchema>

export const forwardTargetSchema = forwardSettingsSchema.extend({
  id: z.string(),
  createdAt: z.iso.datetime(),
  /** What comes waits until it is resumed. */
  paused: z.boolean(),
  /** It ends with the command that made it. */
  temporary: z.boolean(),
  /** Hosts beyond this machine that were agreed to. */
  allowHosts: z.array(z.string()),
  /** Live environments whose deliveries may be passed on, by name. */
  liveEnvironments: z.array(z.string()),
  light: forwardLightSchema,
  /** What is the matter with it, in a sentence; null where nothing is. */
  problem: z.string().nullable(),
  /** When the next try is due while it is down. */
  nextTryAt: z.iso.datetime().nullable(),
  queue: z.object({
    waiting: z.number().int(),
    underWay: z.number().int(),
    /** When the oldest that waits was received. */
    oldestAt: z.iso.datetime().nullable(),
  }),
  /** Since the start of the program: acknowledged, given up, and kept back because their live environment was not agreed to. */
  passed: z.number().int(),
  failed: z.number().int(),
  withheld: z.number().int(),
  lastSentAt: z.iso.datetime().nullable(),
})
export type ForwardTarget = z.infer<typeof forwardTargetSchema>

/** What speaks against a target, at the field of a form that it is about. */
export const forwardFindingSchema = z.object({
  field: z.enum(['name', 'url', 'query', 'answer', 'registeredUrl', 'targetCa']),
  message: z.string(),
})
export type ForwardFinding = z.infer<typeof forwardFindingSchema>

/** A delivery whose answer is given by hand. */
export const heldDeliverySchema = z.object({
  deliveryId: z.string(),
  targetId: z.string(),
  targetName: z.string(),
  method: z.string().nullable(),
  path: z.string().nullable(),
  event: z.string().nullable(),
  environment: z.string().nullable(),
  mode: z.enum(['test', 'live']).nullable(),
  receivedAt: z.iso.datetime(),
  /** When the answer of the hook's rule goes, should nobody have answered. */
  until: z.iso.datetime(),
  /** The status that the rule would answer; null where it would close the connection. */
  ruleStatus: z.number().int().nullable(),
})
export type HeldDelivery = z.infer<typeof heldDeliverySchema>

/** An answer given by hand. */
export const handAnswerSchema = z.object({
  status: z.number().int().min(200).max(599),
  headers: z
    .array(z.tuple([z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/), z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/)]))
    .max(100)
    .default([]),
  body: z.string().max(1_048_576).default(''),
})
export type HandAnswer = z.infer<typeof handAnswerSchema>

/** How targets, queues and held deliveries stand. */
export const forwardStateSchema = z.object({ targets: z.array(forwardTargetSchema), held: z.array(heldDeliverySchema) })
export type ForwardState = z.infer<typeof forwardStateSchema>
