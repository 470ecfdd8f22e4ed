/** Fields of the search language, for the parser, completion, the SQL and `docs/query.md`. */
import type { Freshness, Mode, SchemaOutcome, Verdict } from '../model/delivery.ts'

export type StoredSource =
  | 'events'
  | 'hooks'
  | 'environments'
  | 'paths'
  | 'headers'
  | 'handlers'
  | 'flows'
  | 'names'

interface Described {
  readonly doc: string
  readonly example: string
  readonly stored?: StoredSource
}

interface Column<Kind extends string> extends Described {
  readonly kind: Kind
  /** SQL expression over `deliveries d`. */
  readonly sql: string
}

export type SearchField =
  /** Text with `*`. */
  | (Column<'text'> & {
      /** Whether the case of Latin letters counts. */
      readonly exact?: true
      /** Rows of another table for `d`; the text may be anywhere in one, ignoring accents. */
      readonly anywhereIn?: string
    })
  | (Column<'choice'> & { readonly values: Readonly<Record<string, string>> })
  | (Column<'number'> & { readonly words?: Readonly<Record<string, string>> })
  | Column<'size'>
  | Column<'duration'>
  | (Column<'time'> & { readonly relation: 'at' | 'after' | 'before' | 'within' })
  /** Hook by its names, which the core turns into ids. */
  | Column<'hook'>
  | (Described & { readonly kind: 'flag'; readonly of: 'is' | 'has' })
  | (Described & { readonly kind: 'header' })
  | (Described & { readonly kind: 'paths'; readonly paths: readonly (readonly string[])[] })
  | (Described & { readonly kind: 'body' })

const received = {
  kind: 'time',
  sql: 'd.received_at',
} as const

