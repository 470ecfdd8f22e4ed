/** A delivery as a line of a JSON Lines export, without what only this database knows. */
import { hash } from 'node:crypto'
import { z } from 'zod'
import { counted } from '../../shared/text/english.ts'
import { KEPT_RESPONSE_BYTES } from '../../shared/service/limits.ts'
import { deliverySchema, senderOf, type Delivery } from '../../shared/model/delivery.ts'
import { NOTE_LENGTH } from '../../shared/model/marks.ts'
import { requestNameSchema } from '../../shared/model/request-name.ts'
import { BODY_LIMITS } from '../../shared/model/settings.ts'
import { AROUND_BODY, type LineContents } from './line-reader.ts'
import { isSignerLine, sharedSignerSchema, type SharedSigner } from './shared-signers.ts'

const NAME_LENGTH = 200
/** Bytes, more than the receiver accepts (64 KiB). */
const HEAD_LENGTH = 131_072
const METHOD_LENGTH = 100
const SENT_BYTES = 2 ** 40
const DAY_MS = 86_400_000

const formatCount = (value: number | bigint) => value.toLocaleString('en')

/** Form of Countersign's IDs. */
const OWN_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

const oneLine = (length: number) =>
  z
    .string()
    .max(length)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'must be one line without control characters')
const name = oneLine(NAME_LENGTH).nullable()
/** Text of one character per byte; a line break would start another header. */
const headerText = z
  .string()
  .regex(/^[^\0\r\n\u0100-\uffff]*$/, "has a character that isn't allowed in a header")
type HeaderPairs = readonly (readonly [string, string])[]

/** Returns bytes of headers, with four characters around each. */
function headBytes(headers: HeaderPairs): number {
  return headers.reduce((length, [header, value]) => length + header.length + value.length + 4, 0)
}

const headers = z
  .array(z.tuple([headerText, headerText]))
  .refine((pairs) => headBytes(pairs) <= HEAD_LENGTH, {
    error: ({ input }) =>
      `together are ${formatCount(headBytes(input as HeaderPairs))} bytes; the limit is ${formatCount(HEAD_LENGTH)}`,
  })
const STATUS = 'must be 100–599'
const status = z.number().int(STATUS).min(100, STATUS).max(599, STATUS)
const integer = (least: number, most: number) => {
  const range = `must be an integer from ${formatCount(least)} to ${formatCount(most)}`
  return z.number().int(range).min(least, range).max(most, range)
}

/** Fields of this database, or computed again by an import. */
const NOT_IN_FILE = {
  seq: true,
  origin: true,
  verifiedHere: true,
  bodyLost: true,
  bodyAltered: true,
  last4: true,
  judgedAt: true,
  handler: true,
  flowRun: true,
  lastReplay: true,
  signatureAgeMs: true,
} as const

/** Schema of a delivery that a receiver could have received. */
const recordSchema = deliverySchema.omit(NOT_IN_FILE).extend({
  countersign: z.literal(1),
  id: z.string().regex(OWN_ID, 'must be a UUID in lower case'),
  bodySha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits'),
  bodySize: integer(0, SENT_BYTES),
  body: z.string(),
  /** Whether it is from a shareable capture. */
  shared: z.boolean().default(false),
  method: oneLine(METHOD_LENGTH).nullable(),
  path: oneLine(HEAD_LENGTH).nullable(),
  malformed: z.object({ reason: z.string().max(NOTE_LENGTH) }).nullable(),
  httpVersion: oneLine(20),
  headers,
  // Missing in files of earlier versions.
  trailers: headers.default([]),
  remote: name,
  event: name,
  eventCandidates: z.array(oneLine(NAME_LENGTH)).max(100),
  hookId: name,
  environment: name,
  attempt: integer(1, 1_000_000),
  attemptOf: name,
  duplicateOf: name,
  replayOf: name,
  answer: z.object({
    status: status.nullable(),
    ms: z.number().min(0).max(DAY_MS).nullable(),
  }),
  note: z.string().max(NOTE_LENGTH).nullable(),
  // Missing in files of earlier versions.
  amount: name.default(null),
  currency: name.default(null),
  merchant: z.string().max(HEAD_LENGTH).nullable().default(null),
  // Written for composed requests only.
  origin: name.optional(),
  name: requestNameSchema.nullable().default(null),
  schemaErrors: integer(0, SENT_BYTES).nullable().default(null),
  cause: name.default(null),
  firstBytes: name.default(null),
  response: z
    .object({
      status: status.nullable(),
      headers,
      body: z.base64().max(Math.ceil(KEPT_RESPONSE_BYTES / 3) * 4),
      truncated: z.boolean(),
    })
    .nullable()
    .default(null),
})
type DeliveryRecord = z.infer<typeof recordSchema>

