/**
 * The words of a delivery, used in this sense everywhere:
 *
 * - **delivery**: one request that the receiver took in, well-formed or not, with its exact bytes.
 * - **notification**: the event behind up to three deliveries of the service.
 * - **attempt**: the nth delivery of one notification.
 * - **duplicate**: a repeat of a notification that had been acknowledged.
 * - **verdict**: whether a known secret proves the signature. **Freshness**: how old the signature was at receipt.
 *   **Schema**: whether the body is what the interface says of its event. Three separate answers.
 * - **answer**: what the receiver replied, and after how long.
 * - **seq**: the integer that orders deliveries in one database. **id**: the name that outlives it.
 */
import { z } from 'zod'
import { marksSchema, UNMARKED } from './marks.ts'

export const verdictSchema = z.enum(['valid', 'invalid', 'unsigned', 'unknown-hook'])
export type Verdict = z.infer<typeof verdictSchema>

export const freshnessSchema = z.enum(['fresh', 'stale', 'future', 'missing'])
export type Freshness = z.infer<typeof freshnessSchema>

export const schemaOutcomeSchema = z.enum(['ok', 'issues', 'not-json', 'unknown'])
export type SchemaOutcome = z.infer<typeof schemaOutcomeSchema>

export const modeSchema = z.enum(['test', 'live'])
export type Mode = z.infer<typeof modeSchema>

/** Where a delivery is from: this receiver, a file, a handler's report, or a share. Fixed for scripts; not all occur yet. */
export const originSchema = z.enum(['received', 'imported', 'reported', 'shared'])

/** Header names and values in the order, case and number received; bytes above 0x7f as Latin-1 characters. */
export const rawHeadersSchema = z.array(z.tuple([z.string(), z.string()]))
export type RawHeaders = z.infer<typeof rawHeadersSchema>

/** `status` is null where the connection was dropped, or is still open; `ms` from the request's last byte to the answer's. */
export const answerSchema = z.object({ status: z.number().int().nullable(), ms: z.number().nullable() })

/** What a list shows of a delivery: all but the headers and the hash. */
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
  /** Whether this installation computed the verdict. If not, the verdict is only what the file says. */
  verifiedHere: z.boolean(),
  ...marksSchema.shape,
})
export type DeliveryRow = z.infer<typeof deliveryRowSchema>

export const deliverySchema = deliveryRowSchema.extend({
  httpVersion: z.string(),
  headers: rawHeadersSchema,
  /** The fields that followed a chunked body. */
  trailers: rawHeadersSchema,
  bodySha256: z.string(),
  /** Nothing of the body is stored: its page of the database was damaged. `truncated` is true too. */
  bodyLost: z.boolean(),
  replayOf: z.string().nullable(),
  /** Address of the sender, as `127.0.0.1:51234`. */
  remote: z.string().nullable(),
})
export type Delivery = z.infer<typeof deliverySchema>

/** A delivery of which nothing is known yet. */
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
  ...UNMARKED,
  httpVersion: '1.1',
  headers: [],
  trailers: [],
  bodySha256: '',
  bodyLost: false,
  replayOf: null,
  remote: null,
}
