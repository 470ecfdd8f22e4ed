/** Error message in the body of a response, in one line. */
import { parseBody } from './json-body.ts'

/** Bytes read of a response, as many as a check stores. */
export const MESSAGE_BYTES = 2_048
const MESSAGE_LENGTH = 120

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}

/** Returns the error and the message of a JSON body: `LedgerConflict: Already settled`. */
function jsonMessage(body: string): string | null {
  const parsed = parseBody(body)
  const { error, message } = fieldsOf(parsed.ok ? parsed.value : null)
  const words = [error, message, fieldsOf(error)['message']].filter(
    (value) => typeof value === 'string' && value !== '',
  )
  return words.length === 0 ? null : [...new Set(words)].join(': ')
}

/** Returns the message of a body, else the title of its page, else its start; '' if empty. */
export function responseMessage(body: Uint8Array | string): string {
  const start =
    typeof body === 'string' ? body : new TextDecoder().decode(body.subarray(0, MESSAGE_BYTES))
  const text = jsonMessage(start) ?? /<title>([^<]*)/i.exec(start)?.[1] ?? start
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= MESSAGE_LENGTH ? line : `${line.slice(0, MESSAGE_LENGTH - 1)}…`
}
