/**
 * Reads stored rows: the only place where the text of a column becomes a value. One altered byte may be anywhere, so each value is
 * checked. A value that only adds to its row is then read as its default. Any other sets the row aside: it is left out of lists, and
 * `doctor` names it. Without zod, because the store's threads start without it.
 */
import type { Database } from 'better-sqlite3'
import { AppError } from '../../shared/contract/errors.ts'
import type { OwnResponse, RawHeaders } from '../../shared/model/delivery.ts'
import type { FlowRunSummary } from '../../shared/model/flow.ts'
import type { ForwardSettings } from '../../shared/model/forward.ts'
import type { HandlerCheckRun } from '../../shared/model/handler.ts'
import type { ReplaySettings, Send } from '../../shared/model/send.ts'
import type { SealedSecret } from '../base/deps.ts'
import { rowStatement } from './statements.ts'

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

/** How a column is checked: the value that its JSON has, or the stored value itself. */
interface Column<Value> {
  readonly isJson: boolean
  readonly check: (value: unknown) => value is Value
  /** What to read instead, as stored. Without it, the row can't be read. */
  readonly otherwise?: string | number | null | undefined
}

const json = <Value>(
  check: Check,
  otherwise?: string | null,
): Column<Value> & { readonly isJson: true } => ({
  isJson: true,
  check: check as Column<Value>['check'],
  otherwise,
})
const plain = (check: Check, otherwise?: string | number | null) => ({
  isJson: false as const,
  check: check as Column<unknown>['check'],
  otherwise,
})

const headers = isListOf(isPair)

