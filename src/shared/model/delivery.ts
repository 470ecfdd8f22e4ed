/**
 * What a delivery is. These terms have the same meaning everywhere:
 *
 * - **delivery**: one request accepted by the receiver, well-formed or not, with its exact bytes.
 * - **notification**: the event behind up to three deliveries from the service.
 * - **attempt**: the nth delivery of one notification.
 * - **duplicate**: a repeat of a notification that was already acknowledged.
 * - **verdict**: whether a known secret verifies the signature. **Freshness**: the signature's age at receipt.
 *   **Schema**: whether the body matches its event's schema. The three are independent.
 * - **answer**: the receiver's response, and how long it took.
 * - **seq**: an integer that orders deliveries within one database. **id**: the delivery's permanent name.
 */
import { z } from 'zod'
import { marksSchema, UNMARKED } from './retention.ts'

export const verdictSchema = z.enum(['valid', 'invalid', 'unsigned', 'unknown-hook'])
export type Verdict = z.infer<typeof verdictSchema>

export const freshnessSchema = z.enum(['fresh', 'stale', 'future', 'missing', 'unknown'])
export type Freshness = z.infer<typeof freshnessSchema>

export const schemaOutcomeSchema = z.enum(['ok', 'issues', 'not-json', 'unknown'])
export type SchemaOutcome = z.infer<typeof schemaOutcomeSchema>

export const modeSchema = z.enum(['test', 'live'])
export type Mode = z.infer<typeof modeSchema>

/** Origin of a delivery: this receiver, a file, a handler's report, or a share. Fixed for scripts; not all are in use yet. */
const originSchema = z.enum(['received', 'imported', 'reported', 'shared'])

/** Header names and values in the order, case and number received. Bytes above 0x7f are Latin-1 characters. */
export const rawHeadersSchema = z.array(z.tuple([z.string(), z.string()]))
export type RawHeaders = z.infer<typeof rawHeadersSchema>

/**
 * `status` is null if the connection was dropped or is still open. `ms` runs from the last byte of the request to the last byte of
 * the response.
 */
const answerSchema = z.object({ status: z.number().int().nullable(), ms: z.number().nullable() })

/**
 * What the user's handler last returned for the delivery, to a flow, forward or replay. `outcome` judges it: `failing` is a valid,
 * fresh delivery that wasn't acknowledged, or an invalid or unsigned one that was; `rejected` is the right response to the latter.
 */
export const handlerResponseSchema = z.object({
  /** The saved handler's name; null if the endpoint wasn't saved. */
  name: z.string().nullable(),
  /** The endpoint's URL. */
  target: z.string(),
  /** The send with the whole response. */
  sendId: z.string(),
  at: z.iso.datetime().nullable(),
  /** Null if there was no response. */
  status: z.number().int().nullable(),
  ms: z.number().nullable(),
  /** Whether the handler took too long to respond. */
  timedOut: z.boolean(),
  /** Whether it was sent with a valid signature, so that an invalid delivery got a valid one. */
  signed: z.boolean(),
  outcome: z.enum(['acknowledged', 'rejected', 'failing', 'neutral']),
})
export type HandlerResponse = z.infer<typeof handlerResponseSchema>

/**
 * The last replay that was sent, judged. `failing`: not acknowledged, or acknowledged although it was forged; `rejected`: the right
 * response to a forged one; `recorded`: only this receiver responded; `neutral`: proves nothing.
 */
const lastReplaySchema = z.object({
  outcome: z.enum(['acknowledged', 'rejected', 'failing', 'neutral', 'recorded']),
  at: z.iso.datetime(),
  /** Null if there was no response. */
  status: z.number().int().nullable(),
  target: z.string(),
  /** The send with the whole response. */
  sendId: z.string(),
  /** Whether it was acknowledged and an earlier one to the same endpoint wasn't. */
  fixed: z.boolean(),
})
export type LastReplay = z.infer<typeof lastReplaySchema>

/** What the receiver returned; `status` is null if it dropped the connection. `body` is Base64. */
export const ownResponseSchema = z.object({
  status: z.number().int().nullable(),
  headers: rawHeadersSchema,
  body: z.base64(),
  /** Whether `body` is only the start. */
  truncated: z.boolean(),
})
export type OwnResponse = z.infer<typeof ownResponseSchema>

/** The flow run that caused a delivery, and the step that expected it; null if none did. */
export const deliveryFlowSchema = z.object({
  flow: z.string(),
  run: z.string(),
  step: z.string().nullable(),
})
export type DeliveryFlow = z.infer<typeof deliveryFlowSchema>

