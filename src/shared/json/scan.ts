/**
 * JSON scanner for any nesting depth. A sink gets positions, so that numbers, duplicate keys and
 * escapes stay as sent.
 */

export const ARRAY = 0
export const OBJECT = 1
export type Container = typeof ARRAY | typeof OBJECT

/** Receiver of tokens. Ends are one past the last character, and beyond the text if it is cut. */
export interface JsonSink {
  mark?(start: number, end: number): void
  key(start: number, end: number): void
  scalar(start: number, end: number, isString: boolean): void
  open(at: number, container: Container): void
  close(at: number): void
  comma?(at: number): void
}

export type ScanOutcome =
  | { readonly outcome: 'json' }
  /** Valid up to the end of the text. */
  | { readonly outcome: 'cut' }
  /** Index of the first invalid character, or of a value beyond `maxDepth`. */
  | { readonly outcome: 'not-json'; readonly at: number }

export interface ScanOptions {
  /** Accepts a leading byte order mark. */
  readonly byteOrderMark?: boolean
  /** Allowed containers around a value. */
  readonly maxDepth?: number
}

/** Returns a line and column, both from 1. */
export function placeAt(
  text: string,
  at: number,
): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at)
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') }
}

const ignore = () => undefined
const nothing: JsonSink = { key: ignore, scalar: ignore, open: ignore, close: ignore }

/** Returns the index of the first invalid character, or the length. */
export function syntaxErrorAt(text: string): number {
  const scanned = scanJson(text, nothing)
  return scanned.outcome === 'not-json' ? scanned.at : text.length
}

/** Explains why a text isn't JSON; null if it is. */
export function explainInvalidJson(
  text: string,
): { readonly at: number; readonly message: string } | null {
  const scanned = scanJson(text, nothing, { byteOrderMark: true })
  if (scanned.outcome === 'json') return null
  const end = text.trimEnd().length
  const at = scanned.outcome === 'cut' ? end : scanned.at
  const { line, column } = placeAt(text, at)
  const [excerpt = ''] = text.slice(at, at + 12).split('\n')
  return {
    at,
    message:
      at >= end
        ? `Incomplete JSON: ends at ${line}:${column}.`
        : `Invalid JSON at ${line}:${column}: unexpected \`${excerpt}\`.`,
  }
}

/** Describes the first invalid character: "unexpected `a` at line 1, column 1". */
export function syntaxErrorWords(text: string): string {
  const at = syntaxErrorAt(text)
  const { line, column } = placeAt(text, at)
  const place = `at line ${line}, column ${column}`
  // A control character is invisible, and several characters could be a part of a secret.
  const visible = /^[^\p{Cc}]/u.exec(text.slice(at, at + 2))?.[0]
  if (visible !== undefined) return `unexpected \`${visible}\` ${place}`
  const code = text.codePointAt(at)
  if (code === undefined) return `it ends too early, ${place}`
  return `unexpected control character U+${code.toString(16).toUpperCase().padStart(4, '0')} ${place}`
}

/** Decodes a string with its quotes; raw if cut off inside an escape. */
export function decodedString(raw: string): string {
  if (!raw.includes('\\')) return raw.slice(1, raw.endsWith('"') ? -1 : undefined)
  try {
    return String(JSON.parse(raw))
  } catch {
    return raw
  }
}

const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const partOfNumber = /[-+.0-9eE]*/y

type Expected =
  | 'value'
  | 'value-or-close'
  | 'key'
  | 'key-or-close'
  | 'colon'
  | 'comma-or-close'
  | 'end'

