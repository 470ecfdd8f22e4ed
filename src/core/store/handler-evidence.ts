/** Failures at a handler, from which its causes are found: deliveries by response, and flows. */
import type { SendFailureKind, Tamper } from '../../shared/model/send.ts'
import { parseBody } from '../../shared/service/json-body.ts'
import { MESSAGE_BYTES, responseMessage } from '../../shared/service/response-message.ts'
import type { ReadableDb } from './database.ts'
import { IS_COUNTABLE } from './delivery-totals.ts'
import { readHandlerFlows } from './handler-flows.ts'
import { rowStatement } from './statements.ts'

/** Response that failed: its status and message, or the reason for a missing one. */
export interface FailedResponse {
  readonly status: number | null
  readonly errorKind: SendFailureKind | null
  readonly message: string
}

/** Failing deliveries that got the same response. */
export interface ResponseGroup extends FailedResponse {
  /** Newest first. */
  readonly ids: readonly string[]
  readonly events: readonly string[]
  /** Field and value of all of them and of no acknowledged delivery: `cleared: true`. */
  readonly shared: string | null
}

/** Failed case or flow, with the first response that failed it. */
export interface NamedFailure {
  readonly name: string
  readonly event: string | null
  /** Forgery that the handler must reject; null for a valid delivery. */
  readonly tamper: Tamper | null
  readonly response: FailedResponse | null
}

export interface HandlerEvidence {
  readonly groups: readonly ResponseGroup[]
  readonly flows: readonly NamedFailure[]
}

/** Most responses shown as causes; more would differ in wording only. */
export const MOST_RESPONSES = 5
/** Newest responses that are compared. */
const RESPONSES_READ = 2_000
const LONGEST_BODY = 65_536
/** Fewer deliveries share a value by chance. */
const FEWEST_COMPARED = 3
const LONGEST_VALUE = 40

interface ResponseRow {
  readonly seq: number
  readonly id: string
  readonly event: string | null
  readonly hasFailed: number
  readonly status: number | null
  readonly errorKind: SendFailureKind | null
  readonly error: string | null
  readonly response: Uint8Array | null
}

/** Returns a text that is the same for responses with the same status and message. */
export function responseKey({ status, errorKind, message }: FailedResponse): string {
  return status === null ? (errorKind ?? 'other') : `${status} ${message}`
}

function toFailedResponse(
  row: Pick<ResponseRow, 'status' | 'errorKind' | 'error' | 'response'>,
): FailedResponse {
  const { status, errorKind, error, response } = row
  const message = status === null ? (error ?? '') : responseMessage(response ?? new Uint8Array())
  return { status, errorKind, message }
}

/** Whether a last response `r` of a send `s` failed; any delivery fails without a response. */
const HAS_FAILED = "(r.outcome = 'failing' OR s.status IS NULL)"

/** Reads what failed at a handler. */
export function readHandlerEvidence(db: ReadableDb, id: string): HandlerEvidence {
  const handler = rowStatement<{ seq: number; name: string; target: string }>(
    db,
    'SELECT seq, name, target FROM handlers WHERE id = ?',
  ).get(id)
  if (handler === undefined) return { groups: [], flows: [] }
  const rows = rowStatement<ResponseRow>(
    db,
    `SELECT d.seq, d.id, d.event, ${HAS_FAILED} AS hasFailed, s.status, s.error_kind AS errorKind, s.error,
         CASE WHEN ${HAS_FAILED} THEN substr(s.body, 1, ${MESSAGE_BYTES}) END AS response
       FROM sends s INDEXED BY sends_handler JOIN handler_responses r ON r.send_seq = s.seq AND r.seq = s.delivery_seq
       JOIN deliveries d ON d.seq = s.delivery_seq
       WHERE s.handler = ? AND s.state = 'settled'
         AND (${HAS_FAILED} OR r.outcome = 'acknowledged') AND ${IS_COUNTABLE}
       ORDER BY s.started_at DESC LIMIT ${RESPONSES_READ}`,
  ).all(handler.seq)
  const failing = rows
    .filter(({ hasFailed }) => hasFailed === 1)
    .map((row) => ({ ...row, ...toFailedResponse(row) }))
  const accepted = rows.filter(({ hasFailed }) => hasFailed === 0)
  const widest = [...Map.groupBy(failing, responseKey).values()].toSorted(
    (a, b) => b.length - a.length,
  )
  const groups = widest.flatMap((group, index) => {
    const [first] = group
    // Each comparison may read all accepted payloads.
    return first === undefined
      ? []
      : [toGroup(db, first, group, index < MOST_RESPONSES ? accepted : [])]
  })
  return { groups, flows: failedFlows(db, handler) }
}

