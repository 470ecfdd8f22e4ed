/**
 * A send: one request that we made from a stored delivery, to the developer's own endpoint. It is never an attempt; attempts are
 * the service's (`sandbox.ts`). Also defines a job's options and progress.
 */
import { z } from 'zod'
import { rawHeadersSchema } from './delivery.ts'
import { typedLiteral } from '../body/json-literals.ts'

/** `--tamper`: how the request is deliberately made invalid. */
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

/** Names of the parts that differ from the captured request. */
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
 * `waiting`: not yet sent. `under-way`: recorded just before its first byte is sent. `settled`: a response was received, or is
 * known to be missing. `uncertain`: the program stopped during the send, so it may have arrived; it was sent again. `not-sent`:
 * could not be sent; `error` says why. `cancelled`: the job was cancelled first.
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
 * Compares a settled send with the previous one of the same delivery, target, edits and tampering: whether the endpoint passes, and
 * whether that changed. It passes if it acknowledges the request, or rejects a forged one. `recorded`: only Countersign's own
 * receiver responded.
 */
const sendOutcomeSchema = z.enum([
  'first-pass',
  'still-passing',
  'fixed',
  'first-fail',
  'still-failing',
  'regressed',
  'recorded',
])
export type SendOutcome = z.infer<typeof sendOutcomeSchema>

export const sendSchema = z.object({
  id: z.string(),
  jobId: z.string(),
  /** Position in the job, starting at 1. */
  position: z.number().int(),
  deliveryId: z.string(),
  target: z.string(),
  /** The present name of the saved handler that it went to; null if its endpoint wasn't saved. */
  handler: z.string().nullable(),
  /** The signed URL, before tampering; null if the send was not signed, or not yet. */
  registeredUrl: z.string().nullable(),
  tamper: tamperSchema.nullable(),
  /** Why it was sent. For a forwarded delivery, `jobId` is the target's id; for a flow's, the run's. */
  kind: z.enum(['replay', 'forward', 'flow']),
  /** How many earlier tries of a forwarded delivery were not acknowledged. */
  tries: z.number().int(),
  /** What differed from the captured request. */
  edited: z.array(editedPartSchema),
  state: sendStateSchema,
  startedAt: z.iso.datetime().nullable(),
  /** Null if there was no response. */
  status: z.number().int().nullable(),
  /** From the start of the send to the end of the response, in milliseconds. */
  ms: z.number().nullable(),
  /** Parts of `ms`: connecting, waiting for the response head, reading the response body. */
  phases: z.object({ connect: z.number(), wait: z.number(), body: z.number() }).nullable(),
  errorKind: sendFailureKindSchema.nullable(),
  error: z.string().nullable(),
  outcome: sendOutcomeSchema.nullable(),
  /** For a forged send: whether the endpoint acknowledged the last valid one before it; null if none was sent. */
  validPassed: z.boolean().nullable(),
  /** A problem with the endpoint's certificate, ignored because the endpoint is on this computer. */
  certificateProblem: z.string().nullable(),
})
export type Send = z.infer<typeof sendSchema>

/** A send with the event (null if unknown) and time received of its delivery, for lists. */
export const listedSendSchema = sendSchema.extend({
  event: z.string().nullable(),
  receivedAt: z.iso.datetime(),
})
export type ListedSend = z.infer<typeof listedSendSchema>

/** A request as sent: all headers except `host`, `connection` and `content-length`, and up to 64 KiB of the body. */
const sentRequestSchema = z.object({
  method: z.string(),
  headers: rawHeadersSchema,
  base64: z.string(),
  truncated: z.boolean(),
})
export type SentRequest = z.infer<typeof sentRequestSchema>

/**
 * A send with its full response (body up to 64 KiB) and its request; the request is null if it was not sent or isn't known for
 * certain.
 */
export const sendAnswerSchema = sendSchema.extend({
  headers: rawHeadersSchema,
  base64: z.string(),
  truncated: z.boolean(),
  request: sentRequestSchema.nullable(),
})
export type SendAnswer = z.infer<typeof sendAnswerSchema>

/** JSON values as typed, by path. */
export const literalsSchema = z.record(
  z.string().min(1),
  z
    .string()
    .max(100_000)
    .refine((text) => typedLiteral(text) === text, { error: 'a JSON value' }),
)