export function writeRecord({ remote, origin, ...delivery }: Delivery, body: Uint8Array): string {
  const kept = Object.entries(delivery).filter(([field]) => !(field in NOT_IN_FILE))
  const sender = senderOf({ remote, origin })
  const record = {
    countersign: 1,
    ...(origin === 'shared' ? { shared: true } : {}),
    ...Object.fromEntries(kept),
    ...(origin === 'composed' ? { origin } : {}),
    remote: sender,
    body: '',
  }
  // Base64 needs no escaping.
  return `${JSON.stringify(record).slice(0, -'"}'.length)}${Buffer.from(body).toString('base64')}"}`
}

export interface ReadableRecord {
  readonly record: Omit<DeliveryRecord, 'body'>
  readonly body: Buffer
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list of two',
  object: 'an object',
}

type Issue = Parameters<z.core.$ZodErrorMap>[0]

/** Returns a problem to complete a sentence; a schema's message has precedence. */
function problemOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is missing'
        : `must be ${typeWords[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return issue.input === undefined
        ? 'is missing'
        : `must be ${issue.values
            .map(String)
            .join(', ')
            .replace(/, ([^,]*)$/, ' or $1')}`
    case 'too_big':
      if (typeof issue.input === 'string')
        return `is ${formatCount(issue.input.length)} characters; the limit is ${formatCount(issue.maximum)}`
      if (Array.isArray(issue.input))
        return `has ${formatCount(issue.input.length)} entries; the limit is ${formatCount(issue.maximum)}`
      return `must be at most ${formatCount(issue.maximum)}`
    case 'too_small':
      return issue.input === '' ? 'is empty' : `must be at least ${formatCount(issue.minimum)}`
    case 'invalid_format':
      return issue.format === 'datetime'
        ? 'must be a time like 2026-11-21T09:30:00.000Z'
        : 'has an invalid format'
    default:
      return 'is invalid'
  }
}

const NAMED_FIELDS = 3
const NO_SIGNER = "The line isn't a hook or environment of a shareable capture."
const NO_DELIVERY = "The line isn't a delivery of a Countersign export."

function refusalOf({ issues }: z.ZodError): string {
  if (issues.some(({ path }) => path.length === 0 || path[0] === 'countersign')) return NO_DELIVERY
  const sentences = issues
    .slice(0, NAMED_FIELDS)
    .map(({ path, message }) => `${path.join('.')} ${message}.`)
  const left = issues.length - sentences.length
  return [...sentences, ...(left > 0 ? [`And ${counted(left, 'more field')}.`] : [])].join(' ')
}

/** Returns a problem or null; a truncated body has no comparable hash. */
function bodyRefusal(
  body: Buffer,
  { truncated, bodySize, bodySha256 }: Omit<DeliveryRecord, 'body'>,
): string | null {
  const bytes = counted(body.length, 'byte')
  if (body.length > BODY_LIMITS.most)
    return `body is ${bytes}; the limit is ${formatCount(BODY_LIMITS.most)}.`
  if (truncated)
    return body.length < bodySize || body.length === 0
      ? null
      : `bodySize is ${formatCount(bodySize)}, but a truncated body of ${bytes} must have been larger.`
  if (body.length !== bodySize)
    return `bodySize is ${formatCount(bodySize)}, but the body has ${bytes}.`
  return hash('sha256', body, 'hex') === bodySha256
    ? null
    : "bodySha256 doesn't match the body: one of them was changed."
}

export function readRecord({
  text,
  body,
}: LineContents): ReadableRecord | SharedSigner | { readonly refused: string } {
  if (text === null)
    return {
      refused: `The line has more than ${formatCount(AROUND_BODY)} characters besides its body.`,
    }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { refused: "The line isn't JSON." }
  }
  if (isSignerLine(value)) {
    const signer = sharedSignerSchema.safeParse(value, { error: problemOf })
    return signer.success ? signer.data : { refused: NO_SIGNER }
  }
  const parsed = recordSchema.safeParse(value, { error: problemOf })
  if (!parsed.success) return { refused: refusalOf(parsed.error) }
  if (body === null) return { refused: 'body must be Base64.' }
  const { body: _, ...record } = parsed.data
  const refused = bodyRefusal(body, record)
  return refused === null ? { record, body } : { refused }
}
