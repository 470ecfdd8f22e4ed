/**
 * Reads stored rows: the only place where the text of a column becomes a value. One altered byte may be anywhere, so each value is
 * checked. A value that only adds to its row is then read as its default. Any other sets the row aside: it is left out of lists, and
 * `doctor` names it. Without zod, because the store's threads start without it.
 */
import { hash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { AppError } from '../../shared/contract/errors.ts'
import { releaseMemory } from '../base/threads/memory.ts'
import type { OwnResponse, RawHeaders } from '../../shared/model/delivery.ts'
import type { FlowRunSummary } from '../../shared/model/flow.ts'
import type { ForwardSettings } from '../../shared/model/forward.ts'
import type { HandlerCheckRun } from '../../shared/model/handler.ts'
import type { ReplaySettings, Send } from '../../shared/model/send.ts'

/** A cheap check of a value. */
type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number'
const isFlag: Check = (value) => typeof value === 'boolean'
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
/** A time in milliseconds that a date can have. */
const isTime: Check = (value) => isNumber(value) && Math.abs(value as number) <= 8.64e15
const isPair: Check = (value) => Array.isArray(value) && value.length === 2 && value.every(isText)
const isOneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value)

/** An object with these fields, and any others. */
const isObject =
  (fields: Readonly<Record<string, Check>> = {}): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(fields).every(([name, check]) =>
      check((value as Readonly<Record<string, unknown>>)[name]),
    )
const isRecordOf =
  (check: Check): Check =>
  (value) =>
    isObject()(value) && Object.values(value as object).every(check)

interface Column {
  readonly check: Check
  /** What to read instead, as stored. Without it, the row can't be read. */
  readonly otherwise?: string | number | null
}

/** The types of JSON columns. */
interface JsonValues {
  'deliveries.headers': RawHeaders
  'deliveries.trailers': RawHeaders
  'deliveries.event_candidates': string[]
  'responses.content': OwnResponse
  'hooks.headers': string[]
  'hooks.answering': object
  'hooks.record': unknown
  'environments.connection': object
  'sandbox_objects.data': object
  'handlers.checks': HandlerCheckRun[]
  'forward_targets.settings': Omit<ForwardSettings, 'handlerId'> &
    Partial<ForwardSettings> & {
      readonly allowHosts: readonly string[]
      readonly liveEnvironments: readonly string[]
    }
  'replay_jobs.settings': ReplaySettings
  'replay_jobs.plan': {
    readonly targets: Readonly<Record<string, string>>
    readonly variant: string | null
    readonly selected: number
    readonly rounds: number
  }
  'replay_jobs.counts': object | null
  'sends.phases': Send['phases']
  'sends.headers': RawHeaders
  'sends.sent_headers': RawHeaders
  'check_runs.run': object
  'check_runs.findings': object
  'flow_runs.summary': FlowRunSummary
  'flow_runs.run': object
}

const headers = isListOf(isPair)

