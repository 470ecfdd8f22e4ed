/** The message that a response puts its reason in. */
import { childOf, readJson } from '../../shared/json/tree.ts'

/** Fields that error responses put their message in. */
const MESSAGE_FIELDS = [
  'message',
  'error',
  'detail',
  'title',
  'reason',
  'error_description',
] as const

const LONGEST_WORDS = 80

/**
 * Returns the message of a JSON error or the first line of a text response, in quotation marks;
 * null if there is none.
 */
export function responseMessage(bytes: Uint8Array): string | null {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, 4_096)).trim()
  } catch {
    // Binary, or cut inside a character.
    return null
  }
  const root = readJson(text)
  const fields = MESSAGE_FIELDS.map((name) => childOf(root, name))
  const nested = fields.flatMap((parent) => MESSAGE_FIELDS.map((name) => childOf(parent, name)))
  const field = [root, ...fields, ...nested].find((node) => node?.kind === 'string')
  const message = root === null ? text : (field?.string ?? '')
  const line = message.trim().split(/\r?\n/)[0] ?? ''
  if (line === '' || line.startsWith('<')) return null
  return `"${line.length > LONGEST_WORDS ? `${line.slice(0, LONGEST_WORDS)}…` : line}"`
}
