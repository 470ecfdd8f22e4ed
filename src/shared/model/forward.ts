/** Forwarding sends each new delivery to targets, the developer's own endpoints. Defines a target, its status and its queue. */
import { z } from 'zod'
import { targetCaSchema } from './send.ts'

/**
 * How Countersign responds to the service for a forwarded delivery. `rule`: the hook's response rule, whatever the target returns.
 * `handler`: the target's response. `at-once`: 200 immediately, with no time limit for the target (somebody may be in a debugger).
 */
export const forwardAnswerSchema = z.enum(['rule', 'handler', 'at-once'])
export type ForwardAnswer = z.infer<typeof forwardAnswerSchema>

/** `now`: valid deliveries get a fresh signature and timestamp. `as-received`: they keep the original ones, which become stale. */
export const forwardSignSchema = z.enum(['now', 'as-received'])

export const forwardSettingsSchema = z.object({
  name: z.string().trim().max(60),
  /** The target URL. Empty only in an incomplete form. */
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
export const forwardStatusSchema = z.enum(['new', 'up', 'failing', 'down', 'paused', 'off'])
export type ForwardStatus = z.infer<typeof forwardStatusSchema>

export const forwardTargetSchema = forwardSettingsSchema.extend({
  id: z.string(),
  createdAt: z.iso.datetime(),
  /** New deliveries queue up until the target is resumed. */
  paused: z.boolean(),
  /** Temporary: ends with the command that created it. */
  temporary: z.boolean(),
  light: forwardStatusSchema,
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

export const forwardStateSchema = z.object({
  targets: z.array(forwardTargetSchema),
})
export type ForwardState = z.infer<typeof forwardStateSchema>