export function scanJson(text: string, sink: JsonSink, options: ScanOptions = {}): ScanOutcome {
  const { byteOrderMark = false, maxDepth = Number.POSITIVE_INFINITY } = options
  let stack = new Uint8Array(256)
  let depth = 0
  let expected: Expected = 'value'
  let at = 0
  const afterValue = (): Expected => (depth === 0 ? 'end' : 'comma-or-close')

  if (byteOrderMark && text.charCodeAt(0) === 0xfeff) {
    at = 1
    sink.mark?.(0, at)
  }
  for (;;) {
    at = skipSpace(text, at)
    if (at >= text.length) return outcomeAtEnd(expected, at)
    const code = text.charCodeAt(at)

    if (expected === 'end') return { outcome: 'not-json', at }
    if (expected === 'colon') {
      if (code !== 58) return { outcome: 'not-json', at }
      sink.mark?.(at, at + 1)
      at++
      expected = 'value'
      continue
    }
    if (expected === 'comma-or-close' && code === 44) {
      sink.comma?.(at)
      at++
      expected = stack[depth - 1] === OBJECT ? 'key' : 'value'
      continue
    }
    if (code === 93 || code === 125) {
      const closes = code === 125 ? OBJECT : ARRAY
      const mayClose =
        expected === 'comma-or-close' ||
        expected === (closes === OBJECT ? 'key-or-close' : 'value-or-close')
      if (!mayClose || stack[depth - 1] !== closes) return { outcome: 'not-json', at }
      depth--
      sink.close(at++)
      expected = afterValue()
      continue
    }
    if (expected === 'comma-or-close') return { outcome: 'not-json', at }

    if (expected === 'key' || expected === 'key-or-close') {
      if (code !== 34) return { outcome: 'not-json', at }
      const end = endOfString(text, at)
      if (end < 0) return { outcome: 'not-json', at: -end - 1 }
      sink.key(at, end)
      at = end
      if (at > text.length) return { outcome: 'cut' }
      expected = 'colon'
      continue
    }

    if (depth > maxDepth) return { outcome: 'not-json', at }
    if (code === 123 || code === 91) {
      const container = code === 123 ? OBJECT : ARRAY
      sink.open(at++, container)
      if (depth === stack.length) {
        const larger = new Uint8Array(stack.length * 2)
        larger.set(stack)
        stack = larger
      }
      stack[depth++] = container
      expected = container === OBJECT ? 'key-or-close' : 'value-or-close'
      continue
    }
    const end = code === 34 ? endOfString(text, at) : endOfPlain(text, at)
    if (end < 0) return { outcome: 'not-json', at: -end - 1 }
    sink.scalar(at, end, code === 34)
    at = end
    if (at > text.length) return { outcome: 'cut' }
    expected = afterValue()
  }
}

function outcomeAtEnd(expected: Expected, at: number): ScanOutcome {
  if (expected === 'end') return { outcome: 'json' }
  return at === 0 ? { outcome: 'not-json', at } : { outcome: 'cut' }
}

function skipSpace(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return at
    at++
  }
}

/** Returns the end; beyond the text if cut; `-(at + 1)` for an invalid character at `at`. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === 34) return at + 1
    if (code < 0x20) return -(at + 1)
    if (code === 92) {
      const escape = text.charAt(at + 1)
      if (escape === 'u') {
        for (let digit = at + 2; digit < Math.min(at + 6, text.length); digit++)
          if (!/[0-9a-fA-F]/.test(text.charAt(digit))) return -(digit + 1)
        at += 6
      } else if (escape === '' || '"\\/bfnrt'.includes(escape)) at += 2
      else return -(at + 2)
    } else at++
  }
  return text.length + 1
}

function endOfPlain(text: string, start: number): number {
  const end = endOfNumber(text, start)
  if (end !== -1) return end
  for (const word of ['true', 'false', 'null']) {
    if (text.startsWith(word, start)) return start + word.length
    if (
      word.startsWith(text.slice(start, start + word.length)) &&
      start + word.length > text.length
    )
      return text.length + 1
  }
  return afterPartOfNumber(text, start)
}

/** Returns the end of a plain JSON number; -1 for anything else. */
function endOfNumber(text: string, start: number): number {
  let at = text.charCodeAt(start) === 45 ? start + 1 : start
  const digits = at
  while (isDigit(text.charCodeAt(at))) at++
  if (at === digits || (at > digits + 1 && text.charCodeAt(digits) === 48)) return -1
  if (text.charCodeAt(at) === 46) {
    const fraction = ++at
    while (isDigit(text.charCodeAt(at))) at++
    if (at === fraction) return -1
  }
  const next = text.charCodeAt(at)
  return next === 101 || next === 69 || next === 43 || next === 45 || next === 46 ? -1 : at
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** Returns the end of an unusual number, like `endOfString`. */
function afterPartOfNumber(text: string, start: number): number {
  partOfNumber.lastIndex = start
  const reaches = start + (partOfNumber.exec(text)?.[0].length ?? 0)
  numberPattern.lastIndex = start
  const number = numberPattern.exec(text)
  if (number === null)
    return reaches === text.length && reaches > start ? text.length + 1 : -(start + 1)
  const end = start + number[0].length
  return end === reaches ? end : reaches === text.length ? text.length + 1 : -(end + 1)
}