function toGroup(
  db: ReadableDb,
  { status, errorKind, message }: FailedResponse,
  group: readonly ResponseRow[],
  accepted: readonly ResponseRow[],
): ResponseGroup {
  return {
    ...{ status, errorKind, message },
    ids: group.map((row) => row.id),
    events: [...new Set(group.flatMap(({ event }) => event ?? []))].toSorted(),
    shared: status === null ? null : sharedValue(bodiesOf(db, group), bodiesOf(db, accepted)),
  }
}

/** Yields the payloads of deliveries; null for one that can't be compared. */
function* bodiesOf(db: ReadableDb, rows: readonly ResponseRow[]): Generator {
  const read = rowStatement<{ readonly bytes: Uint8Array }>(
    db,
    `SELECT bytes FROM bodies WHERE seq = ? AND length(bytes) <= ${LONGEST_BODY}`,
  )
  for (const { seq } of rows) {
    const body = parseBody(read.get(seq)?.bytes ?? new Uint8Array())
    yield body.ok ? body.value : null
  }
}

/** Returns the simple values of a payload by path. */
function valuesOf(payload: unknown, prefix = ''): ReadonlyMap<string, string> {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return new Map()
  const entries = Object.entries(payload).flatMap(([name, value]): [string, string][] => {
    const path = `${prefix}${name}`
    if (typeof value !== 'object' || value === null) return [[path, JSON.stringify(value)]]
    return [...valuesOf(value, `${path}.`)]
  })
  return new Map(entries)
}

/**
 * Returns a field with its value that all failing payloads have and no accepted one, in the fewest
 * characters; null if there is none, or too few payloads to tell.
 */
export function sharedValue(
  failing: Iterable<unknown>,
  accepted: Iterable<unknown>,
): string | null {
  let common: ReadonlyMap<string, string> | null = null
  let compared = 0
  for (const payload of failing) {
    const values = valuesOf(payload)
    const before: ReadonlyMap<string, string> = common ?? values
    common = new Map([...before].filter(([path, value]) => values.get(path) === value))
    compared++
    if (common.size === 0) return null
  }
  if (common === null || compared < FEWEST_COMPARED) return null
  const left = new Map([...common].filter(([, value]) => value.length <= LONGEST_VALUE))
  compared = 0
  for (const payload of accepted) {
    // A payload that can't be read may have the value too.
    if (payload === null) return null
    const values = valuesOf(payload)
    for (const [path, value] of left) if (values.get(path) === value) left.delete(path)
    compared++
    if (left.size === 0) return null
  }
  if (compared < FEWEST_COMPARED) return null
  // A flag that is on tells more than one that is off.
  const rank = (text: string) => (text.endsWith(': true') ? 0 : 1)
  const texts = [...left].map(([path, value]) => `${path}: ${value}`)
  return (
    texts.toSorted((a, b) => rank(a) - rank(b) || a.length - b.length || a.localeCompare(b))[0] ??
    null
  )
}

function failedFlows(
  db: ReadableDb,
  handler: { readonly name: string; readonly target: string },
): HandlerEvidence['flows'] {
  const sent = rowStatement<Parameters<typeof toFailedResponse>[0] & Pick<NamedFailure, 'tamper'>>(
    db,
    `SELECT tamper, status, error_kind AS errorKind, error, substr(body, 1, ${MESSAGE_BYTES}) AS response
       FROM sends WHERE job_id = ? AND position = ?`,
  )
  return readHandlerFlows(db, handler).flatMap(({ shown, failedSend, failedEvent: event }) => {
    if (shown.outcome === 'pass') return []
    const [, replay, position] = /^(.+)\.(\d+)$/.exec(failedSend ?? '') ?? []
    const row = replay === undefined ? undefined : sent.get(replay, Number(position))
    const response = row === undefined ? null : toFailedResponse(row)
    return [{ name: shown.flow, event, tamper: row?.tamper ?? null, response }]
  })
}