const jsonColumns: { readonly [Name in keyof JsonValues]: Column } = {
  'deliveries.headers': { check: headers },
  'deliveries.trailers': { check: headers },
  // Found again by the event's schema.
  'deliveries.event_candidates': { check: isListOf(isText), otherwise: '[]' },
  'responses.content': {
    check: isObject({
      status: orNull(isNumber),
      headers,
      body: isText,
      truncated: isFlag,
    }),
  },
  'hooks.headers': { check: isListOf(isText), otherwise: '[]' },
  // A hook keeps its secrets: without them, its deliveries couldn't be verified.
  'hooks.answering': { check: isObject(), otherwise: '{}' },
  'hooks.record': { check: () => true, otherwise: null },
  'environments.connection': { check: isObject(), otherwise: '{}' },
  'sandbox_objects.data': { check: isObject() },
  'handlers.checks': {
    check: isListOf(isObject({ runId: isText, at: isText, passed: isNumber, failed: isNumber })),
    otherwise: '[]',
  },
  'forward_targets.settings': {
    check: isObject({
      name: isText,
      url: isText,
      query: isText,
      answer: isText,
      sign: isText,
      registeredUrl: orNull(isText),
      targetCa: orNull(isText),
      on: isFlag,
      allowHosts: isListOf(isText),
      liveEnvironments: isListOf(isText),
    }),
  },
  'replay_jobs.settings': {
    check: isObject({
      to: orNull(isText),
      registeredUrl: orNull(isText),
      hookId: orNull(isText),
      tamper: orNull(isText),
      concurrency: isNumber,
      rate: orNull(isNumber),
      targetCa: orNull(isText),
      edits: isObject({ setHeaders: isListOf(isPair), signature: isText, timestamp: isText }),
    }),
  },
  'replay_jobs.plan': { check: isObject({ targets: isRecordOf(isText) }) },
  // Its sends are counted again.
  'replay_jobs.counts': {
    check: isObject({ total: isNumber, passed: isNumber, failed: isNumber }),
    otherwise: null,
  },
  'sends.phases': { check: isObject(), otherwise: null },
  'sends.headers': { check: headers },
  'sends.sent_headers': { check: headers },
  'check_runs.run': {
    check: isObject({ id: isText, createdAt: isNumber, settings: isObject(), counts: isObject() }),
  },
  'check_runs.findings': {
    check: isObject({ results: isListOf(isObject()), conclusions: isListOf(isObject()) }),
  },
  'flow_runs.summary': { check: isObject({ id: isText, flow: isText, startedAt: isText }) },
  'flow_runs.run': { check: isObject({ id: isText, steps: isListOf(isObject()) }) },
}

/** Columns of other types that a row can't do without: numbers and the words of a list. */
const plainColumns = {
  'deliveries.received_at': { check: isTime },
  'deliveries.body_size': { check: isNumber },
  'deliveries.verdict': { check: isOneOf('valid', 'invalid', 'unsigned', 'unknown-hook') },
  'deliveries.freshness': { check: isOneOf('fresh', 'stale', 'future', 'missing', 'unknown') },
  'deliveries.schema': { check: isOneOf('ok', 'issues', 'not-json', 'unknown') },
  'deliveries.mode': { check: isOneOf('test', 'live', null) },
  'deliveries.event_source': { check: orNull(isText) },
  'hooks.status': {
    check: isOneOf('active', 'deleted', 'gone', 'unconfirmed'),
    otherwise: 'active',
  },
  'hooks.kind': { check: isOneOf('brand', 'program', null), otherwise: null },
  'hooks.created_at': { check: isTime, otherwise: 0 },
  // Sending to a live environment asks first.
  'environments.mode': { check: isOneOf('test', 'live'), otherwise: 'live' },
  'environments.auth': { check: isOneOf('service-key', 'bearer'), otherwise: 'service-key' },
  'environments.ack': { check: isOneOf('200', '2xx'), otherwise: '200' },
  'environments.created_at': { check: isTime, otherwise: 0 },
  'sandbox_objects.mode': { check: isOneOf('test', 'live') },
  'handlers.created_at': { check: isTime, otherwise: 0 },
  'forward_targets.created_at': { check: isTime, otherwise: 0 },
  'replay_jobs.created_at': { check: isTime, otherwise: 0 },
} as const satisfies Readonly<Record<string, Column>>

const UNREADABLE = 'UnreadableRow'
const WRONG = 'has missing or wrong values'
const IMPOSSIBLE = 'has an impossible value'

function unreadable(column: string, problem: string): Error {
  return Object.assign(new Error(`"${column.split('.')[1]!}" ${problem}`), { name: UNREADABLE })
}

/** Whether a row can't be read. A time outside of the range of dates is a RangeError. */
const isUnreadable = (error: unknown): error is Error =>
  error instanceof Error && (error.name === UNREADABLE || error instanceof RangeError)

function parse(column: string, { check }: Column, text: unknown): unknown {
  let value: unknown
  try {
    value = JSON.parse(text as string)
  } catch {
    throw unreadable(column, "isn't valid JSON")
  }
  if (!check(value)) throw unreadable(column, WRONG)
  return value
}

