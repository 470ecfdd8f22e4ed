/**
 * One delivery as a line of a JSON Lines export: everything that is kept of it but its number in this database, its body in
 * Base-64, headers in their order and case. What is exported, imported and exported again is the same line.
 */
import { z } from 'zod'
import { deliverySchema, type Delivery } from '../../shared/model/delivery.ts'

/** On one line: these are written into lines of other files, and into the first line of a request. */
const oneLine = z.string().regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u)
/** As a receiver can have read it: one character a byte, and no end of a line, which would begin a header of its own. */
const headerText = z.string().regex(/^[^\0\r\n\u0100-\uffff]*$/)

/** A pattern for the whole would run out of its memory in a body of many megabytes. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^={0,2}$/.test(text.slice(text.search(/[^A-Za-z0-9+/]|$/)))
}

/** A delivery of a file from elsewhere: only what a receiver could have received is one. */
const recordSchema = deliverySchema.omit({ seq: true }).extend({
  /** Version of this form. */
  countersign: z.literal(1),
  // `latest` names no one delivery.
  id: z
    .string()
    .min(1)
    .max(200)
    .regex(/^(?!latest)[\x21-\x7e]+$/),
  bodySha256: z.string().regex(/^[0-9a-f]{64}$/),
  bodySize: z.number().int().min(0),
  body: z.string().refine(isBase64),
  method: oneLine.nullable(),
  path: oneLine.nullable(),
  httpVersion: oneLine,
  headers: z.array(z.tuple([headerText, headerText])),
  remote: oneLine.nullable(),
  event: oneLine.nullable(),
  hookId: oneLine.nullable(),
  environment: oneLine.nullable(),
  attemptOf: oneLine.nullable(),
  duplicateOf: oneLine.nullable(),
  replayOf: oneLine.nullable(),
})
export type DeliveryRecord = z.infer<typeof recordSchema>

/** What stands in front of the sender's address of a delivery that was received elsewhere: it is passed on to nobody. */
export const IMPORTED = 'imported:'

export function writeRecord({ seq: _, remote, ...delivery }: Delivery, body: Uint8Array): string {
  const sender = remote?.startsWith(IMPORTED) === true ? remote.slice(IMPORTED.length) || null : remote
  const record: DeliveryRecord = { countersign: 1, ...delivery, remote: sender, body: '' }
  // Base-64 has nothing to escape: written in its place, a body of megabytes is not gone through once more.
  return `${JSON.stringify(record).slice(0, -'"}'.length)}${Buffer.from(body).toString('base64')}"}`
}

/** Reads one line, or says in a sentence why it cannot be. */
export function readRecord(
  line: string,
): { readonly record: DeliveryRecord; readonly body: Buffer } | { readonly refused: string } {
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
  const record = parsed.data
  const body = Buffer.from(record.body, 'base64')
  if (!record.truncated && body.length !== record.bodySize)
    return { refused: `It says that its body has ${record.bodySize} bytes, and carries ${body.length}.` }
  return { record, body }
}
