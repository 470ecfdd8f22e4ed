/** Saved handler: an endpoint with all that a signed request needs. */
import { z } from 'zod'
import { inForm, option } from './field-words.ts'
import { prefixSchema } from './environment.ts'
import { sendFailureKindSchema, targetCaSchema } from './send.ts'

const MORE = { part: 'Name, prefix, registered URL' } as const

const handlerNameSchema = z
  .string()
  .trim()
  .overwrite((name) => name.replace(/^@/, ''))
  .max(60, { error: 'A name can have up to 60 characters' })
  .regex(/^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u, {
    error: 'Use letters, digits, dots, hyphens and underscores, such as local',
  })

const handlerCheckSchema = z.object({
  at: z.iso.datetime(),
  passed: z.number().int(),
  failed: z.number().int(),
  skipped: z.number().int(),
})

const handlerCheckRunSchema = handlerCheckSchema.extend({
  runId: z.string(),
  score: z.number().nullable(),
})
export type HandlerCheckRun = z.infer<typeof handlerCheckRunSchema>

export const handlerSchema = z.object({
  id: z.string(),
  /** Unique without regard to case; written as `@NAME`. */
  name: z.string(),
  url: z.string(),
  /** URL to sign; null for its hook's registered URL, or its own URL. */
  registeredUrl: z.string().nullable(),
  /** Hook whose secret it verifies with, unless it has its own. */
  hookId: z.string().nullable(),
  hasSecret: z.boolean(),
  /** Prefix of the header names; null for the current environment's. */
  prefix: z.string().nullable(),
  targetCa: targetCaSchema,
  current: z.boolean(),
  lastCheck: handlerCheckSchema.nullable(),
})
export type SavedHandler = z.infer<typeof handlerSchema>

/** A hook and an own secret exclude each other; without either, each delivery's hook signs. */
const handlerSettings = {
  url: z.string().trim().min(1).max(2_000),
  registeredUrl: z.string().trim().min(1).max(2_000).nullable(),
  hookId: z.string().min(1).nullable(),
  secret: z.string().min(1).max(1_000).nullable(),
  prefix: prefixSchema.nullable(),
  targetCa: targetCaSchema,
}

export const handlerAddSchema = z.object({
  url: option(
    handlerSettings.url.clone(),
    'URL; on this computer, http:// may be omitted',
    '<url>',
    {
      label: 'URL',
      kind: 'url',
      hint: '',
      placeholder: 'localhost:3000/webhooks',
      expected: "your handler's URL, for example localhost:3000/webhooks",
    },
  ),
  hookId: inForm(handlerSettings.hookId.default(null), { label: 'Secret', kind: 'select' }),
  secret: inForm(handlerSettings.secret.default(null), {
    label: 'Handler secret',
    kind: 'secret',
    hint: 'The secret your handler verifies with. Stored encrypted.',
    isNeeded: true,
  }),
  name: inForm(handlerNameSchema, {
    ...MORE,
    label: 'Name',
    hint: 'Refer to it as @name.',
  }),
  prefix: option(
    handlerSettings.prefix.default(null),
    "prefix of the header names with --secret (default: the current environment's)",
    '<name>',
    { ...MORE, label: 'Header prefix', hint: 'Service name in header names, x-NAME-signature' },
  ),
  registeredUrl: option(
    handlerSettings.registeredUrl.default(null),
    "registered URL of the signature (default: the hook's, or the handler's URL with --secret)",
    '<url>',
    {
      ...MORE,
      label: 'Registered URL',
      kind: 'url',
      hint: "The URL your handler verifies with. It's part of the signature.",
    },
  ),
  targetCa: option(
    handlerSettings.targetCa.default(null),
    'CA certificate that must verify its certificate (PEM)',
    '<file>',
    {
      label: 'CA certificate',
      kind: 'certificate',
      hint: "PEM. Needed only if this computer doesn't trust the handler's certificate.",
    },
  ),
})
export type HandlerAdd = z.infer<typeof handlerAddSchema>

export const handlerUpdateSchema = z
  .object({ name: handlerNameSchema, ...handlerSettings })
  .partial()
export type HandlerUpdate = z.infer<typeof handlerUpdateSchema>

export const handlerProbeSchema = z.object({
  reachable: z.boolean(),
  ms: z.number(),
  errorKind: sendFailureKindSchema.nullable(),
  error: z.string().nullable(),
  at: z.iso.datetime(),
})
export type HandlerProbe = z.infer<typeof handlerProbeSchema>

/** Percentiles are response times in milliseconds. */
const handlerMinuteSchema = z.object({
  at: z.iso.datetime(),
  count: z.number().int(),
  failed: z.number().int(),
  p50: z.number().nullable(),
  p95: z.number().nullable(),
})

/** `failed`: as in `response:failing`, or without a response. */
export const handlerPageSchema = z.object({
  at: z.iso.datetime(),
  minutes: z.array(handlerMinuteSchema),
  requests: z.number().int(),
  failed: z.number().int(),
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  latest: z.array(
    z.object({
      sendId: z.string(),
      deliveryId: z.string(),
      event: z.string().nullable(),
      /** Major units, as in the payload. */
      amount: z.number().nullable(),
      currency: z.string().nullable(),
      status: z.number().int().nullable(),
      errorKind: sendFailureKindSchema.nullable(),
      excerpt: z.string(),
      at: z.iso.datetime(),
      /** Deliveries with this event and reason, newest first. */
      ids: z.array(z.string()),
    }),
  ),
  flows: z.array(
    z.object({
      flow: z.string(),
      title: z.string(),
      runId: z.string(),
      outcome: z.enum(['pass', 'fail']),
      summary: z.string(),
      /** First failed step's result: `Clearing: returned 500, expected 200`. */
      reason: z.string(),
      startedAt: z.iso.datetime(),
      endedAt: z.iso.datetime(),
    }),
  ),
  checks: z.array(handlerCheckRunSchema),
})
export type HandlerPage = z.infer<typeof handlerPageSchema>
