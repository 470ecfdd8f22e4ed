/**
 * Sends: requests made from stored deliveries to the developer's endpoint. Attempts are the
 * service's (`notification.ts`).
 */
import { z } from 'zod'
import { rawHeadersSchema } from './delivery.ts'
import { literalFromText } from '../body/json-literals.ts'

export const tamperSchema = z.enum([
  'body',
  'secret',
  'stale',
  'future',
  'single-pass',
  'no-signature',
  'no-timestamp',
  'url',
])
export type Tamper = z.infer<typeof tamperSchema>

export const editedPartSchema = z.enum(['method', 'headers', 'body', 'signature', 'timestamp'])
export type EditedPart = z.infer<typeof editedPartSchema>

export const sendFailureKindSchema = z.enum([
  'timeout',
  'refused',
  'unknown-host',
  'certificate',
  'tls',
  'dropped',
  'not-http',
  'not-allowed',
  'cancelled',
  'other',
])
export type SendFailureKind = z.infer<typeof sendFailureKindSchema>

/**
 * `under-way`: recorded just before its first byte. `settled`: a response was received, or is known
 * to be missing. `uncertain`: the program stopped during the send, which was repeated. `not-sent`:
 * `error` says why.
 */
const sendStateSchema = z.enum([
  'waiting',
  'under-way',
  'settled',
  'uncertain',
  'not-sent',
  'cancelled',
])
export type SendState = z.infer<typeof sendStateSchema>

/**
 * Comparison with the previous send of this delivery, target and edits. An endpoint passes if it
 * acknowledges the request, or rejects a forged one. `recorded`: only Countersign responded.
 */
const sendOutcomeSchema = z.enum([
  'passed',
  'still-passing',
  'fixed',
  'failed',
  'still-failing',
  'regressed',
  'recorded',
])
export type SendOutcome = z.infer<typeof sendOutcomeSchema>

export const sendSchema = z.object({
  id: z.string(),
  replayId: z.string(),
  /** Position in the replay, from 1. */
  position: z.number().int(),
  deliveryId: z.string(),
  target: z.string(),
  handler: z.string().nullable(),
  registeredUrl: z.string().nullable(),
  tamper: tamperSchema.nullable(),
  /** `replayId` is the target's id for a forward, the run's for a flow. */
  kind: z.enum(['replay', 'forward', 'flow']),
  tries: z.number().int(),
  edited: z.array(editedPartSchema),
  state: sendStateSchema,
  startedAt: z.iso.datetime().nullable(),
  status: z.number().int().nullable(),
  /** Time from the start of the send to the end of the response. */
  ms: z.number().nullable(),
  /** Parts of `ms`; `wait` is for the response head. */
  phases: z.object({ connect: z.number(), wait: z.number(), body: z.number() }).nullable(),
  errorKind: sendFailureKindSchema.nullable(),
  error: z.string().nullable(),
  outcome: sendOutcomeSchema.nullable(),
  /** Whether the last valid send before a forged one was acknowledged. */
  validPassed: z.boolean().nullable(),
  /** Right response, by the request's signature; `either` before the send, too. */
  expected: z.enum(['acknowledged', 'rejected', 'either']),
  /** Certificate error that was ignored, because the target is this computer. */
  certificateProblem: z.string().nullable(),
})
export type Send = z.infer<typeof sendSchema>

export const listedSendSchema = sendSchema.extend({
  event: z.string().nullable(),
  receivedAt: z.iso.datetime(),
})
export type ListedSend = z.infer<typeof listedSendSchema>

/**
 * Request as sent, without `host`, `connection` and `content-length`, and up to 64 KiB of the body.
 */
const sentRequestSchema = z.object({
  method: z.string(),
  headers: rawHeadersSchema,
  base64: z.string(),
  truncated: z.boolean(),
})
export type SentRequest = z.infer<typeof sentRequestSchema>

/** Send with its response (body up to 64 KiB) and request, if certain. */
export const sendAnswerSchema = sendSchema.extend({
  headers: rawHeadersSchema,
  base64: z.string(),
  truncated: z.boolean(),
  request: sentRequestSchema.nullable(),
})
export type SendAnswer = z.infer<typeof sendAnswerSchema>

export const literalsSchema = z.record(
  z.string().min(1),
  z
    .string()
    .max(100_000)
    .refine((text) => literalFromText(text) === text, { error: 'a JSON value' }),
)

