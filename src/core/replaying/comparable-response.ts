/** Responses reduced to what should be the same in every run. */
import { createHash } from 'node:crypto'
import { utf8Text } from '../../shared/body/encoding.ts'
import { pathFitsPattern, pathPattern, type Path } from '../../shared/diff/path-pattern.ts'
import { defaultVolatileFields } from '../../shared/diff/volatile-fields.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { Comparable } from '../../shared/model/run-comparison.ts'
import type { ComparisonSettings, Send } from '../../shared/model/send.ts'
import { parseBody } from '../../shared/service/json-body.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'

export interface RecordedResponse extends Pick<Send, 'status' | 'ms' | 'errorKind'> {
  /** Whether the endpoint acknowledged it; null for our own receiver. */
  readonly passed: boolean | null
  readonly headers: RawHeaders
  readonly body: Uint8Array
  readonly truncated: boolean
}

/** Fields whose values differ from run to run: those of deliveries, and usual ones of responses. */
const VOLATILE: readonly string[] = [
  ...defaultVolatileFields.body,
  ...['**.*ID', '**.*_id', '**.uuid', '**.nonce', '**.*At', '**.*_at', '**.time', '**.*Time'],
  ...['**.timestamp', '**.*Timestamp', '**.date', '**.*Date', '**.duration*', '**.elapsed*'],
  ...['**.ms', '**.*Ms', '**.*_ms', '**.uptime'],
]

const UUID = /\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi
const LONG_HEX = /\b(?=[a-f]*\d)[\da-f]{24,}\b/gi
const MOMENT = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g

/** Replaces ids and times in a text by their kind. */
export function foldVolatile(text: string): string {
  return text.replace(UUID, '[id]').replace(MOMENT, '[time]').replace(LONG_HEX, '[id]')
}

/** Depth below which values are only compared by kind, because the stack is limited. */
const DEEPEST = 400

const fitsAny = (path: Path, patterns: readonly string[]) =>
  patterns.some((pattern) => pathFitsPattern(path, pattern))

type Json = NonNullable<Comparable['body']> | null

/** Returns a value without the fields that fit a pattern. */
export function leaveOutFields(value: Json, patterns: readonly string[], path: Path = []): Json {
  const hasFields = typeof value === 'object' && value !== null && path.length < DEEPEST
  if (patterns.length === 0 || !hasFields) return value
  const kept = Object.entries(value).flatMap(([name, child]) => {
    const at = [...path, Array.isArray(value) ? Number(name) : name]
    return fitsAny(at, patterns)
      ? []
      : [[name, leaveOutFields(child ?? null, patterns, at)] as const]
  })
  return Array.isArray(value) ? kept.map(([, child]) => child) : Object.fromEntries(kept)
}

export class ResponseFolder {
  readonly #ignored: readonly string[]
  readonly #headers: readonly string[]

  constructor({ ignore, headers }: Pick<ComparisonSettings, 'ignore' | 'headers'>) {
    this.#ignored = ignore.map(pathPattern)
    this.#headers = headers.map((name) => name.toLowerCase()).toSorted()
  }

  /** Returns what to compare of a response whose secrets are masked. */
  fold({ status, ms, errorKind, passed, headers, body, truncated }: RecordedResponse): Comparable {
    const named = this.#headers.flatMap((name) => {
      const values = headers.filter(([other]) => other.toLowerCase() === name)
      return values.length === 0
        ? []
        : [[name, foldVolatile(values.map(([, value]) => value).join(', '))] as const]
    })
    return {
      status,
      ...(errorKind === null ? {} : { error: errorKind }),
      acknowledged: passed === true && (ms ?? 0) <= ACKNOWLEDGE_TIMEOUT_MS,
      ...(named.length === 0 ? {} : { headers: Object.fromEntries(named) }),
      ...this.#bodyOf(body, truncated),
      ...(truncated ? { truncated } : {}),
    }
  }

  #bodyOf(body: Uint8Array, truncated: boolean): Pick<Comparable, 'body' | 'text' | 'sha256'> {
    if (body.length === 0) return {}
    const text = utf8Text(body, truncated)
    if (text === null) return { sha256: createHash('sha256').update(body).digest('hex') }
    const parsed = truncated ? null : parseBody(text)
    if (parsed?.ok !== true) return { text: foldVolatile(text) }
    return { body: this.#foldValue(leaveOutFields(parsed.value as Json, this.#ignored), [], false) }
  }

  #foldValue(value: Json, path: Path, isVolatile: boolean): Json {
    if (typeof value === 'string') return isVolatile ? '[text]' : foldVolatile(value)
    if (typeof value === 'number') return isVolatile ? '[number]' : value
    if (typeof value !== 'object' || value === null) return value
    if (path.length >= DEEPEST) return Array.isArray(value) ? '[list]' : '[object]'
    const fold = (child: Json, step: string | number): Json => {
      const at = [...path, step]
      return this.#foldValue(child, at, isVolatile || fitsAny(at, VOLATILE))
    }
    if (Array.isArray(value)) return value.map(fold)
    return Object.fromEntries(
      Object.keys(value)
        .toSorted()
        .map((name) => [foldVolatile(name), fold(value[name] ?? null, name)]),
    )
  }
}
