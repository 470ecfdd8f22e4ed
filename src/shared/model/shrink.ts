/** Search for the smallest body that still makes a handler fail. */
import { z } from 'zod'
import { sendFailureKindSchema } from './send.ts'

export const SHRINKABLE_BYTES = 4 * 1_048_576

export const handlerFailureSchema = z.object({
  status: z.number().int().nullable(),
  kind: sendFailureKindSchema.nullable(),
  answer: z.string(),
})
export type HandlerFailure = z.infer<typeof handlerFailureSchema>

/**
 * `limit`: out of sends or time. `passes`: the handler doesn't fail. `flaky`: it doesn't always
 * fail alike. `broken`: the search couldn't continue.
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
  handlerId: z.string().nullable(),
  startedAt: z.iso.datetime(),
  phase: z.enum(['confirming', 'removing', 'simplifying', 'checking', 'ended']),
  outcome: shrinkOutcomeSchema.nullable(),
  message: z.string().nullable(),
  kind: z.enum(['json', 'bytes']),
  sends: z.number().int(),
  maxSends: z.number().int(),
  originalSize: z.number().int(),
  size: z.number().int(),
  failure: handlerFailureSchema.nullable(),
})
export type ShrinkRun = z.infer<typeof shrinkRunSchema>

export const shrunkFieldSchema = z.object({
  path: z.string(),
  value: z.string(),
  /**
   * `value`: simpler values don't fail. `presence`: the value is as simple as possible. `schema`:
   * the service doesn't send simpler values.
   */
  needed: z.enum(['value', 'presence', 'schema']),
})
export type ShrunkField = z.infer<typeof shrunkFieldSchema>

const neededNames: Readonly<Record<ShrunkField['needed'], string>> = {
  value: 'needs this value',
  presence: 'must be present',
  schema: 'must be present, valid',
}

export function neededWords(outcome: ShrinkOutcome | null, needed: ShrunkField['needed']): string {
  if (outcome !== 'smallest') return 'remaining'
  return neededNames[needed]
}

export const shrinkResultSchema = z.object({
  run: shrinkRunSchema,
  base64: z.string(),
  /** Fields and items removed, or bytes if the body isn't JSON; set at the end. */
  removed: z.number().int(),
  fields: z.array(shrunkFieldSchema),
  failure: handlerFailureSchema.nullable(),
})
export type ShrinkResult = z.infer<typeof shrinkResultSchema>