/** The value of a JSON column. If it is damaged: its default, or an error that `readRows` and `readRow` expect. */
export function jsonOf<Name extends keyof JsonValues>(name: Name, text: string): JsonValues[Name] {
  const column = jsonColumns[name]
  try {
    return parse(name, column, text) as JsonValues[Name]
  } catch (error) {
    if (column.otherwise === undefined) throw error
    return JSON.parse(
      column.otherwise === null ? 'null' : String(column.otherwise),
    ) as JsonValues[Name]
  }
}

/** A delivery's headers where only they are read; null if they are damaged. */
export function headersOf(text: string): RawHeaders | null {
  return readRows([text], (stored) => jsonOf('deliveries.headers', stored))[0] ?? null
}

/** The same as text, for readers that parse it. */
export function jsonTextOf<Text extends string | null>(name: keyof JsonValues, text: Text): Text {
  const column = jsonColumns[name]
  if (text === null) return text
  try {
    parse(name, column, text)
    return text
  } catch (error) {
    if (column.otherwise === undefined) throw error
    return column.otherwise as Text
  }
}

/** A zod schema, as far as this needs it. */
interface Schema<Value> {
  safeParse(value: unknown): { readonly data?: Value | undefined }
}

/** The value of a JSON column that the caller's schema describes completely; damaged like any other if it doesn't match. */
export function parsedBy<Value>(
  schema: Schema<Value>,
  name: keyof JsonValues,
  text: string,
): Value {
  const { data } = schema.safeParse(jsonOf(name, text))
  if (data === undefined) throw unreadable(name, WRONG)
  return data
}

/** The value of another column, as with `jsonOf`. */
export function valueOf<Value extends string | number | null>(
  name: keyof typeof plainColumns,
  value: Value,
): Value {
  const column: Column = plainColumns[name]
  if (column.check(value)) return value
  if (column.otherwise === undefined) throw unreadable(name, IMPOSSIBLE)
  return column.otherwise as Value
}

/** Reads rows and leaves out those that can't be read. */
export function readRows<Stored, Row>(
  rows: readonly Stored[],
  read: (stored: Stored) => Row,
): Row[] {
  return rows.flatMap((stored) => {
    try {
      return [read(stored)]
    } catch (error) {
      if (isUnreadable(error)) return []
      throw error
    }
  })
}

/** Reads the one row that the caller names. Throws `DATABASE_DAMAGED` if it can't be read. */
export function readRow<Stored, Row>(
  name: string,
  stored: Stored,
  read: (stored: Stored) => Row,
): Row {
  try {
    return read(stored)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    throw new AppError(
      'DATABASE_DAMAGED',
      `${name} can't be read: ${error.message}. Others aren't affected. To remove it, run "countersign doctor --repair" with the same --data.`,
      { cause: error },
    )
  }
}

/** A JSON column in SQL, which fails a whole query for one damaged value: such a value counts as empty. */
export const jsonSql = (column: string, otherwise: '[]' | '{}'): string =>
  `iif(json_valid(${column}), ${column}, '${otherwise}')`

// All rows together, for `doctor` and for a repair.

/** By table: its key, and the words for one of its rows. */
const tables: Readonly<Record<string, readonly [key: string, noun: string, name: string]>> = {
  deliveries: ['seq', 'delivery', 'id'],
  responses: ['key', 'stored response', 'key'],
  hooks: ['id', 'hook', 'id'],
  environments: ['name', 'environment', 'name'],
  sandbox_objects: ['rowid', 'sandbox object', "kind || ' ' || id"],
  handlers: ['seq', 'handler', 'name'],
  forward_targets: ['id', 'forward target', 'id'],
  replay_jobs: ['id', 'replay', 'id'],
  sends: ['seq', 'send', "job_id || '.' || position"],
  check_runs: ['seq', 'handler check', 'id'],
  flow_runs: ['id', 'flow run', 'id'],
}

export interface DamagedValue {
  readonly table: string
  readonly column: string
  readonly keyColumn: string
  readonly key: string | number
  /** For people: which row, and its problem. */
  readonly text: string
  /** The replacement; absent if the row can't be read. */
  readonly otherwise?: string | number | null
}

