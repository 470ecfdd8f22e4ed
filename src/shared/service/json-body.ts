/** Reads a body as JSON: UTF-8 bytes or text, to a value or the reason why it is none. */

export type ParsedBody = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string }

export function parseBody(body: Uint8Array | string): ParsedBody {
  if (body.length === 0) return { ok: false, reason: 'The body is empty; a delivery carries a JSON object.' }
  const text = typeof body === 'string' ? body : decode(body)
  if (text === null) return { ok: false, reason: 'The body is not UTF-8, so it is not JSON.' }
  if (text.startsWith('\ufeff'))
    return { ok: false, reason: 'The body starts with a byte order mark, which JSON does not allow.' }
  try {
    return { ok: true, value: JSON.parse(text) as unknown }
  } catch (error) {
    return { ok: false, reason: `The body is not JSON: ${error instanceof Error ? error.message : String(error)}.` }
  }
}

function decode(body: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return null
  }
}
