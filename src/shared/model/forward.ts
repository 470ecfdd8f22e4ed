/** Forward targets: endpoints that get each new delivery. */
import { z } from 'zod'
import { targetCaSchema } from './send.ts'

/**
 * `rule`: by the hook's rule. `handler`: the target's. `at-once`: 200 immediately, so that a target
 * in a debugger has no time limit.
 */
export const forwardAnswerSchema = z.enum(['rule', 'handler', 'at-once'])
export type ForwardAnswer = z.infer<typeof forwardAnswerSchema>

/** `now`: a fresh signature and timestamp. `as-received`: the original ones, which become stale. */
export const forwardSignSchema = z.enum(['now', 'as-received'])

export const forwardSettingsSchema = z.object({
  name: z.string().trim().max(60),
  url: z.string().trim().max(2_000),
  query: z.string().max(4_000),
  answer: forwardAnswerSchema,
  sign: forwardSignSchema,
  registeredUrl: z.string().trim().min(1).max(2_000).nullable(),
  /** CA certificate (PEM), required even on this computer. */
  targetCa: targetCaSchema,
  on: z.boolean(),
  /** Saved handler that `url` named, whose secret signs. */
  handlerId: z.string().nullable().default(null),
})
export type ForwardSettings = z.infer<typeof forwardSettingsSchema>

/**
 * `new`: nothing sent since the start. `down`: no response; deliveries wait. `failing`: not
 * acknowledged.
 */
export const forwardStatusSchema = z.enum(['new', 'up', 'failing', 'down', 'paused', 'off'])
export type ForwardStatus = z.infer<typeof forwardStatusSchema>

export const forwardTargetSchema = forwardSettingsSchema.extend({
  id: z.string(),
  createdAt: z.iso.datetime(),
  paused: z.boolean(),
  temporary: z.boolean(),
  light: forwardStatusSchema,
  problem: z.string().nullable(),
  nextTryAt: z.iso.datetime().nullable(),
  queue: z.object({
    waiting: z.number().int(),
    underWay: z.number().int(),
    oldestAt: z.iso.datetime().nullable(),
  }),
  /** Counts since the start; `withheld` lacked consent to a live environment. */
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
