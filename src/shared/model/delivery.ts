/**
 * Delivery and its terms:
 *
 * - **delivery**: one request accepted by the receiver, well-formed or not.
 * - **notification**: the event behind up to three deliveries.
 * - **attempt**: the nth delivery of one notification.
 * - **duplicate**: a repeat after the acknowledgement.
 * - **verdict**: whether a known secret verifies the signature.
 * - **freshness**: the signature's age at receipt.
 * - **schema**: whether the body matches its event's schema.
 * - **answer**: Countersign's own response to the sender, in short; **response**: in full.
 * - **handler**: last response of the user's handler.
 * - **seq**: order of deliveries within one database. **id**: permanent name.
 */
import { z } from 'zod'
import { marksSchema, UNMARKED } from './marks.ts'

export const verdictSchema = z.enum(['valid', 'invalid', 'unsigned', 'unknown-hook'])
export type Verdict = z.infer<typeof verdictSchema>

export const freshnessSchema = z.enum(['fresh', 'stale', 'future', 'missing', 'unknown'])
export type Freshness = z.infer<typeof freshnessSchema>

export const schemaOutcomeSchema = z.enum(['ok', 'issues', 'not-json', 'unknown'])
export type SchemaOutcome = z.infer<typeof schemaOutcomeSchema>

export const modeSchema = z.enum(['test', 'live'])
export type Mode = z.infer<typeof modeSchema>

/** Origins, fixed for scripts; not all are in use yet. */
const originSchema = z.enum(['received', 'imported', 'reported', 'shared', 'composed'])

/** Headers in the order, case and number received; bytes above 0x7f are Latin-1. */
export const rawHeadersSchema = z.array(z.tuple([z.string(), z.string()]))
export type RawHeaders = z.infer<typeof rawHeadersSchema>

/** `status` is null without a response. `ms` is between the last bytes of request and response. */
const answerSchema = z.object({ status: z.number().int().nullable(), ms: z.number().nullable() })

/**
 * Judged by the request: `failing`: not acknowledged with a valid, fresh signature, or not
 * rejected without one; `rejected`: rightly refused; `neutral`: both would be right.
 */
export const handlerResponseSchema = z.object({
  name: z.string().nullable(),
  target: z.string(),
  sendId: z.string(),
  at: z.iso.datetime().nullable(),
  status: z.number().int().nullable(),
  ms: z.number().nullable(),
  timedOut: z.boolean(),
  signed: z.boolean(),
  outcome: z.enum(['acknowledged', 'rejected', 'failing', 'neutral']),
})
export type HandlerResponse = z.infer<typeof handlerResponseSchema>

/**
 * Response of the last replay's `target`, which may be any URL.
 * `failing`: not acknowledged, or acknowledged although forged; `rejected`: the right response to a
 * forged one; `recorded`: only this receiver responded.
 */
const lastReplaySchema = z.object({
  outcome: z.enum(['acknowledged', 'rejected', 'failing', 'neutral', 'recorded']),
  at: z.iso.datetime(),
  status: z.number().int().nullable(),
  target: z.string(),
  sendId: z.string(),
  fixed: z.boolean(),
})
export type LastReplay = z.infer<typeof lastReplaySchema>

/** `status`: null for a dropped connection. */
export const ownResponseSchema = z.object({
  status: z.number().int().nullable(),
  headers: rawHeadersSchema,
  body: z.base64(),
  truncated: z.boolean(),
})
export type OwnResponse = z.infer<typeof ownResponseSchema>

export const deliveryFlowSchema = z.object({
  flow: z.string(),
  run: z.string(),
  step: z.string().nullable(),
})
export type DeliveryFlow = z.infer<typeof deliveryFlowSchema>

export const deliveryRowSchema = z.object({
  seq: z.number().int(),
  id: z.string(),
  receivedAt: z.iso.datetime(),
  method: z.string().nullable(),
  path: z.string().nullable(),
  malformed: z.object({ reason: z.string() }).nullable(),
  bodySize: z.number().int(),
  truncated: z.boolean(),
  event: z.string().nullable(),
  eventSource: z.enum(['hook', 'payload']).nullable(),
  eventCandidates: z.array(z.string()),
  hookId: z.string().nullable(),
  environment: z.string().nullable(),
  mode: modeSchema.nullable(),
  verdict: verdictSchema,
  freshness: freshnessSchema,
  attempt: z.number().int(),
  attemptOf: z.string().nullable(),
  duplicateOf: z.string().nullable(),
  schema: schemaOutcomeSchema,
  answer: answerSchema,
  origin: originSchema,
  /** Computed by this installation; otherwise a file's unverified claim. */
  verifiedHere: z.boolean(),
  handler: handlerResponseSchema.nullable(),
  flowRun: deliveryFlowSchema.nullable(),
  /** Unique name of a composed request. */
  name: z.string().nullable(),
  /** Exactly as written; null before it is read. */
  amount: z.string().nullable(),
  currency: z.string().nullable(),
  merchant: z.string().nullable(),
  /** Number of errors; null before the check. */
  schemaErrors: z.number().int().nullable(),
  cause: z.string().nullable(),
  /** Time from signing to receipt, if stale; negative if signed in the future. */
  signatureAgeMs: z.number().nullable(),
  /** First 16 bytes, in hex, of a malformed request without a readable request line. */
  firstBytes: z.string().nullable(),
  lastReplay: lastReplaySchema.nullable(),
  ...marksSchema.shape,
})
export type DeliveryRow = z.infer<typeof deliveryRowSchema>