/** The fields of a delivery in a list: all except the headers and the hash. */
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
  /** Whether this installation computed the verdict. If not, the verdict is only what the file claims. */
  verifiedHere: z.boolean(),
  /** Null if no response is recorded. */
  handler: handlerResponseSchema.nullable(),
  /** Null if no flow caused it. */
  flowRun: deliveryFlowSchema.nullable(),
  /** The payload's amount exactly as written, signed as the service sends it; null for other payloads, and before it is read. */
  amount: z.string().nullable(),
  currency: z.string().nullable(),
  merchant: z.string().nullable(),
  /** How many schema errors the payload has; null if it wasn't checked, or isn't counted yet. */
  schemaErrors: z.number().int().nullable(),
  /** Why the signature is invalid: a diagnosis' `cause`. Null if it isn't invalid, isn't diagnosed yet, or has no explanation. */
  cause: z.string().nullable(),
  /** How long before receipt a stale delivery was signed; negative if it was signed in the future. Null for other ones. */
  signatureAgeMs: z.number().nullable(),
  /** The first bytes (up to 16, hexadecimal) of a malformed request whose request line couldn't be read. */
  firstBytes: z.string().nullable(),
  /** Null without a replay. */
  lastReplay: lastReplaySchema.nullable(),
  ...marksSchema.shape,
})
export type DeliveryRow = z.infer<typeof deliveryRowSchema>

export const deliverySchema = deliveryRowSchema.extend({
  httpVersion: z.string(),
  headers: rawHeadersSchema,
  /** The fields that followed a chunked body. */
  trailers: rawHeadersSchema,
  bodySha256: z.string(),
  /** True if no part of the body is stored because its database page was damaged. `truncated` is then true too. */
  bodyLost: z.boolean(),
  /** Whether the stored bytes differ from those that arrived, by their hash. Compared where one delivery is read; false in lists. */
  bodyAltered: z.boolean(),
  /** When it was judged again, after its prefix became known; null for the verdict at receipt or of a file. */
  judgedAt: z.iso.datetime().nullable(),
  replayOf: z.string().nullable(),
  /** The last four digits of the payload's card, as written; null for other payloads. */
  last4: z.string().nullable(),
  /** The sender's address, such as `127.0.0.1:51234`. */
  remote: z.string().nullable(),
  /** Whether its hook is deleted by now; absent in exports. */
  hookDeleted: z.boolean().optional(),
  /** What the receiver returned; null if it isn't recorded: earlier versions didn't, or it isn't sent yet. */
  response: ownResponseSchema.nullable(),
})
export type Delivery = z.infer<typeof deliverySchema>

export const ALTERED_BODY =
  'The stored body differs from the one that arrived: its database page was damaged.'

/** Prefix of the sender's address of a delivery received elsewhere: it is never forwarded. */
export const IMPORTED = 'imported:'

/** The sender's address; for an imported delivery, the one its file names. Null if unknown. */
export function senderOf({ remote, origin }: Pick<Delivery, 'remote' | 'origin'>): string | null {
  if (remote === null || origin === 'reported') return null
  return remote.startsWith(IMPORTED) ? remote.slice(IMPORTED.length) || null : remote
}

/** Whether the response is still delayed or held, or Countersign was killed before it was sent. */
export function isResponsePending({
  answer,
  origin,
}: Pick<Delivery, 'answer' | 'origin'>): boolean {
  return answer.ms === null && origin === 'received'
}

/**
 * What a list can be sorted by. `amount`: by currency, then by value. `responded`: our status, then its time; `handler`: the same of
 * the handler's response; `source`: by flow, then imported deliveries. Deliveries without a value come last in both directions; equal ones
 * are sorted by time, newest first.
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

/** Up to this many matches can be sorted: all are needed at once. By time, a longer list is read in the order of arrival. */
export const MOST_SORTED = 10_000

/** Values for a delivery before anything is known about it. */
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
  /** Path in the payload, such as `location.geolocation.latitude`; empty for the whole. */
  path: z.string(),
  message: z.string(),
  /** Section of the spec, such as `2.6`. */
  section: z.string(),
})

/** The result of checking a captured payload against its event's schema (section 2 of the spec). */
export const schemaReportSchema = z.object({
  /** The event whose schema was used; null if unknown. */
  event: z.string().nullable(),
  outcome: schemaOutcomeSchema,
  /** Missing fields and wrong types. */
  failures: z.array(noteSchema),
  /** Findings that don't affect the outcome. */
  findings: z.array(noteSchema),
})
export type SchemaReport = z.infer<typeof schemaReportSchema>
