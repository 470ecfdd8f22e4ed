/** A saved handler: an endpoint of the user's, with everything that a signed request to it needs. */
import { z } from 'zod'
import { targetCaSchema } from './send.ts'

const handlerNameSchema = z
  .string()
  .trim()
  .max(60, { error: 'A name can have up to 60 characters' })
  .regex(/^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u, { error: 'A name can have letters, digits, dots, hyphens and underscores' })

/** The result of a finished handler check. */
const handlerCheckSchema = z.object({
  at: z.iso.datetime(),
  passed: z.number().int(),
  failed: z.number().int(),
  skipped: z.number().int(),
})

/** A check among the last ones, for a trend; `score` as in a check run. */
export const handlerCheckRunSchema = handlerCheckSchema.extend({ runId: z.string(), score: z.number().nullable() })
export type HandlerCheckRun = z.infer<typeof handlerCheckRunSchema>

export const handlerSchema = z.object({
  id: z.string(),
  /** Unique without regard to case. Commands and forms write it as `@NAME`. */
  name: z.string(),
  /** As entered, with its scheme. */
  url: z.string(),
  /** The URL to sign. Null for the registered URL of its hook, or, with its own secret, for its own URL. */
  registeredUrl: z.string().nullable(),
  /** The hook whose secret it verifies with; null if it has its own, or none. */
  hookId: z.string().nullable(),
  /** Whether a check or flow can sign for it: with its own secret or its hook's. */
  hasSecret: z.boolean(),
  targetCa: targetCaSchema,
  /** Whether replays without a target go to it. */
  current: z.boolean(),
  /** The last check that ended; null if there was none. */
  lastCheck: handlerCheckSchema.nullable(),
})
export type SavedHandler = z.infer<typeof handlerSchema>

/** What can be set. A hook and an own secret exclude each other; without either, each delivery's own hook signs it. */
const handlerSettings = {
  url: z.string().trim().min(1).max(2_000),
  registeredUrl: z.string().trim().min(1).max(2_000).nullable(),
  hookId: z.string().min(1).nullable(),
  secret: z.string().min(1).max(1_000).nullable(),
  targetCa: targetCaSchema,
}

export const handlerAddSchema = z.object({
  name: handlerNameSchema,
  url: handlerSettings.url,
  registeredUrl: handlerSettings.registeredUrl.default(null),
  hookId: handlerSettings.hookId.default(null),
  secret: handlerSettings.secret.default(null),
  targetCa: handlerSettings.targetCa.default(null),
})
export type HandlerAdd = z.infer<typeof handlerAddSchema>

/** Changes the given fields. A new hook replaces an own secret, and a new secret replaces the hook. */
export const handlerUpdateSchema = z.object({ name: handlerNameSchema, ...handlerSettings }).partial()
export type HandlerUpdate = z.infer<typeof handlerUpdateSchema>

/** The saved handler that an endpoint names: `@NAME` or `handler:NAME`. Null for any other text. */
export function handlerNameIn(endpoint: string): string | null {
  return /^(?:@|handler:)(.*)$/s.exec(endpoint.trim())?.[1] ?? null
}
