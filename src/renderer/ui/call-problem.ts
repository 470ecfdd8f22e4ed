/** The error of a failed call, split for a form. */
import { AppError, type ErrorCode } from '../../shared/contract/errors.ts'
import { isJsonObject } from '../../shared/body/json-path.ts'

export interface Finding {
  readonly field: string
  readonly message: string
  readonly rule: string
  readonly section: string
}

/** Call to the service; `status` is null without a response. */
export interface ServiceExchange {
  readonly status: number | null
  readonly body: string | null
  readonly sent: {
    readonly method: string
    readonly url: string
    readonly headers: readonly (readonly [string, string])[]
    readonly body: unknown
  }
}

export interface CallProblem {
  readonly code: ErrorCode
  readonly message: string
  readonly findings: readonly Finding[]
  readonly exchange: ServiceExchange | null
}

/** Result of a call, for a form; `problem` is null if the user cancelled it. */
export type CallResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: CallProblem | null }

export async function settleCall<T>(call: Promise<T>): Promise<CallResult<T>> {
  try {
    return { ok: true, value: await call }
  } catch (error) {
    const isCancelled = error instanceof AppError && error.code === 'CANCELLED'
    return { ok: false, problem: isCancelled ? null : problemOf(error) }
  }
}

export function problemOf(error: unknown): CallProblem {
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof AppError))
    return { code: 'INTERNAL', message, findings: [], exchange: null }
  const { code, details } = error
  const findings = Array.isArray(details)
    ? details.flatMap(toFinding)
    : fieldFinding(details, message)
  return { code, message, findings, exchange: exchangeOf(details) }
}

/** Returns the finding of an error that names its field. */
function fieldFinding(details: unknown, message: string): readonly Finding[] {
  const field = isJsonObject(details) ? text(details['field']) : ''
  return field === '' ? [] : [{ field, message, rule: '', section: '' }]
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function toFinding(value: unknown): readonly Finding[] {
  if (!isJsonObject(value) || typeof value['message'] !== 'string') return []
  return [
    {
      field: text(value['field']),
      message: value['message'],
      rule: text(value['rule']),
      section: text(value['section']),
    },
  ]
}

function exchangeOf(details: unknown): ServiceExchange | null {
  if (!isJsonObject(details) || !isJsonObject(details['sent'])) return null
  const { status, body, sent } = details
  return {
    status: typeof status === 'number' ? status : null,
    body: typeof body === 'string' ? body : null,
    sent: {
      method: text(sent['method']),
      url: text(sent['url']),
      headers: Array.isArray(sent['headers']) ? sent['headers'].flatMap(toHeader) : [],
      body: sent['body'] ?? null,
    },
  }
}

function toHeader(value: unknown): readonly (readonly [string, string])[] {
  return Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'string'
    ? [[value[0], value[1]]]
    : []
}