/** Every column that is checked: JSON, and the numbers and words of a list that a row can't do without. */
const checked = {
  'deliveries.received_at': plain(isTime),
  'deliveries.body_size': plain(isNumber),
  'deliveries.verdict': plain(isOneOf('valid', 'invalid', 'unsigned', 'unknown-hook')),
  'deliveries.freshness': plain(isOneOf('fresh', 'stale', 'future', 'missing', 'unknown')),
  'deliveries.schema': plain(isOneOf('ok', 'issues', 'not-json', 'unknown')),
  'deliveries.mode': plain(isOneOf('test', 'live', null)),
  'deliveries.event_source': plain(orNull(isText)),
  'deliveries.headers': json<RawHeaders>(headers),
  'deliveries.trailers': json<RawHeaders>(headers),
  // Found again by the event's schema.
  'deliveries.event_candidates': json<string[]>(isListOf(isText), '[]'),
  'responses.content': json<OwnResponse>(
    isObject({ status: orNull(isNumber), headers, body: isText, truncated: isFlag }),
  ),
  'hooks.status': plain(isOneOf('active', 'deleted', 'gone', 'unconfirmed'), 'active'),
  'hooks.kind': plain(isOneOf('brand', 'program', null), null),
  'hooks.created_at': plain(isTime, 0),
  'hooks.headers': json<string[]>(isListOf(isText), '[]'),
  // A hook keeps its secrets: without them, its deliveries couldn't be verified.
  'hooks.answering': json<object>(isObject(), '{}'),
  'hooks.record': json<unknown>(() => true, null),
  // Sending to a live environment asks first.
  'environments.mode': plain(isOneOf('test', 'live'), 'live'),
  'environments.auth': plain(isOneOf('service-key', 'bearer'), 'service-key'),
  'environments.ack': plain(isOneOf('200', '2xx'), '200'),
  'environments.created_at': plain(isTime, 0),
  'environments.connection': json<object>(isObject(), '{}'),
  'sandbox_objects.mode': plain(isOneOf('test', 'live')),
  'sandbox_objects.data': json<object>(isObject()),
  'handlers.created_at': plain(isTime, 0),
  'handlers.checks': json<HandlerCheckRun[]>(
    isListOf(isObject({ runId: isText, at: isText, passed: isNumber, failed: isNumber })),
    '[]',
  ),
  'forward_targets.created_at': plain(isTime, 0),
  'forward_targets.settings': json<
    Omit<ForwardSettings, 'handlerId'> &
      Partial<ForwardSettings> & {
        readonly allowHosts: readonly string[]
        readonly liveEnvironments: readonly string[]
      }
  >(
    isObject({
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
  ),
  'replay_jobs.created_at': plain(isTime, 0),
  'replay_jobs.settings': json<ReplaySettings>(
    isObject({
      to: orNull(isText),
      registeredUrl: orNull(isText),
      hookId: orNull(isText),
      tamper: orNull(isText),
      concurrency: isNumber,
      rate: orNull(isNumber),
      targetCa: orNull(isText),
      edits: isObject({ setHeaders: isListOf(isPair), signature: isText, timestamp: isText }),
    }),
  ),
  'replay_jobs.plan': json<{
    readonly targets: Readonly<Record<string, string>>
    readonly variant: string | null
  }>(isObject({ targets: isRecordOf(isText) })),
  'sends.phases': json<Send['phases']>(isObject(), null),
  'sends.headers': json<RawHeaders>(headers),
  'sends.sent_headers': json<RawHeaders>(headers),
  'check_runs.run': json<object>(
    isObject({ id: isText, createdAt: isNumber, settings: isObject(), counts: isObject() }),
  ),
  'check_runs.findings': json<object>(
    isObject({ results: isListOf(isObject()), conclusions: isListOf(isObject()) }),
  ),
  'flow_runs.summary': json<FlowRunSummary>(
    isObject({ id: isText, flow: isText, startedAt: isText }),
  ),
  'flow_runs.run': json<object>(isObject({ id: isText, steps: isListOf(isObject()) })),
} as const satisfies Readonly<Record<string, Column<unknown>>>

type Columns = typeof checked
type ColumnName = keyof Columns
type JsonName = {
  [Name in ColumnName]: Columns[Name]['isJson'] extends true ? Name : never
}[ColumnName]
type JsonValue<Name extends JsonName> = Columns[Name] extends Column<infer Value> ? Value : never

/** The columns by name, for `doctor` and for a repair. */
export const columnEntries = Object.entries(checked) as readonly (readonly [
  ColumnName,
  Column<unknown>,
])[]

const UNREADABLE = 'UnreadableRow'
/** The problem of a JSON value that isn't what its column has. */
export const WRONG = 'has missing or wrong values'

export function unreadable(column: string, problem: string): Error {
  return Object.assign(new Error(`"${column.split('.')[1]!}" ${problem}`), { name: UNREADABLE })
}

/** Whether a row can't be read. A time outside of the range of dates is a RangeError. */
const isUnreadable = (error: unknown): error is Error =>
  error instanceof Error && (error.name === UNREADABLE || error instanceof RangeError)

/** A column's value, or the problem of the stored one. */
export function examine(
  name: ColumnName,
  stored: unknown,
): { readonly value: unknown } | { readonly problem: string } {
  const { isJson, check }: Column<unknown> = checked[name]
  if (!isJson) return check(stored) ? { value: stored } : { problem: 'has an impossible value' }
  try {
    const value: unknown = JSON.parse(stored as string)
    return check(value) ? { value } : { problem: WRONG }
  } catch {
    return { problem: "isn't valid JSON" }
  }
}

/** What to read instead of a damaged value, as stored; without it, an error that `readRows` and `readRow` expect. */
function replacementOf(name: ColumnName, problem: string): string | number | null {
  const { otherwise }: Column<unknown> = checked[name]
  if (otherwise === undefined) throw unreadable(name, problem)
  return otherwise
}

/** The value of a JSON column; if it is damaged, its replacement. */
export function jsonOf<Name extends JsonName>(name: Name, text: string): JsonValue<Name> {
  const found = examine(name, text)
  return (
    'value' in found ? found.value : JSON.parse(String(replacementOf(name, found.problem)))
  ) as JsonValue<Name>
}

/** The same as it is stored: for columns of other types, and for JSON that its reader parses, null if it is absent. */
export function valueOf<Value extends string | number | null>(
  name: ColumnName,
  stored: Value,
): Value {
  if (checked[name].isJson && stored === null) return stored
  const found = examine(name, stored)
  return 'value' in found ? stored : (replacementOf(name, found.problem) as Value)
}

/** A delivery's headers where only they are read; null if they are damaged. */
export function headersOf(text: string): RawHeaders | null {
  return readRows([text], (stored) => jsonOf('deliveries.headers', stored))[0] ?? null
}

/** A zod schema, as far as this needs it. */
export interface Schema<Value> {
  safeParse(value: unknown): { readonly data?: Value | undefined }
}

/** The value of a JSON column that the caller's schema describes completely; damaged like any other if it doesn't match. */
export function parsedBy<Value>(schema: Schema<Value>, name: JsonName, text: string): Value {
  const { data } = schema.safeParse(jsonOf(name, text))
  if (data === undefined) throw unreadable(name, WRONG)
  return data
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

// Tables whose rows are objects of the core, with the same names: the column of `createdAt` is `created_at`.

export const columnOf = (field: string) =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const fieldOf = (column: string) =>
  column.replaceAll(/_[a-z]/g, (letter) => letter.slice(1).toUpperCase())

/** Columns for a SELECT by the names of their fields; `from` is the alias of their table. */
export const columnsFor = (from: string, fields: readonly string[]): string =>
  fields.map((field) => `${from}.${columnOf(field)} AS ${field}`).join(', ')

/** The form of a stored field, and its column: unchanged, JSON, 0 or 1, or the two columns of a sealed value. */
type Form = readonly [form: 'plain' | 'json' | 'flag' | 'sealed', column: string]
type StoredRow = Readonly<Record<string, string | number | Uint8Array | null>>

const NOT_SEALED = { backend: null, sealed: null }

/** Stores and reads the rows of a table. `key`: the columns of its key; `forms`: of fields that aren't stored unchanged, or under another name. */
export function tableOf<Row extends object>(
  table: string,
  key: string,
  forms: Partial<Record<keyof Row & string, Form>>,
) {
  const formed = Object.entries(forms) as (readonly [string, Form])[]
  // The seq is the table's own.
  const apart = new Set([
    'seq',
    ...formed.flatMap(([, [form, column]]) =>
      form === 'sealed' ? [`${column}_backend`, `${column}_sealed`] : [column],
    ),
  ])

  function valueIn(stored: StoredRow, [form, column]: Form): unknown {
    const name = `${table}.${column}` as ColumnName
    const value = stored[column] as string | number | null
    if (form === 'flag') return value === 1
    if (form === 'json') return jsonOf(name as JsonName, value as string)
    if (form === 'plain') return name in checked ? valueOf(name, value) : value
    const [backend, sealed] = [stored[`${column}_backend`], stored[`${column}_sealed`]]
    return backend === null || sealed === null ? null : { backend, sealed }
  }

  function read(stored: StoredRow): Row {
    const rest = Object.keys(stored)
      .filter((column) => !apart.has(column))
      .map((column) => [fieldOf(column), ['plain', column]] as const)
    return Object.fromEntries(
      [...rest, ...formed].map(([field, form]) => [field, valueIn(stored, form)]),
    ) as Row
  }

  function columnsIn(row: Row): (readonly [column: string, value: unknown])[] {
    return Object.entries(row).flatMap(([field, value]) => {
      const [form, column] = forms[field as keyof Row & string] ?? ['plain', columnOf(field)]
      if (form === 'flag') return [[column, Number(value)] as const]
      if (form === 'json') return [[column, JSON.stringify(value)] as const]
      if (form === 'plain') return [[column, value] as const]
      const { backend, sealed } = (value as SealedSecret | null) ?? NOT_SEALED
      return [[`${column}_backend`, backend] as const, [`${column}_sealed`, sealed] as const]
    })
  }

  return {
    /** Adds a row, or replaces its state. */
    put(db: Database, row: Row): void {
      const stored = columnsIn(row)
      const columns = stored.map(([column]) => column)
      db.prepare(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
         ON CONFLICT (${key}) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`,
      ).run(stored.map(([, value]) => value))
    },
    /** The readable rows. `rest`: a condition and an order, in SQL. */
    list: (db: Database, rest: string): Row[] =>
      readRows(rowStatement<StoredRow>(db, `SELECT * FROM ${table} ${rest}`).all(), read),
  }
}
