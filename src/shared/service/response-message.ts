/** Error message in the body of a response, in one line. */
import { parseBody } from './json-body.ts'

/** Bytes read of a response, as many as a check stores. */
export const MESSAGE_BYTES = 2_048
const MAX_LENGTH = 120

/** Fields that error responses put their message in, after `error`. */
const MESSAGE_FIELDS = ['message', 'detail', 'title', 'reason', 'error_description'] as const

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/**
 * Returns the error and the message of a JSON body: `LedgerConflict: Already settled`; empty
 * without any, null if it isn't JSON.
 */
function jsonMessage(body: string): string | null {
  const parsed = parseBody(body)
  if (!parsed.ok) return null
  if (isText(parsed.value)) return parsed.value
  const fields = fieldsOf(parsed.value)
  const inError = fieldsOf(fields['error'])
  const message = MESSAGE_FIELDS.flatMap((name) => [fields[name], inError[name]]).find(isText)
  const words = [fields['error'], message].filter(isText)
  return [...new Set(words)].join(': ')
}

/** Returns the start of a body as text; empty if it is binary. */
function startOf(body: Uint8Array | string): string {
  if (typeof body === 'string') return body
  try {
    // With `stream`, a character may be cut at the end.
    const decoder = new TextDecoder('utf-8', { fatal: true })
    return decoder.decode(body.subarray(0, MESSAGE_BYTES), { stream: true })
  } catch {
    return ''
  }
}

/**
 * Returns the message of a JSON body, the title of an HTML page, or the first line of a text; empty
 * without any.
 */
export function responseMessage(body: Uint8Array | string): string {
  const start = startOf(body).trim()
  const text = start.startsWith('<')
    ? (/<title>([^<]*)/i.exec(start)?.[1] ?? '')
    : (jsonMessage(start) ?? start.split(/\r?\n/)[0] ?? '')
  const line = text.replaceAll(/\s+/g, ' ').trim()
  // A cut word could be the start of a secret, which no mask finds.
  return line.length <= MAX_LENGTH
    ? line
    : `${line.slice(0, MAX_LENGTH - 1).replace(/\s\S*$/, '')}…`
}

/** Returns the message of a body in quotation marks; null without any. */
export function quotedMessage(body: Uint8Array): string | null {
  const message = responseMessage(body)
  return message === '' ? null : `"${message}"`
}