export const FIELDS = {
  event: {
    kind: 'text',
    exact: true,
    doc: 'The event, in exact case; * matches any characters.',
    example: 'event:transaction.*',
    stored: 'events',
    sql: 'd.event',
  },
  is: { kind: 'flag', of: 'is', doc: 'A state of the delivery.', example: 'is:invalid' },
  has: { kind: 'flag', of: 'has', doc: 'Something that the delivery has.', example: 'has:offer' },
  hook: {
    kind: 'hook',
    doc: 'The hook, by the name in its path, its URL or an id.',
    example: 'hook:refunds',
    stored: 'hooks',
    sql: 'd.hook_id',
  },
  environment: {
    kind: 'text',
    doc: "The hook's environment.",
    example: 'environment:sandbox-test',
    stored: 'environments',
    sql: 'd.environment',
  },
  mode: {
    kind: 'choice',
    doc: "The environment's mode.",
    example: 'mode:test',
    values: { test: 'test data', live: 'real customers' } satisfies Readonly<Record<Mode, string>>,
    sql: 'd.mode',
  },
  verdict: {
    kind: 'choice',
    doc: 'The result of the signature check.',
    example: 'verdict:invalid,unsigned',
    values: {
      valid: 'signature matches a known secret',
      invalid: 'signature matches no known secret',
      unsigned: 'no signature or timestamp',
      'unknown-hook': 'signed, but no hook has this path',
    } satisfies Readonly<Record<Verdict, string>>,
    sql: 'd.verdict',
  },
  freshness: {
    kind: 'choice',
    doc: 'The age of the signature at receipt.',
    example: 'freshness:stale',
    values: {
      fresh: 'within five minutes',
      stale: 'more than five minutes old',
      future: 'more than five minutes ahead',
      missing: 'absent or not a number',
      unknown: 'reported without a time of receipt',
    } satisfies Readonly<Record<Freshness, string>>,
    sql: 'd.freshness',
  },
  schema: {
    kind: 'choice',
    doc: "Whether the body matches its event's schema.",
    example: 'schema:issues',
    values: {
      ok: 'matches the schema',
      issues: 'a field is missing or has the wrong type',
      'not-json': 'not JSON',
      unknown: 'unknown event, or not checked',
    } satisfies Readonly<Record<SchemaOutcome, string>>,
    sql: 'd.schema',
  },
  attempt: {
    kind: 'number',
    doc: 'The number of the attempt: 1, 2, 3.',
    example: 'attempt:>1',
    sql: 'd.attempt',
  },
  status: {
    kind: 'number',
    doc: "The status of the receiver's response.",
    example: 'status:500..599',
    sql: 'd.answer_status',
  },
  response: {
    kind: 'number',
    doc: 'The status that your handler last returned, failing or none.',
    example: 'response:failing',
    words: {
      failing: 'valid and fresh but not acknowledged, or acknowledged although invalid or unsigned',
      none: 'no handler response recorded',
    },
    sql: '(SELECT sent.status FROM handler_responses returned JOIN sends sent ON sent.seq = returned.send_seq WHERE returned.seq = d.seq)',
  },
  handler: {
    kind: 'text',
    doc: 'The saved handler that last got the delivery, by name.',
    example: 'handler:local',
    stored: 'handlers',
    sql: '(SELECT saved.name FROM handler_responses returned JOIN sends sent ON sent.seq = returned.send_seq JOIN handlers saved ON saved.seq = sent.handler WHERE returned.seq = d.seq)',
  },
  flow: {
    kind: 'text',
    doc: 'The flow whose run caused the delivery.',
    example: 'flow:purchase-*',
    stored: 'flows',
    sql: '(SELECT came.flow FROM flow_deliveries came WHERE came.seq = d.seq)',
  },
  name: {
    kind: 'text',
    doc: 'The name of a composed request.',
    example: 'name:big-refund',
    stored: 'names',
    sql: '(SELECT kept.name FROM composed kept WHERE kept.seq = d.seq)',
  },
  ms: {
    kind: 'duration',
    doc: 'The time to respond, in milliseconds or with a unit.',
    example: 'ms:>2s',
    sql: 'd.answer_ms',
  },
  size: {
    kind: 'size',
    doc: 'The size of the body, in bytes or with a unit.',
    example: 'size:>100kB',
    sql: 'd.body_size',
  },
  method: {
    kind: 'text',
    doc: 'The request method.',
    example: 'method:GET',
    sql: 'd.method',
  },
  path: {
    kind: 'text',
    doc: 'The path as received, including the query.',
    example: 'path:/h/refunds*',
    stored: 'paths',
    sql: 'd.path',
  },
  header: {
    kind: 'header',
    doc: 'A header with this name, or this name and value; same as header.NAME:value.',
    example: 'header:"content-type: application/json"',
    stored: 'headers',
  },
  merchant: {
    kind: 'text',
    doc: "Text in the brand's name, ignoring accents.",
    example: 'merchant:coffee',
    anywhereIn: 'details shown WHERE shown.seq = d.seq',
    sql: 'shown.merchant',
  },
  card: {
    kind: 'paths',
    doc: 'The card: its first six or last four digits, scheme or id.',
    example: 'card:visa',
    paths: ['lastNumbers', 'firstNumbers', 'scheme', 'id'].flatMap((key) => [['card', key], [key]]),
  },
  last4: {
    kind: 'paths',
    doc: "The card's last four digits.",
    example: 'last4:4001',
    paths: [['card', 'lastNumbers'], ['lastNumbers']],
  },
  body: {
    kind: 'body',
    doc: 'Words in the body.',
    example: 'body:"coffee house"',
  },
  received: {
    ...received,
    relation: 'at',
    doc: 'The time of receipt: a day, a minute, a range or a comparison.',
    example: 'received:2026-11-20..2026-11-21',
  },
  after: {
    ...received,
    relation: 'after',
    doc: 'Received at this time or later.',
    example: 'after:2h',
  },
  before: {
    ...received,
    relation: 'before',
    doc: 'Received before this time.',
    example: 'before:2026-11-20',
  },
  within: {
    ...received,
    relation: 'within',
    doc: 'Received within this duration before now.',
    example: 'within:10m',
  },
  remote: {
    kind: 'text',
    doc: "The sender's IP address, without the port.",
    example: 'remote:127.0.0.1',
    sql: `substr(d.remote, 1, length(rtrim(d.remote, '0123456789')) - 1)`,
  },
  http: {
    kind: 'text',
    doc: 'The HTTP version.',
    example: 'http:1.0',
    sql: 'd.http_version',
  },
  note: {
    kind: 'text',
    doc: "Text in the delivery's note, ignoring accents.",
    example: 'note:"ask Nadia"',
    anywhereIn: 'marks marked WHERE marked.seq = d.seq',
    sql: 'marked.note',
  },
  id: {
    kind: 'text',
    exact: true,
    doc: "The delivery's id, in exact case.",
    example: 'id:0199*',
    sql: 'd.id',
  },
  sha256: {
    kind: 'text',
    doc: 'The SHA-256 of the whole body, in hex.',
    example: 'sha256:9f86d081*',
    sql: 'd.body_sha256',
  },
} as const satisfies Readonly<Record<string, SearchField>>

export type FieldName = keyof typeof FIELDS

export const fieldNames = Object.keys(FIELDS) as readonly FieldName[]

export function fieldOf(name: FieldName): SearchField {
  return FIELDS[name]
}

/** Finds a field by its name, case-insensitive. */
export function findField(name: string): FieldName | null {
  const lower = name.toLowerCase()
  return Object.hasOwn(FIELDS, lower) ? (lower as FieldName) : null
}
