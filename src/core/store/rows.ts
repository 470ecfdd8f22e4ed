/**
 * Reads stored rows and checks each value, because any byte may be altered. Without zod, because
 * threads start without it.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { OwnResponse, RawHeaders } from '../../shared/model/delivery.ts'
import type { FlowRunSummary } from '../../shared/model/flow-run.ts'
import type { ForwardSettings } from '../../shared/model/forward.ts'
import type { HandlerCheckRun } from '../../shared/model/handler.ts'
import type { ReplaySettings, Send } from '../../shared/model/send.ts'

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number'
const isFlag: Check = (value) => typeof value === 'boolean'
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
const orAbsent =
  (check: Check): Check =>
  (value) =>
    value == null || check(value)
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const isTime: Check = (value) => isNumber(value) && Math.abs(value as number) <= 8.64e15
const isPair: Check = (value) => Array.isArray(value) && value.length === 2 && value.every(isText)
const isOneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value)

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

/** Check of a column's JSON, or of its stored value. */
interface Column<Value> {
  readonly isJson: boolean
  readonly check: (value: unknown) => value is Value
  /** Replacement; without it, the row can't be read. */
  readonly fallback?: string | number | null | undefined
}

const jsonColumn = <Value>(
  check: Check,
  fallback?: string | null,
): Column<Value> & { readonly isJson: true } => ({
  isJson: true,
  check: check as Column<Value>['check'],
  fallback,
})
const plainColumn = (check: Check, fallback?: string | number | null) => ({
  isJson: false as const,
  check: check as Column<unknown>['check'],
  fallback,
})

const headers = isListOf(isPair)

/** Columns that are checked: JSON, and values that a row needs. */
export const columnChecks = {
  'deliveries.received_at': plainColumn(isTime),
  'deliveries.body_size': plainColumn(isNumber),
  'deliveries.verdict': plainColumn(isOneOf('valid', 'invalid', 'unsigned', 'unknown-hook')),
  'deliveries.freshness': plainColumn(isOneOf('fresh', 'stale', 'future', 'missing', 'unknown')),
  'deliveries.schema': plainColumn(isOneOf('ok', 'issues', 'not-json', 'unknown')),
  'deliveries.mode': plainColumn(isOneOf('test', 'live', null)),
  'deliveries.event_source': plainColumn(orNull(isText)),
  'deliveries.headers': jsonColumn<RawHeaders>(headers),
  'deliveries.trailers': jsonColumn<RawHeaders>(headers),
  'deliveries.event_candidates': jsonColumn<string[]>(isListOf(isText), '[]'),
  'responses.content': jsonColumn<OwnResponse>(
    isObject({ status: orNull(isNumber), headers, body: isText, truncated: isFlag }),
  ),
  'hooks.status': plainColumn(isOneOf('active', 'deleted', 'gone', 'unconfirmed'), 'active'),
  'hooks.kind': plainColumn(isOneOf('brand', 'program', null), null),
  'hooks.created_at': plainColumn(isTime, 0),
  'hooks.headers': jsonColumn<string[]>(isListOf(isText), '[]'),
  // With a damaged rule, a hook still verifies signatures.
  'hooks.answering': jsonColumn<object>(isObject(), '{}'),
  'hooks.record': jsonColumn<unknown>(() => true, null),
  // The cautious choice: sending to a live environment asks first.
  'environments.mode': plainColumn(isOneOf('test', 'live'), 'live'),
  'environments.auth': plainColumn(isOneOf('service-key', 'bearer'), 'service-key'),
  'environments.ack': plainColumn(isOneOf('200', '2xx'), '200'),
  'environments.created_at': plainColumn(isTime, 0),
  'environments.connection': jsonColumn<object>(isObject(), '{}'),
  'sandbox_objects.mode': plainColumn(isOneOf('test', 'live')),
  'sandbox_objects.data': jsonColumn<object>(isObject()),
  'handlers.created_at': plainColumn(isTime, 0),
  'handlers.checks': jsonColumn<HandlerCheckRun[]>(
    isListOf(isObject({ runId: isText, at: isText, passed: isNumber, failed: isNumber })),
    '[]',
  ),
  'forward_targets.created_at': plainColumn(isTime, 0),
  'forward_targets.settings': jsonColumn<
    Omit<ForwardSettings, 'handlerId'> & Partial<ForwardSettings>
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
    }),
  ),
  'replay_jobs.created_at': plainColumn(isTime, 0),
  'replay_jobs.settings': jsonColumn<ReplaySettings>(
    isObject({
      to: orNull(isText),
      registeredUrl: orNull(isText),
      hookId: orNull(isText),
      tamper: orNull(isText),
      concurrency: isNumber,
      rate: orNull(isNumber),
      targetCa: orNull(isText),
      edits: isObject({ setHeaders: isListOf(isPair), signature: isText, timestamp: isText }),
      comparison: orAbsent(
        isObject({
          with: isText,
          name: isText,
          other: orNull(isObject({ to: isText })),
          ignore: isListOf(isText),
          headers: isListOf(isText),
        }),
      ),
    }),
  ),
  'replay_jobs.plan': jsonColumn<{
    readonly targets: Readonly<Record<string, string>>
    readonly variant: string | null
  }>(isObject({ targets: isRecordOf(isText) })),
  'sends.phases': jsonColumn<Send['phases']>(isObject(), null),
  'sends.headers': jsonColumn<RawHeaders>(headers),
  'sends.sent_headers': jsonColumn<RawHeaders>(headers),
  'check_runs.run': jsonColumn<object>(
    isObject({ id: isText, createdAt: isNumber, settings: isObject(), counts: isObject() }),
  ),
  'check_runs.findings': jsonColumn<object>(
    isObject({ results: isListOf(isObject()), conclusions: isListOf(isObject()) }),
  ),
  'flow_runs.summary': jsonColumn<FlowRunSummary>(
    isObject({ id: isText, flow: isText, startedAt: isText }),
  ),
  'flow_runs.run': jsonColumn<object>(isObject({ id: isText, steps: isListOf(isObject()) })),
} as const satisfies Readonly<Record<string, Column<unknown>>>