/** `recompute`: signed at the time of sending. `keep`: as in the headers. `drop`: left out. */
export const signatureModeSchema = z.enum(['recompute', 'keep', 'drop'])
export type SignatureMode = z.infer<typeof signatureModeSchema>

/** `now`: the time of sending. `original`: as in the headers, and signed. */
export const timestampModeSchema = z.enum(['now', 'original'])
export type TimestampMode = z.infer<typeof timestampModeSchema>

/**
 * Changes that a replay makes to the captured request: method, headers, body, signature and timestamp. By default only the
 * signature and timestamp are replaced (`NO_EDITS`).
 */
export const replayEditsSchema = z.object({
  method: z.string().min(1).max(64).nullable().default(null),
  /** Replaces all captured headers, in this order. Connection headers aren't allowed. */
  headers: rawHeadersSchema.max(1_000).nullable().default(null),
  /** Each one replaces the headers of the same name, or is added at the end. */
  setHeaders: rawHeadersSchema.max(100).default([]),
  /** JSON body fields to set, exactly as written here. The rest of the body stays byte for byte. */
  set: literalsSchema.optional(),
  signature: signatureModeSchema.default('recompute'),
  timestamp: timestampModeSchema.default('now'),
})
export type ReplayEdits = z.infer<typeof replayEditsSchema>

/** Settings shared by all sends of a job. */
const replaySettingsSchema = z.object({
  /** The search query that selected the deliveries; null if they were named. */
  query: z.string().nullable().default(null),
  to: z.string().nullable(),
  registeredUrl: z.string().nullable(),
  hookId: z.string().nullable(),
  /** The saved handler that `to` named, whose own secret signs unless a hook is chosen; null for a URL. */
  handlerId: z.string().nullable().default(null),
  tamper: tamperSchema.nullable(),
  /** Changes except the body, which is stored separately. */
  edits: replayEditsSchema,
  /** How many times each delivery is sent. */
  repeat: z.number().int().default(1),
  concurrency: z.number().int(),
  /** Maximum sends per second; null for as fast as the endpoint responds. */
  rate: z.number().nullable(),
  /** A CA certificate that must verify the endpoint's certificate, even on this computer; PEM. */
  targetCa: z.string().nullable(),
})
export type ReplaySettings = z.infer<typeof replaySettingsSchema>

export const replayJobSchema = z.object({
  id: z.string(),
  createdAt: z.iso.datetime(),
  ...replaySettingsSchema.omit({ targetCa: true, edits: true }).shape,
  edited: z.array(editedPartSchema),
  /** `interrupted`: the program stopped before the job finished; the job can be resumed. */
  state: z.enum(['running', 'interrupted', 'done', 'cancelled']),
  /** Why it stopped early, if known. */
  problem: z.string().nullable(),
  total: z.number().int(),
  waiting: z.number().int(),
  underWay: z.number().int(),
  /** Acknowledged or, if the requests are forged, rejected. `failed`: all other responses, and none. */
  passed: z.number().int(),
  failed: z.number().int(),
  /** Only Countersign's own receiver responded. */
  recorded: z.number().int().default(0),
  fixed: z.number().int(),
  regressed: z.number().int(),
  /** May have been sent twice: once before the program stopped, and again when the job resumed. */
  uncertain: z.number().int(),
  notSent: z.number().int(),
  cancelled: z.number().int(),
})
export type ReplayJob = z.infer<typeof replayJobSchema>

/** Filter for a job's sends. `failed`: not acknowledged or, if forged, not rejected. `not-sent` includes cancelled ones. */
export const sendsShownSchema = z.enum([
  'all',
  'failed',
  'regressed',
  'fixed',
  'not-sent',
  'uncertain',
])
export type SendsShown = z.infer<typeof sendsShownSchema>

// One or more CA certificates in PEM that must verify an endpoint's certificate.

/** Maximum length in characters. A system's complete list takes about 230,000. */
export const MOST_AUTHORITY = 262_144

/** Null: any certificate is accepted on this computer. */
export const targetCaSchema = z.string().max(MOST_AUTHORITY).nullable()
