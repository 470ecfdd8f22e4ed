/**
 * JSON taken apart without losing anything: the order of keys, those that stand twice, and each number and string as it was
 * written. What a diagnosis writes again in the manner of other programs starts from this.
 */

export type JsonTree =
  | { readonly kind: 'object'; readonly members: readonly (readonly [key: string, value: JsonTree])[] }
  | { readonly kind: 'array'; readonly items: readonly JsonTree[] }
  /** A number, string or word, verbatim; strings and keys with their quotation marks. */
  | { readonly kind: 'number' | 'string' | 'word'; readonly raw: string }

/** Deeper than this nobody's serialiser is imitated: it would overflow the stack. */
const DEEPEST = 200

const token = /[\s]*([{}[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+)/gy

/** Takes a JSON text apart; null where it is not JSON, or nested too deep. Never throws. */
export function readJson(text: string): JsonTree | null {
  try {
    JSON.parse(text)
  } catch {
    return null
  }
  const tokens = Array.from(text.matchAll(token), ([, one = '']) => one)
  let at = 0

  function read(depth: number): JsonTree | null {
    if (depth > DEEPEST) return null
    const first = tokens[at++] ?? ''
    if (first === '{') return readObject(depth)
    if (first === '[') return readArray(depth)
    return { kind: first.startsWith('"') ? 'string' : /^[-\d]/.test(first) ? 'number' : 'word', raw: first }
  }
  function readObject(depth: number): JsonTree | null {
    const members: [string, JsonTree][] = []
    while (tokens[at] !== '}') {
      if (tokens[at] === ',') at++
      const key = tokens[at] ?? ''
      at += 2
      const value = read(depth + 1)
      if (value === null) return null
      members.push([key, value])
    }
    at++
    return { kind: 'object', members }
  }
  function readArray(depth: number): JsonTree | null {
    const items: JsonTree[] = []
    while (tokens[at] !== ']') {
      if (tokens[at] === ',') at++
      const value = read(depth + 1)
      if (value === null) return null
      items.push(value)
    }
    at++
    return { kind: 'array', items }
  }
  return read(0)
}
