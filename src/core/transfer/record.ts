/**
 * One delivery as a line of a JSON Lines export: all stored data except its number in this database, the body in Base64, headers in
 * order and original case. Exporting, importing and exporting again gives the same line. A long line is read as it arrives.
 */
import { hash } from 'node:crypto'
import { z } from 'zod'
import { counted } from '../../shared/text/counted.ts'
import { AROUND_BODY } from '../../shared/transfer/import-file.ts'
import { KEPT_RESPONSE_BYTES } from '../../shared/service/limits.ts'
import { deliverySchema, senderOf, type Delivery } from '../../shared/model/delivery.ts'
import { NOTE_LENGTH } from '../../shared/model/keeping.ts'
import { BODY_LIMITS } from '../../shared/model/settings.ts'

/** IDs, and names of events and environments. */
const NAME_LENGTH = 200
/** Bytes of a request's head: more than the receiver accepts (64 KiB). */
const HEAD_LENGTH = 131_072
/** Longer than any real method. */
const METHOD_LENGTH = 100
/** Largest plausible body; the receiver stores only its start. */
const SENT_BYTES = 2 ** 40
const DAY_MS = 86_400_000

const counts = (value: number | bigint) => value.toLocaleString('en')

/** The form of Countersign's IDs, which commands, links and queries rely on. */
const OWN_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** On one line, because these are written into lines of other files and into the request line. */
const oneLine = (length: number) =>
  z
    .string()
    .max(length)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'must be one line without control characters')
const name = oneLine(NAME_LENGTH).nullable()
/** As a receiver can have read it: one character per byte, without line breaks, which would start another header. */
const headerText = z
  .string()
  .regex(/^[^\0\r\n\u0100-\uffff]*$/, "has a character that isn't allowed in a header")
type HeaderPairs = readonly (readonly [string, string])[]

/** Bytes of headers in a request's head: names, values, and four characters around each. */
function headBytes(headers: HeaderPairs): number {
  return headers.reduce((length, [given, value]) => length + given.length + value.length + 4, 0)
}

const headers = z
  .array(z.tuple([headerText, headerText]))
  .refine((pairs) => headBytes(pairs) <= HEAD_LENGTH, {
    error: ({ input }) =>
      `together are ${counts(headBytes(input as HeaderPairs))} bytes; the limit is ${counts(HEAD_LENGTH)}`,
  })
const STATUS = 'must be 100–599'
const status = z.number().int(STATUS).min(100, STATUS).max(599, STATUS)
const integer = (least: number, most: number) => {
  const range = `must be an integer from ${counts(least)} to ${counts(most)}`
  return z.number().int(range).min(least, range).max(most, range)
}

/** What belongs to this database, or is computed again by an import. */
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

/** A delivery from a file: only data that a receiver could have received is valid. */
const recordSchema = deliverySchema.omit(NOT_IN_FILE).extend({
  /** Version of this format. */
  countersign: z.literal(1),
  id: z.string().regex(OWN_ID, 'must be a UUID in lower case'),
  bodySha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits'),
  bodySize: integer(0, SENT_BYTES),
  body: z.string(),
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
  // Missing in files of earlier versions. What the body shows is computed again.
  amount: name.default(null),
  currency: name.default(null),
  merchant: z.string().max(HEAD_LENGTH).nullable().default(null),
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
  const record = { countersign: 1, ...Object.fromEntries(kept), remote: sender, body: '' }
  // Base64 needs no escaping: inserted directly, so that a body of megabytes isn't scanned again.
  return `${JSON.stringify(record).slice(0, -'"}'.length)}${Buffer.from(body).toString('base64')}"}`
}

/** A parsed line, with its body as bytes. */
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

/** The problem with a field, to complete a sentence; a schema's own message takes precedence. */
function wordsOf(issue: Issue): string {
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
        return `is ${counts(issue.input.length)} characters; the limit is ${counts(issue.maximum)}`
      if (Array.isArray(issue.input))
        return `has ${counts(issue.input.length)} entries; the limit is ${counts(issue.maximum)}`
      return `must be at most ${counts(issue.maximum)}`
    case 'too_small':
      return issue.input === '' ? 'is empty' : `must be at least ${counts(issue.minimum)}`
    case 'invalid_format':
      return issue.format === 'datetime'
        ? 'must be a time like 2026-11-21T09:30:00.000Z'
        : 'has an invalid format'
    default:
      return 'is invalid'
  }
}