/** Every damaged value of the database; several of one row are possible. `schemas`: complete ones of some JSON columns. */
export function* damagedValues(
  db: Database,
  schemas: Readonly<Partial<Record<string, Schema<unknown>>>>,
): Generator<DamagedValue> {
  const columns = Object.entries({ ...jsonColumns, ...plainColumns } as Record<string, Column>)
  for (const [table, [key, noun, name]] of Object.entries(tables)) {
    const own = columns.filter(([column]) => column.startsWith(`${table}.`))
    const names = own.map(([column]) => column.slice(table.length + 1))
    const rows = db
      .prepare<[], unknown[]>(`SELECT ${key}, ${name}, ${names.join(', ')} FROM ${table}`)
      .raw()
    for (const [id, shown, ...values] of rows.iterate()) {
      for (const [index, [column, kind]] of own.entries()) {
        const value = values[index]
        const problem = problemOf(column, kind, value, schemas[column])
        if (problem === null) continue
        yield {
          table,
          column: names[index]!,
          keyColumn: key,
          key: id as string | number,
          text: `${noun} ${String(shown)}: ${problem}`,
          ...(kind.otherwise === undefined ? {} : { otherwise: kind.otherwise }),
        }
      }
    }
  }
}

function problemOf(
  column: string,
  kind: Column,
  value: unknown,
  schema?: Schema<unknown>,
): string | null {
  if (!(column in jsonColumns))
    return kind.check(value) ? null : unreadable(column, IMPOSSIBLE).message
  // Null means absent, not damaged.
  if (value === null) return null
  try {
    const parsed = parse(column, kind, value)
    return schema === undefined || schema.safeParse(parsed).data !== undefined
      ? null
      : unreadable(column, WRONG).message
  } catch (error) {
    return (error as Error).message
  }
}

/** Truncated and imported bodies can't be compared with their hash. */
const BODY_SOURCE = `deliveries d LEFT JOIN bodies b ON b.seq = d.seq`
const IS_COMPARABLE = `d.truncated = 0 AND coalesce(d.remote, '') NOT LIKE 'imported:%'`

export interface DamagedBody {
  readonly seq: number
  readonly id: string
  /** Bytes that arrived. */
  readonly size: number
}

/** Deliveries whose stored bytes are missing or differ from the hash of those that arrived. */
export function* damagedBodies(db: Database): Generator<DamagedBody> {
  const rows = db.prepare<
    [],
    DamagedBody & {
      readonly sha256: string
      readonly isComparable: number
      readonly bytes: Buffer | null
    }
  >(
    `SELECT d.seq, d.id, d.body_size AS size, d.body_sha256 AS sha256, b.bytes, ${IS_COMPARABLE} AS isComparable FROM ${BODY_SOURCE}`,
  )
  for (const { bytes, sha256, isComparable, ...body } of rows.iterate())
    if (bytes === null || (isComparable === 1 && hash('sha256', bytes, 'hex') !== sha256))
      yield body
}

/** Whether the stored bytes of one delivery differ from those that arrived. */
export function isBodyAltered(db: Database, seq: number): boolean {
  const found = db
    .prepare<[number], { readonly sha256: string; readonly bytes: Buffer | null }>(
      `SELECT d.body_sha256 AS sha256, b.bytes FROM ${BODY_SOURCE} WHERE d.seq = ? AND ${IS_COMPARABLE}`,
    )
    .get(seq)
  if (found === undefined || found.bytes === null) return false
  const isAltered = hash('sha256', found.bytes, 'hex') !== found.sha256
  releaseMemory(found.bytes)
  return isAltered
}

/** Problems beyond unreadable pages, in words; the first hundred of each kind. */
export interface RowProblems {
  readonly values: readonly string[]
  /** Ids of deliveries with an altered or missing body. */
  readonly bodies: readonly string[]
}

const MOST_NAMED = 100

/** Reads every row and body; seconds for a large database. */
export async function findRowProblems(db: Database): Promise<RowProblems> {
  const { rowSchemas } = await import('./row-schemas.ts')
  return {
    values: damagedValues(db, rowSchemas)
      .take(MOST_NAMED)
      .map(({ text }) => text)
      .toArray(),
    bodies: damagedBodies(db)
      .take(MOST_NAMED)
      .map(({ id }) => id)
      .toArray(),
  }
}
