/** What the composer holds: the request as it is to go, beside the one that was captured. */
import type { RawHeaders } from '../../../shared/model/delivery.ts'
import type { SignatureMode, TimestampMode } from '../../../shared/model/replay-edits.ts'
import type { Tamper } from '../../../shared/model/send.ts'
import { isOfConnection } from '../../../shared/http/request-headers.ts'
import type { InputOf } from '../../../shared/contract/contract.ts'

export interface HeaderRow {
  readonly key: number
  readonly name: string
  readonly value: string
}

/** What was captured; `text` is the body where it can be edited, null where it goes as it is. */
export interface Original {
  readonly method: string
  readonly headers: RawHeaders
  readonly text: string | null
}

export interface Draft {
  /** Empty: the registered URL. */
  readonly target: string
  readonly method: string
  readonly rows: readonly HeaderRow[]
  readonly text: string | null
  readonly signature: SignatureMode
  readonly timestamp: TimestampMode
  readonly tamper: Tamper | null
  /** Empty: that of each delivery. */
  readonly hookId: string
  /** Empty: the registered one of the hook. */
  readonly signedUrl: string
  readonly repeat: string
  readonly concurrency: string
  readonly rate: string
}

/** Headers that can be edited, in their order: all but those of the connection. */
export function rowsOf(headers: RawHeaders): readonly HeaderRow[] {
  return headers.flatMap(([name, value], key) => (isOfConnection(name) ? [] : [{ key, name, value }]))
}

/** The rows with one of them a place further up or down; the same where there is no such place. */
export function movedRow(rows: readonly HeaderRow[], key: number, by: -1 | 1): readonly HeaderRow[] {
  const from = rows.findIndex((row) => row.key === key)
  const [row, other] = [rows[from], rows[from + by]]
  if (row === undefined || other === undefined) return rows
  return rows.map((at, index) => (index === from ? other : index === from + by ? row : at))
}

export function newDraft(original: Original | null, target: string): Draft {
  return {
    target,
    method: original?.method ?? '',
    rows: rowsOf(original?.headers ?? []),
    text: original?.text ?? null,
    signature: 'recompute',
    timestamp: 'now',
    tamper: null,
    hookId: '',
    signedUrl: '',
    repeat: '1',
    concurrency: '1',
    rate: '',
  }
}

export function isSameHeaders(rows: readonly HeaderRow[], original: Original): boolean {
  const before = rowsOf(original.headers)
  return (
    rows.length === before.length &&
    rows.every((row, index) => row.name === before[index]?.name && row.value === before[index].value)
  )
}

type RequestInput = Omit<InputOf<'replay.preview'>, 'id'>

function toBase64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))
}

/** The draft as the core takes it: only what differs from the original. */
export function requestOf(draft: Draft, original: Original | null): RequestInput {
  const { target, method, rows, text, signature, timestamp, tamper, hookId, signedUrl } = draft
  const base = {
    to: target.trim() === '' ? null : target.trim(),
    registeredUrl: signature === 'recompute' && signedUrl !== '' ? signedUrl : null,
    hookId: hookId === '' ? null : hookId,
    tamper: signature === 'recompute' ? tamper : null,
  }
  const proof = { signature, timestamp: signature === 'keep' ? ('now' as const) : timestamp }
  if (original === null) return { ...base, edits: proof }
  return {
    ...base,
    edits: {
      ...proof,
      ...(method === original.method ? {} : { method }),
      ...(isSameHeaders(rows, original) ? {} : { headers: rows.map(({ name, value }): [string, string] => [name, value]) }),
      ...(text === null || text === original.text ? {} : { base64: toBase64(text) }),
    },
  }
}

export interface Pace {
  readonly repeat: number
  readonly concurrency: number
  readonly rate: number | null
}

/** How often, how many at a time, how fast; null where one of them is no number that it may be. */
export function paceOf({ repeat, concurrency, rate }: Draft): Pace | null {
  const whole = (text: string, most: number) =>
    /^\d{1,4}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= most ? Number(text) : null
  const times = whole(repeat, 1_000)
  const atOnce = whole(concurrency, 64)
  const speed = rate.trim() === '' ? null : Number(rate)
  if (times === null || atOnce === null || (speed !== null && !(speed > 0 && speed <= 100_000))) return null
  return { repeat: times, concurrency: atOnce, rate: speed }
}
