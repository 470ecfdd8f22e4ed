/** A search for the smallest body that still makes a handler fail, and its result. */
import { z } from 'zod'
import { sendFailureKindSchema } from './send.ts'

/** Maximum size of a body to shrink, in bytes. */
export const SHRINKABLE_BYTES = 4 * 1_048_576

/** How the handler fails. A smaller body must cause the same failure. */
export const handlerFailureSchema = z.object({
  /** The status it returns, or null without a complete response. */
  status: z.number().int().nullable(),
  /** Why there is no response; null if there is one. */
  kind: sendFailureKindSchema.nullable(),
  /** The beginning of the response. */
  answer: z.string(),
})
export type HandlerFailure = z.infer<typeof handlerFailureSchema>

/**
 * `smallest`: nothing more can be removed. `limit`: out of sends or time; the result may not be the smallest. `cancelled`.
 * `passes`: the handler doesn't fail. `flaky`: it doesn't always fail the same way. `unreachable`: no connection. `broken`: the
 * search couldn't continue.
 */
export const shrinkOutcomeSchema = z.enum([
  'smallest',
  'limit',
  'cancelled',
  'passes',
  'flaky',
  'unreachable',
  'broken',
])
export type ShrinkOutcome = z.infer<typeof shrinkOutcomeSchema>

export const shrinkRunSchema = z.object({
  id: z.string(),
  deliveryId: z.string(),
  target: z.string(),
  /** The saved handler; null if the endpoint isn't one. */
  handlerId: z.string().nullable(),
  startedAt: z.iso.datetime(),
  /** Current phase; `ended` has an outcome. */
  phase: z.enum(['confirming', 'removing', 'simplifying', 'checking', 'ended']),
  outcome: shrinkOutcomeSchema.nullable(),
  /** Explains the outcome in sentences; null while running. */
  message: z.string().nullable(),
  /** By structure, or byte by byte if the body isn't JSON. */
  kind: z.enum(['json', 'bytes']),
  sends: z.number().int(),
  maxSends: z.number().int(),
  originalSize: z.number().int(),
  /** Size of the smallest failing body so far. */
  size: z.number().int(),
  /** How the handler fails on the whole body; null until known. */
  failure: handlerFailureSchema.nullable(),
})
export type ShrinkRun = z.infer<typeof shrinkRunSchema>

/** A field that must be present for the handler to fail. */
export const shrunkFieldSchema = z.object({
  path: z.string(),
  /** As written in the body. */
  value: z.string(),
  /**
   * `value`: simpler values don't make it fail. `presence`: it has the simplest possible value. `schema`: simpler values weren't tried,
   * because the service doesn't send them.
   */
  needed: z.enum(['value', 'presence', 'schema']),
})
export type ShrunkField = z.infer<typeof shrunkFieldSchema>

const neededNames: Readonly<Record<ShrunkField['needed'], string>> = {
  value: 'needs this value',
  presence: 'must be present',
  schema: 'must be present, valid',
}

/** The label of a remaining field. An incomplete search hasn't tried everything, so it can't say more. */
export function neededWords(outcome: ShrinkOutcome | null, needed: ShrunkField['needed']): string {
  if (outcome !== 'smallest') return 'remaining'
  return neededNames[needed]
}

export const shrinkResultSchema = z.object({
  run: shrinkRunSchema,
  /** The smallest body found, as it would be sent. */
  base64: z.string(),
  /** Number of original fields and items removed, or bytes if the body isn't JSON. Known once finished, like `fields`. */
  removed: z.number().int(),
  /** The remaining fields, up to 200; empty if the body isn't JSON. */
  fields: z.array(shrunkFieldSchema),
  /** How the handler fails on the smallest body, or why it couldn't be called; null if neither is known. */
  failure: handlerFailureSchema.nullable(),
})
export type ShrinkResult = z.infer<typeof shrinkResultSchema>
