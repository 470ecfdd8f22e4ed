/** Parser of bodies as JSON, with the reason for a failure. */
import { syntaxErrorWords } from '../json/scan.ts'

export type ParsedBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string }

export function parseBody(body: Uint8Array | string): ParsedBody {
  if (body.length === 0)
    return { ok: false, reason: 'The body is empty; a delivery contains a JSON object.' }
  if (body.length > DEEPEST && isDeeper(body))
    return {
      ok: false,
      reason: `The body is nested more than ${DEEPEST.toLocaleString('en')} levels deep, so it isn't read as JSON.`,
    }
  const text = typeof body === 'string' ? body : decode(body)
  if (text === null)
    return { ok: false, reason: `The body isn't UTF-8, so it isn't JSON${gzipRemark(body)}.` }
  if (text.startsWith('\ufeff'))
    return {
      ok: false,
      reason: 'The body starts with a byte order mark, which JSON does not allow.',
    }
  try {
    return { ok: true, value: JSON.parse(text) as unknown }
  } catch {
    return { ok: false, reason: `The body isn't JSON: ${syntaxErrorWords(text)}.` }
  }
}

/** Nesting; a million levels would take a hundred megabytes. */
const DEEPEST = 10_000

/** Members and items in total; half a million take over a hundred megabytes to parse. */
export const MOST_MEMBERS = 20_000

function isDeeper(body: Uint8Array | string): boolean {
  return exceeds(body, DEEPEST, Number.POSITIVE_INFINITY)
}

export function hasTooManyMembers(body: Uint8Array | string): boolean {
  return body.length > MOST_MEMBERS && exceeds(body, Number.POSITIVE_INFINITY, MOST_MEMBERS)
}

/** Whether a body is deeper than `levels`, or has `members` commas; stops as soon as it is. */
function exceeds(body: Uint8Array | string, levels: number, members: number): boolean {
  let depth = 0
  let separators = 0
  let inString = false
  for (let at = 0; at < body.length; at++) {
    const code = typeof body === 'string' ? body.charCodeAt(at) : body[at]
    if (inString) {
      if (code === 92) at++
      else if (code === 34) inString = false
    } else if (code === 34) inString = true
    else if (code === 91 || code === 123) {
      if (++depth > levels) return true
    } else if (code === 93 || code === 125) depth--
    else if (code === 44 && depth > 0 && ++separators >= members) return true
  }
  return false
}

function gzipRemark(body: Uint8Array | string): string {
  return body[0] === 0x1f && body[1] === 0x8b ? ': it starts like gzip' : ''
}

// Created once: that costs as much as reading a kilobyte.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(body: Uint8Array): string | null {
  try {
    return decoder.decode(body)
  } catch {
    return null
  }
}
