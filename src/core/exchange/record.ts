/**
 * One delivery as a line of a JSON Lines export: everything that is kept of it but its number in this database, its body in
 * Base-64, headers in their order and case. What is exported, imported and exported again is the same line.
 */
import { hash } from 'node:crypto'
import { z } from 'zod'
import { deliverySchema, type Delivery } from '../../shared/model/delivery.ts'
import { NOTE_LENGTH } from '../../shared/model/marks.ts'
import { BODY_LIMITS } from '../../shared/model/settings.ts'

/** Ids, and the names of events and environments. */
const NAME_LENGTH = 200
/** Bytes of a request's head: more than the receiver reads (64 KiB). */
const HEAD_LENGTH = 131_072
/** Longer than any method in use. */
const METHOD_LENGTH = 100
/** Bytes that a sender can plausibly have sent, of which the receiver keeps the head. */
const SENT_BYTES = 2 ** 40
const DAY_MS = 86_400_000

/** On one line: these are written into lines of other files, and into the first line of a request. */
const oneLine = (length: number) =>
  z
    .string()
    .max(length)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u)
const name = oneLine(NAME_LENGTH).nullable()
/** As a receiver can have read it: one character a byte, and no end of a line, which would begin a header of its own. */
const headerText = z.string().regex(/^[^\0\r\n\u0100-\uffff]*$/)

/** A pattern for the whole would run out of its memory in a body of many megabytes. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^={0,2}$/.test(text.slice(text.search(/[^A-Za-z0-9+/]|$/)))
}

/** Whether headers fit into the head of a request: names, values, and four characters around each. */
function isHead(headers: readonly (readonly [string, string])[]): boolean {
  return headers.reduce((length, [given, value]) => length + given.length + value.length + 4, 0) <= HEAD_LENGTH
}

/** A delivery of a file from elsewhere: only what a receiver could have received is one. */
const recordSchema = deliverySchema.omit({ seq: true, origin: true, verifiedHere: true }).extend({
  /** Version of this form. */
  countersign: z.literal(1),
  // `latest` names no one delivery.
  id: z
    .string()
    .min(1)
    .max(NAME_LENGTH)
    .regex(/^(?!latest)[\x21-\x7e]+$/),
  bodySha256: z.string().regex(/^[0-9a-f]{64}$/),
  bodySize: z.number().int().min(0).max(SENT_BYTES),
  body: z
    .string()
    .max(Math.ceil(BODY_LIMITS.most / 3) * 4)
    .refine(isBase64),
  method: oneLine(METHOD_LENGTH).nullable(),
  path: oneLine(HEAD_LENGTH).nullable(),
  malformed: z.object({ reason: z.string().max(NOTE_LENGTH) }).nullable(),
  httpVersion: oneLine(20),
  headers: z.array(z.tuple([headerText, headerText])).refine(isHead),
  // Files of earlier versions have none.
  trailers: z
    .array(z.tuple([headerText, headerText]))
    .refine(isHead)
    .default([]),
  remote: name,
  event: name,
  eventCandidates: z.array(oneLine(NAME_LENGTH)).max(100),
  hookId: name,
  environment: name,
  attempt: z.number().int().min(1).max(1_000_000),
  attemptOf: name,
  duplicateOf: name,
  replayOf: name,
  answer: z.object({
    status: z.number().int().min(100).max(599).nullable(),
    ms: z.number().min(0).max(DAY_MS).nullable(),
  }),
  note: z.string().max(NOTE_LENGTH).nullable(),
})
type DeliveryRecord = z.infer<typeof recordSchema>

/** What stands in front of the sender's address of a delivery that was received elsewhere: it is passed on to nobody. */
export const IMPORTED = 'imported:'

export function writeRecord({ seq: _, origin: __, verifiedHere: ___, remote, ...delivery }: Delivery, body: Uint8Array): string {
  const sender = remote?.startsWith(IMPORTED) === true ? remote.slice(IMPORTED.length) || null : remote
  const record: DeliveryRecord = { countersign: 1, ...delivery, remote: sender, body: '' }
  // Base-64 has nothing to escape: written in its place, a body of megabytes is not gone through once more.
  return `${JSON.stringify(record).slice(0, -'"}'.length)}${Buffer.from(body).toString('base64')}"}`
}

/** A line that was read; its body lies apart, as bytes alone. */
export interface ReadableRecord {
  readonly record: Omit<DeliveryRecord, 'body'>
  readonly body: Buffer
}

/** Reads one line, or says in a sentence why it cannot be. */
export function readRecord(line: string): ReadableRecord | { readonly refused: string } {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return { refused: 'It is not JSON.' }
  }
  const parsed = recordSchema.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const place = issue?.path.join('.') ?? ''
    return {
      refused:
        place === '' ? 'It is no delivery of an export of Countersign.' : `Its field "${place}" is not as an export writes it.`,
    }
  }
  const { body: base64, ...record } = parsed.data
  const body = Buffer.from(base64, 'base64')
  if (!record.truncated && body.length !== record.bodySize)
    return { refused: `bodySize is ${record.bodySize}, but the body has ${body.length} bytes.` }
  if (body.length > record.bodySize) return { refused: `bodySize is ${record.bodySize}, but ${body.length} bytes were kept.` }
  // Of a body that was cut off, the hash is that of the whole: nobody can check it.
  if (!record.truncated && hash('sha256', body, 'hex') !== record.bodySha256)
    return { refused: 'bodySha256 does not match the body: one of them was changed.' }
  return { record, body }
}