/** Maximum number of fields named per line. */
const NAMED_FIELDS = 3
const NO_DELIVERY = "The line isn't a delivery of a Countersign export."

/** A sentence for each field. */
function refusalOf({ issues }: z.ZodError): string {
  // For a line of another kind, the fields say no more than that.
  if (issues.some(({ path }) => path.length === 0 || path[0] === 'countersign')) return NO_DELIVERY
  const sentences = issues
    .slice(0, NAMED_FIELDS)
    .map(({ path, message }) => `${path.join('.')} ${message}.`)
  const left = issues.length - sentences.length
  return [...sentences, ...(left > 0 ? [`And ${counted(left, 'more field')}.`] : [])].join(' ')
}

/** The problem with a body; null if it is valid. The hash of a truncated body covers the whole body, so it can't be checked. */
function bodyRefusal(
  body: Buffer,
  { truncated, bodySize, bodySha256 }: Omit<DeliveryRecord, 'body'>,
): string | null {
  const bytes = counted(body.length, 'byte')
  if (body.length > BODY_LIMITS.most)
    return `body is ${bytes}; the limit is ${counts(BODY_LIMITS.most)}.`
  if (truncated)
    return body.length < bodySize || body.length === 0
      ? null
      : `bodySize is ${counts(bodySize)}, but a truncated body of ${bytes} must have been larger.`
  if (body.length !== bodySize) return `bodySize is ${counts(bodySize)}, but the body has ${bytes}.`
  return hash('sha256', body, 'hex') === bodySha256
    ? null
    : "bodySha256 doesn't match the body: one of them was changed."
}

export function readRecord({
  text,
  body,
}: LineContents): ReadableRecord | { readonly refused: string } {
  if (text === null)
    return { refused: `The line has more than ${counts(AROUND_BODY)} characters besides its body.` }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { refused: "The line isn't JSON." }
  }
  const parsed = recordSchema.safeParse(value, { error: wordsOf })
  if (!parsed.success) return { refused: refusalOf(parsed.error) }
  if (body === null) return { refused: 'body must be Base64.' }
  const { body: _, ...record } = parsed.data
  const refused = bodyRefusal(body, record)
  return refused === null ? { record, body } : { refused }
}

// Reads a line as it arrives, in one or many pieces, and decodes its body immediately: as text, a body of megabytes would be in
// memory several times. The rest of the line is JSON with an empty body.

export type LineReader = ReturnType<typeof createLineReader>

export interface LineContents {
  /** The line with an empty body; null if that is too long for a line without its body. */
  readonly text: string | null
  /** In its own buffer. Null if it isn't Base64. */
  readonly body: Buffer | null
}

function createBase64Reader(mostCharacters: number) {
  let bytes: Buffer | null = null
  let length = 0
  /** Characters of a group of four that isn't complete. */
  let rest = ''
  let padding = 0
  let isBase64 = true
  return {
    add(text: string) {
      const end = text.search(/[^A-Za-z0-9+/]|$/)
      // Nothing follows the padding.
      isBase64 &&= (padding === 0 || end === 0) && /^={0,2}$/.test(text.slice(end, end + 3))
      padding += text.length - end
      isBase64 &&= padding <= 2
      if (!isBase64) return
      const groups = rest + text
      const whole = groups.length - (groups.length % 4)
      rest = groups.slice(whole)
      // Not zero-filled: the system allocates memory only for bytes that are written.
      bytes ??= Buffer.allocUnsafeSlow(Math.ceil(mostCharacters / 4) * 3)
      length += bytes.write(groups.slice(0, whole), length, 'base64')
    },
    end: (): Buffer | null =>
      isBase64 && rest === '' ? (bytes?.subarray(0, length) ?? Buffer.alloc(0)) : null,
  }
}

