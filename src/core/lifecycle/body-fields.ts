import { childOf, readJson, type JsonNode } from '../../shared/json/tree.ts'

/** Returns a reader of JSON fields at dotted paths, or null. */
export function bodyFields(body: Uint8Array) {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return null
  }
  const root = readJson(text)
  if (root === null) return null
  const at = (path: string, ...kinds: JsonNode['kind'][]): JsonNode | null => {
    const node = path.split('.').reduce<JsonNode | null>(childOf, root)
    return node !== null && kinds.includes(node.kind) ? node : null
  }
  return {
    body: text,
    string: (path: string): string | null => at(path, 'string')?.string ?? null,
    number: (path: string): string | null => at(path, 'number')?.raw ?? null,
    isFalse: (path: string): boolean => at(path, 'word')?.raw === 'false',
  }
}

/** Parses a UTC time; null for anything else, because a time without a zone is ambiguous. */
export function timeOf(text: string | null): number | null {
  if (text === null || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text)) return null
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}

export function isoOrNull(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}