/** `recompute`: when sent. `keep`: as in the headers. `drop`: left out. */
export const signatureModeSchema = z.enum(['recompute', 'keep', 'drop'])
export type SignatureMode = z.infer<typeof signatureModeSchema>

/** `original`: the captured timestamp, which is signed too. */
export const timestampModeSchema = z.enum(['now', 'original'])
export type TimestampMode = z.infer<typeof timestampModeSchema>

export const replayEditsSchema = z.object({
  method: z.string().min(1).max(64).nullable().default(null),
  headers: rawHeadersSchema.max(1_000).nullable().default(null),
  /** Headers that replace those of their name, or are added. */
  setHeaders: rawHeadersSchema.max(100).default([]),
  /** JSON body fields to set, exactly as written; the rest stays byte for byte. */
  set: literalsSchema.optional(),
  signature: signatureModeSchema.default('recompute'),
  timestamp: timestampModeSchema.default('now'),
})
export type ReplayEdits = z.infer<typeof replayEditsSchema>

/** Endpoint of a comparison to which each delivery goes first. */
const otherEndpointSchema = z.object({
  to: z.string(),
  registeredUrl: z.string().nullable(),
  hookId: z.string().nullable(),
  handlerId: z.string().nullable(),
  targetCa: z.string().nullable(),
})
export type OtherEndpoint = z.infer<typeof otherEndpointSchema>

/** Settings of a comparison; with `nothing`, responses are only saved. */
const comparisonSettingsSchema = z.object({
  with: z.enum(['endpoint', 'previous', 'baseline', 'nothing']),
  other: otherEndpointSchema.nullable(),
  /** Text as typed: `@old`, `previous` or a file. */
  name: z.string(),
  ignore: z.array(z.string()),
  headers: z.array(z.string()),
})
export type ComparisonSettings = z.infer<typeof comparisonSettingsSchema>

const replaySettingsSchema = z.object({
  query: z.string().nullable().default(null),
  to: z.string().nullable(),
  registeredUrl: z.string().nullable(),
  hookId: z.string().nullable(),
  handlerId: z.string().nullable().default(null),
  tamper: tamperSchema.nullable(),
  edits: replayEditsSchema,
  repeat: z.number().int().default(1),
  concurrency: z.number().int(),
  rate: z.number().nullable(),
  targetCa: z.string().nullable(),
  /** Comparison of the responses; null for a plain replay. */
  comparison: comparisonSettingsSchema.nullable().default(null),
})
export type ReplaySettings = z.infer<typeof replaySettingsSchema>

export const replaySchema = z.object({
  id: z.string(),
  createdAt: z.iso.datetime(),
  ...replaySettingsSchema.omit({ targetCa: true, edits: true, comparison: true }).shape,
  comparison: comparisonSettingsSchema
    .extend({ other: otherEndpointSchema.omit({ targetCa: true }).nullable() })
    .nullable()
    .default(null),
  edited: z.array(editedPartSchema),
  /** `interrupted`: the program stopped first; the replay can be resumed. */
  state: z.enum(['running', 'interrupted', 'done', 'cancelled']),
  problem: z.string().nullable(),
  total: z.number().int(),
  waiting: z.number().int(),
  underWay: z.number().int(),
  /** Acknowledged or, if forged, rejected; `failed` are the others. */
  passed: z.number().int(),
  failed: z.number().int(),
  recorded: z.number().int().default(0),
  fixed: z.number().int(),
  regressed: z.number().int(),
  /** Possibly sent twice, because the program stopped. */
  uncertain: z.number().int(),
  notSent: z.number().int(),
  cancelled: z.number().int(),
})
export type Replay = z.infer<typeof replaySchema>

/** `failed`: as in the replay. `not-sent` includes cancelled ones. */
export const sendsShownSchema = z.enum([
  'all',
  'failed',
  'regressed',
  'fixed',
  'not-sent',
  'uncertain',
])
export type SendsShown = z.infer<typeof sendsShownSchema>

/** Characters of CA certificates; a system's take about 230,000. */
export const MOST_CA_CHARACTERS = 262_144

/** CA certificates (PEM); null accepts any certificate on this computer. */
export const targetCaSchema = z.string().max(MOST_CA_CHARACTERS).nullable()
