/**
 * Lays a JSON text out in rows without parsing it into values: numbers, duplicate keys and escapes stay exactly as they were
 * sent, only white space between tokens is ours. One pass with its own stack, so no depth of nesting overflows anything.
 */
import { createRowCollector, type RowTokens, type TextRows } from './text-rows.ts'

export type JsonLayout =
  | { readonly outcome: 'json'; readonly rows: TextRows }
  /** JSON up to the end of what is there: the rest was not loaded, or not sent. */
  | { readonly outcome: 'cut'; readonly rows: TextRows }
  /** Not JSON; `at` is the index of the first character that does not fit. */
  | { readonly outcome: 'not-json'; readonly at: number }

const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const partOfNumber = /[-+.0-9eE]*/y
const ARRAY = 0
const OBJECT = 1
const noTokens = (): RowTokens => ({ keyStart: -1, keyEnd: -1, valueStart: -1, valueEnd: -1, valueIsString: false })

type Expected = 'value' | 'value-or-close' | 'key' | 'key-or-close' | 'colon' | 'comma-or-close' | 'end'

/** Lays `text` out in rows of at most `columns` characters. A byte order mark in front is kept, and shown. */
export function layOutJson(text: string, columns: number): JsonLayout {
  const collector = createRowCollector(text, columns)
  let stack = new Uint8Array(256)
  let depth = 0
  let expected: Expected = 'value'
  let at = 0
  let rowStart = -1
  let rowEnd = 0
  let rowDepth = 0
  let tokens = noTokens()

  const take = (start: number, end: number) => {
    if (rowStart === -1) {
      rowStart = start
      rowDepth = depth
    }
    rowEnd = end
  }
  const endRow = () => {
    if (rowStart === -1) return
    collector.add(rowStart, rowEnd, rowDepth, tokens)
    rowStart = -1
    tokens = noTokens()
  }
  const afterValue = (): Expected => (depth === 0 ? 'end' : 'comma-or-close')
  const finish = (outcome: 'json' | 'cut'): JsonLayout => {
    endRow()
    return { outcome, rows: collector.finish() }
  }

  if (text.charCodeAt(0) === 0xfeff) {
    take(0, 1)
    at = 1
  }
  for (;;) {
    at = skipSpace(text, at)
    if (at >= text.length)
      return expected === 'end' ? finish('json') : rowStart === -1 && at === 0 ? { outcome: 'not-json', at } : finish('cut')
    const code = text.charCodeAt(at)

    if (expected === 'end') return { outcome: 'not-json', at }
    if (expected === 'colon') {
      if (code !== 58) return { outcome: 'not-json', at }
      take(at, ++at)
      expected = 'value'
      continue
    }
    if (expected === 'comma-or-close' && code === 44) {
      take(at, ++at)
      endRow()
      expected = stack[depth - 1] === OBJECT ? 'key' : 'value'
      continue
    }
    if (code === 93 || code === 125) {
      const closes = code === 125 ? OBJECT : ARRAY
      const mayClose = expected === 'comma-or-close' || expected === (closes === OBJECT ? 'key-or-close' : 'value-or-close')
      if (!mayClose || stack[depth - 1] !== closes) return { outcome: 'not-json', at }
      // An empty container stays on the row that it was opened on.
      const empty = expected !== 'comma-or-close'
      if (!empty) endRow()
      depth--
      take(at, ++at)
      expected = afterValue()
      continue
    }
    if (expected === 'comma-or-close') return { outcome: 'not-json', at }
    // The container turned out not to be empty: its first member begins a row.
    if (expected === 'value-or-close' || expected === 'key-or-close') endRow()

    if (expected === 'key' || expected === 'key-or-close') {
      if (code !== 34) return { outcome: 'not-json', at }
      const end = endOfString(text, at)
      if (end < 0) return { outcome: 'not-json', at: -end - 1 }
      take(at, Math.min(end, text.length))
      tokens.keyStart = at
      tokens.keyEnd = end
      at = end
      if (at > text.length) return finish('cut')
      expected = 'colon'
      continue
    }

    if (code === 123 || code === 91) {
      take(at, ++at)
      if (depth === stack.length) {
        const larger = new Uint8Array(stack.length * 2)
        larger.set(stack)
        stack = larger
      }
      stack[depth++] = code === 123 ? OBJECT : ARRAY
      expected = code === 123 ? 'key-or-close' : 'value-or-close'
      continue
    }
    const end = code === 34 ? endOfString(text, at) : endOfPlain(text, at)
    if (end < 0) return { outcome: 'not-json', at: -end - 1 }
    tokens.valueStart = at
    tokens.valueEnd = end
    tokens.valueIsString = code === 34
    take(at, Math.min(end, text.length))
    at = end
    if (at > text.length) return finish('cut')
    expected = afterValue()
  }
}

function skipSpace(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return at
    at++
  }
}

/** One past the closing quote; more than the length where the text ends first; `-(at + 1)` where a character does not fit. */
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

/** The same for a number or a word. */
function endOfPlain(text: string, start: number): number {
  for (const word of ['true', 'false', 'null']) {
    if (text.startsWith(word, start)) return start + word.length
    if (word.startsWith(text.slice(start, start + word.length)) && start + word.length > text.length) return text.length + 1
  }
  partOfNumber.lastIndex = start
  const reaches = start + (partOfNumber.exec(text)?.[0].length ?? 0)
  numberPattern.lastIndex = start
  const number = numberPattern.exec(text)
  if (number === null) return reaches === text.length && reaches > start ? text.length + 1 : -(start + 1)
  const end = start + number[0].length
  return end === reaches ? end : reaches === text.length ? text.length + 1 : -(end + 1)
}