/** What a JSON escape sequence stands for. An invalid one gives a character that no key and no Base64 has. */
function unescaped(escape: string): string {
  try {
    return JSON.parse(`"${escape}"`) as string
  } catch {
    return '?'
  }
}

const STRING_END = /["\\]/g
const STRUCTURE = /["{}[\],]/g

/** The first match from a position on; the text's length without one. */
function indexOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? text.length
}

/** Limits in characters: of the whole line, and of the line without its body. */
export function createLineReader(limits: { readonly line: number; readonly text: number }) {
  let kept: string[] | null = []
  let keptLength = 0
  let body: ReturnType<typeof createBase64Reader> | null = null
  /** Depth in objects and lists. */
  let depth = 0
  /** The current string: `key` is a key of the outermost object, `body` the value of its `body`. */
  let inside: 'nothing' | 'key' | 'body' | 'string' = 'nothing'
  let key = ''
  let isKeyNext = false
  let isBodyNext = false
  /** An incomplete escape sequence. */
  let escape = ''

  const keep = (text: string) => {
    if (text === '' || kept === null) return
    keptLength += text.length
    if (keptLength > limits.text) kept = null
    else kept.push(text)
  }

  const addToString = (text: string) => {
    if (inside === 'body') body?.add(text)
    // No more than tells it from `body`.
    if (inside === 'key') key = (key + text).slice(0, 'body'.length + 1)
  }

  const endString = () => {
    isBodyNext = inside === 'key' && key === 'body'
    inside = 'nothing'
  }

  /** Reads characters of a string. Returns where reading continues. */
  const readString = (text: string, from: number): number => {
    if (escape !== '') {
      escape += text[from]
      if (escape.length === (escape[1] === 'u' ? 6 : 2)) {
        addToString(unescaped(escape))
        escape = ''
      }
      return from + 1
    }
    const end = indexOf(STRING_END, text, from)
    addToString(text.slice(from, end))
    if (text[end] === '\\') escape = '\\'
    else if (end < text.length) endString()
    return end + 1
  }

  /** Reads up to the next string or its absence. Returns where reading continues. */
  const readStructure = (text: string, from: number): number => {
    const at = indexOf(STRUCTURE, text, from)
    switch (text[at]) {
      case '"':
        inside = isBodyNext ? 'body' : isKeyNext && depth === 1 ? 'key' : 'string'
        if (isBodyNext) body = createBase64Reader(limits.line)
        key = ''
        isKeyNext = false
        break
      case '{':
      case '[':
        depth++
        isKeyNext = true
        break
      case '}':
      case ']':
        depth--
        break
      case ',':
        isKeyNext = true
        break
      default:
        return at
    }
    isBodyNext = false
    return at + 1
  }
  const isIn = (place: typeof inside) => inside === place

  return {
    add(text: string) {
      /** The start of the part that isn't kept yet. */
      let from = 0
      for (let at = 0; at < text.length;) {
        if (isIn('nothing')) {
          at = readStructure(text, at)
          if (isIn('body')) keep(text.slice(from, at))
        } else {
          const isBody = isIn('body')
          at = readString(text, at)
          // The quote that ends it is kept.
          if (isBody) from = isIn('nothing') ? at - 1 : at
        }
      }
      if (!isIn('body')) keep(text.slice(from))
    },
    end: (): LineContents => ({
      text: kept?.join('') ?? null,
      body: body === null ? Buffer.alloc(0) : body.end(),
    }),
  }
}