export const deliverySchema = deliveryRowSchema.extend({
  httpVersion: z.string(),
  headers: rawHeadersSchema,
  trailers: rawHeadersSchema,
  bodySha256: z.string(),
  /** Lost with a damaged database page; then also `truncated`. */
  bodyLost: z.boolean(),
  /** Stored bytes no longer match their hash; false in lists. */
  bodyAltered: z.boolean(),
  /** Time of the new verdict after the header prefix became known. */
  judgedAt: z.iso.datetime().nullable(),
  replayOf: z.string().nullable(),
  last4: z.string().nullable(),
  remote: z.string().nullable(),
  hookDeleted: z.boolean().optional(),
  response: ownResponseSchema.nullable(),
})
export type Delivery = z.infer<typeof deliverySchema>

export const ALTERED_BODY =
  'The stored body differs from the one that arrived: its database page was damaged.'

/** Prefix of the sender of an imported delivery, which is never forwarded. */
export const IMPORTED_PREFIX = 'imported:'

/** Whether a request was copied or composed, so that it has neither a sender nor our response. */
export function isWritten(origin: DeliveryRow['origin']): boolean {
  return origin === 'reported' || origin === 'composed'
}

/** Returns the sender's address; of an imported delivery, the one in its file. */
export function senderOf({ remote, origin }: Pick<Delivery, 'remote' | 'origin'>): string | null {
  if (remote === null || isWritten(origin)) return null
  return remote.startsWith(IMPORTED_PREFIX) ? remote.slice(IMPORTED_PREFIX.length) || null : remote
}

/** Whether our own response is delayed or held, or was prevented by a crash. */
export function isResponsePending({
  answer,
  origin,
}: Pick<Delivery, 'answer' | 'origin'>): boolean {
  return answer.ms === null && origin === 'received'
}

/**
 * `amount`: by currency, then value. `responded`, `handler`: by status, then time. `source`: by
 * flow, then imported. Missing values come last; ties are by time, newest first.
 */
export const sortKeySchema = z.enum([
  'time',
  'verdict',
  'event',
  'amount',
  'merchant',
  'path',
  'size',
  'source',
  'responded',
  'handler',
  'schema-errors',
])
export type SortKey = z.infer<typeof sortKeySchema>

/** Limit of sorted matches, except by time. */
export const MOST_SORTED = 10_000

export const BLANK_DELIVERY: Delivery = {
  seq: 0,
  id: '',
  receivedAt: new Date(0).toISOString(),
  method: null,
  path: null,
  malformed: null,
  bodySize: 0,
  truncated: false,
  event: null,
  eventSource: null,
  eventCandidates: [],
  hookId: null,
  environment: null,
  mode: null,
  verdict: 'unsigned',
  freshness: 'missing',
  attempt: 1,
  attemptOf: null,
  duplicateOf: null,
  schema: 'unknown',
  answer: { status: null, ms: null },
  origin: 'received',
  verifiedHere: true,
  handler: null,
  flowRun: null,
  name: null,
  amount: null,
  currency: null,
  merchant: null,
  schemaErrors: null,
  cause: null,
  signatureAgeMs: null,
  firstBytes: null,
  lastReplay: null,
  ...UNMARKED,
  httpVersion: '1.1',
  headers: [],
  trailers: [],
  bodySha256: '',
  bodyLost: false,
  bodyAltered: false,
  judgedAt: null,
  replayOf: null,
  last4: null,
  remote: null,
  response: null,
}

const noteSchema = z.object({
  path: z.string(),
  message: z.string(),
  section: z.string(),
})

export const schemaReportSchema = z.object({
  event: z.string().nullable(),
  outcome: schemaOutcomeSchema,
  failures: z.array(noteSchema),
  /** Remarks that don't affect the outcome. */
  findings: z.array(noteSchema),
})
export type SchemaReport = z.infer<typeof schemaReportSchema>
