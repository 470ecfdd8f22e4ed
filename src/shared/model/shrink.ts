/** A search for the smallest body that a handler still fails on, and what it has found. */
import { z } from 'zod'
import { sendFailureKindSchema } from './send.ts'

/** Bytes of the largest body that is shrunk. */
export const SHRINKABLE_BYTES = 4 * 1_048_576

/** How the handler fails: what a smaller body has to do as well. */
export const handlerFailureSchema = z.object({
  /** The status that it answers with, null where no whole answer comes. */
  status: z.number().int().nullable(),
  /** Why there is no answer; null where there is one. */
  kind: sendFailureKindSchema.nullable(),
  /** The beginning of what it answers with. */
  answer: z.string(),
})
export type HandlerFailure = z.infer<typeof handlerFailureSchema>

/**
 * `smallest`: nothing more can be taken away. `limit`: sends or time ran out first; what is there is smaller, and may not be the
 * smallest. `cancelled`. `passes`: the handler does not fail. `flaky`: it does not always fail alike. `unreachable`: it cannot be
 * asked. `broken`: it could not be gone on with.
 */
export const shrinkOutcomeSchema = z.enum(['smallest', 'limit', 'cancelled', 'passes', 'flaky', 'unreachable', 'broken'])
export type ShrinkOutcome = z.infer<typeof shrinkOutcomeSchema>

export const shrinkRunSchema = z.object({
  id: z.string(),
  deliveryId: z.string(),
  target: z.string(),
  startedAt: z.iso.datetime(),
  /** What it does just now; `ended` has an outcome. */
  phase: z.enum(['confirming', 'removing', 'simplifying', 'checking', 'ended']),
  outcome: shrinkOutcomeSchema.nullable(),
  /** What is to be said of the outcome, as sentences; null while it runs. */
  message: z.string().nullable(),
  /** By its structure, or byte by byte where the body is no JSON. */
  kind: z.enum(['json', 'bytes']),
  sends: z.number().int(),
  maxSends: z.number().int(),
  originalSize: z.number().int(),
  /** Of the smallest body that fails, as far as it is known. */
  size: z.number().int(),
  /** How the handler fails on the whole body; null until that is known. */
  failure: handlerFailureSchema.nullable(),
})
export type ShrinkRun = z.infer<typeof shrinkRunSchema>

/** A field that has to be there for the handler to fail. */
export const shrunkFieldSchema = z.object({
  path: z.string(),
  /** As it stands in the body. */
  value: z.string(),
  /** `value`: simpler values do not make it fail. `presence`: it stands there with the simplest value that there is. */
  needed: z.enum(['value', 'presence']),
})
export type ShrunkField = z.infer<typeof shrunkFieldSchema>

/** What is said of a field that is left. Of a search that did not come to its end nothing is known of what it had not tried. */
export function neededWords(outcome: ShrinkOutcome | null, needed: ShrunkField['needed']): string {
  if (outcome !== 'smallest') return 'still there'
  return needed === 'value' ? 'needs this value' : 'has to be there'
}

export const shrinkResultSchema = z.object({
  run: shrinkRunSchema,
  /** The smallest body found, as it would be sent. */
  base64: z.string(),
  /** Fields and items of the original that are gone; of a body that is no JSON, bytes. Known once it has ended, as `fields` are. */
  removed: z.number().int(),
  /** What is left, at most 200 of them; none of a body that is no JSON. */
  fields: z.array(shrunkFieldSchema),
  /** How the handler fails on the smallest body, or why it could not be asked; null where neither is known. */
  failure: handlerFailureSchema.nullable(),
})
export type ShrinkResult = z.infer<typeof shrinkResultSchema>
