/**
 * Forwarding sends each new delivery to targets, the developer's own endpoints. Defines a target, its status, its queue and the
 * deliveries held for a manual response.
 */
import { z } from 'zod'
import { targetCaSchema } from './send.ts'

/**
 * How Countersign responds to the service for a forwarded delivery. `rule`: the hook's response rule, whatever the target returns.
 * `handler`: the target's response. `at-once`: 200 immediately, with no time limit for the target (somebody may be in a debugger).
 * `by-hand`: a person decides while the delivery is held.
 */
export const forwardAnswerSchema = z.enum(['rule', 'handler', 'at-once', 'by-hand'])
export type ForwardAnswer = z.infer<typeof forwardAnswerSchema>

/** `now`: valid deliveries get a fresh signature and timestamp. `as-received`: they keep the original ones, which become stale. */
export const forwardSignSchema = z.enum(['now', 'as-received'])
export type ForwardSign = z.infer<typeof forwardSignSchema>

export const forwardSettingsSchema = z.object({
  name: z.string().trim().max(60),
  /** The target URL. May be empty only with manual responses: deliveries are then held and not sent. */
  url: z.string().trim().max(2_000),
  /** Search query that selects deliveries; empty for all. */
  query: z.string().max(4_000),
  answer: forwardAnswerSchema,
  sign: forwardSignSchema,
  /** The URL to sign; null for the registered URL of each delivery's hook. */
  registeredUrl: z.string().trim().min(1).max(2_000).nullable(),
  /** A CA certificate that must verify the target's certificate, even on this computer; PEM. */
  targetCa: targetCaSchema,
  /** False: new deliveries skip this target. */
  on: z.boolean(),
  /** The saved handler that `url` named, whose secret signs; null for a URL. */
  handlerId: z.string().nullable().default(null),
})
export type ForwardSettings = z.infer<typeof forwardSettingsSchema>

/**
 * `new`: nothing sent since the start. `down`: no response; pending deliveries are kept. `failing`: responds, but doesn't
 * acknowledge.
 */
export const forwardLightSchema = z.enum(['new', 'up', 'failing', 'down', 'paused', 'off'])
export type ForwardLight = z.infer<typeof forwardLightSchema>

export const forwardTargetSchema = forwardSettingsSchema.extend({
  id: z.string(),
  createdAt: z.iso.datetime(),
  /** New deliveries queue up until the target is resumed. */
  paused: z.boolean(),
  /** Temporary: ends with the command that created it. */
  temporary: z.boolean(),
  /** Allowed remote hosts. */
  allowHosts: z.array(z.string()),
  /** Names of live environments whose deliveries may be forwarded. */
  liveEnvironments: z.array(z.string()),
  light: forwardLightSchema,
  /** The current problem, in a sentence; null if there is none. */
  problem: z.string().nullable(),
  /** When the next try is due, while the target is down. */
  nextTryAt: z.iso.datetime().nullable(),
  queue: z.object({
    waiting: z.number().int(),
    underWay: z.number().int(),
    /** When the oldest pending delivery was received. */
    oldestAt: z.iso.datetime().nullable(),
  }),
  /** Counts since the start: acknowledged, given up, and held back because their live environment isn't allowed. */
  passed: z.number().int(),
  failed: z.number().int(),
  withheld: z.number().int(),
  lastSentAt: z.iso.datetime().nullable(),
})
export type ForwardTarget = z.infer<typeof forwardTargetSchema>

/** A problem with a target, at the form field it concerns. */
export const forwardFindingSchema = z.object({
  field: z.enum(['name', 'url', 'query', 'answer', 'registeredUrl', 'targetCa']),
  message: z.string(),
})
export type ForwardFinding = z.infer<typeof forwardFindingSchema>

/** A delivery waiting for a manual response. */
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
  /** When the hook's response rule applies if nobody responds. */
  until: z.iso.datetime(),
  /** The status the rule would return; null if it would close the connection. */
  ruleStatus: z.number().int().nullable(),
})
export type HeldDelivery = z.infer<typeof heldDeliverySchema>

/** A manual response. */
export const handAnswerSchema = z.object({
  status: z.number().int().min(200).max(599),
  headers: z
    .array(
      z.tuple([
        z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/),
        z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/),
      ]),
    )
    .max(100)
    .default([]),
  body: z.string().max(1_048_576).default(''),
})
export type HandAnswer = z.infer<typeof handAnswerSchema>

/** The state of all targets, queues and held deliveries. */
export const forwardStateSchema = z.object({
  targets: z.array(forwardTargetSchema),
  held: z.array(heldDeliverySchema),
})
export type ForwardState = z.infer<typeof forwardStateSchema>