type Columns = typeof columnChecks
export type ColumnName = keyof Columns
export type JsonName = {
  [Name in ColumnName]: Columns[Name]['isJson'] extends true ? Name : never
}[ColumnName]
type JsonValue<Name extends JsonName> = Columns[Name] extends Column<infer Value> ? Value : never

export const columnEntries = Object.entries(columnChecks) as readonly (readonly [
  ColumnName,
  Column<unknown>,
])[]

const UNREADABLE = 'UnreadableRow'
export const WRONG_VALUES = 'has missing or wrong values'

export function unreadable(column: string, problem: string): Error {
  return Object.assign(new Error(`"${column.split('.')[1]!}" ${problem}`), { name: UNREADABLE })
}

/** Whether a row can't be read; an impossible time is a RangeError. */
const isUnreadable = (error: unknown): error is Error =>
  error instanceof Error && (error.name === UNREADABLE || error instanceof RangeError)

export function checkColumn(
  name: ColumnName,
  stored: unknown,
): { readonly value: unknown } | { readonly problem: string } {
  const { isJson, check }: Column<unknown> = columnChecks[name]
  if (!isJson) return check(stored) ? { value: stored } : { problem: 'has an impossible value' }
  try {
    const value: unknown = JSON.parse(stored as string)
    return check(value) ? { value } : { problem: WRONG_VALUES }
  } catch {
    return { problem: "isn't valid JSON" }
  }
}

/** Returns a replacement. Throws an error that `readRows` and `readRow` expect. */
function replacementOf(name: ColumnName, problem: string): string | number | null {
  const { fallback }: Column<unknown> = columnChecks[name]
  if (fallback === undefined) throw unreadable(name, problem)
  return fallback
}

/** Returns the value of a JSON column, or its replacement. */
export function jsonOf<Name extends JsonName>(name: Name, text: string): JsonValue<Name> {
  const result = checkColumn(name, text)
  return (
    'value' in result ? result.value : JSON.parse(String(replacementOf(name, result.problem)))
  ) as JsonValue<Name>
}

/** Returns a stored value, or its replacement; absent JSON is null. */
export function valueOf<Value extends string | number | null>(
  name: ColumnName,
  stored: Value,
): Value {
  if (columnChecks[name].isJson && stored === null) return stored
  const result = checkColumn(name, stored)
  return 'value' in result ? stored : (replacementOf(name, result.problem) as Value)
}

/** Returns headers; null if they are damaged. */
export function headersOf(text: string): RawHeaders | null {
  return readRows([text], (stored) => jsonOf('deliveries.headers', stored))[0] ?? null
}

export interface Schema<Value> {
  safeParse(value: unknown): { readonly data?: Value | undefined }
}

/** Returns JSON that a schema describes completely. */
export function parsedBy<Value>(schema: Schema<Value>, name: JsonName, text: string): Value {
  const { data } = schema.safeParse(jsonOf(name, text))
  if (data === undefined) throw unreadable(name, WRONG_VALUES)
  return data
}

/** Reads rows without unreadable ones. */
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

/** Reads one row. Throws `DATABASE_DAMAGED` if it is unreadable. */
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

/** Returns SQL of a JSON column in which a damaged value counts as empty. */
export const jsonSql = (column: string, fallback: '[]' | '{}'): string =>
  `iif(json_valid(${column}), ${column}, '${fallback}')`
