/** Reader of a log line: JSON behind other text, or named values. */
import { leadingJson } from './pasted-body.ts'
import { checkRequestCount } from './pasted-http.ts'
import { readJsonText } from './pasted-json.ts'
import {
  resultOrRefusal,
  type PastedRequest,
  refuse,
  textOfLatin1,
  decodedEscape,
} from './pasted-text.ts'

const MOST_SCANNED = 4_000_000
const LABEL = /\b(header|raw_?body|body|payload)s?\b["']?\s{0,9}(?:=>|[=:])\s{0,9}(?=b?["'{[])/gi
const REQUEST = /\b(GET|POST|PUT|PATCH|DELETE)\b["']?[ \t]+["']?(\/[^\s"',]*|https?:[^\s"',]+)/

/** Reads the requests in JSON, Ruby and Python values of a log. */
export function readLog(bytes: string): PastedRequest[] | null {
  const text = textOfLatin1(bytes)
  const requests: PastedRequest[] = []
  let refused: string | null = null
  let left = MOST_SCANNED
  for (let at = text.indexOf('{'); at !== -1 && left > 0; at = text.indexOf('{', at)) {
    left -= text.length - at
    const json = leadingJson(text.slice(at))
    const read = resultOrRefusal(() => readJsonText(json ?? literalAt(text, at) ?? '') ?? [])
    if (typeof read !== 'string') requests.push(...read)
    else if (read.startsWith('The request')) refused ??= read
    checkRequestCount(requests.length)
    at += json?.length ?? 1
  }
  if (refused === null && requests.length > 0) return requests
  const labels = labelled(text) ?? []
  if (labels.length > 0) return labels
  return refused === null ? null : refuse(refused)
}

/** Reads `headers={…} body={…}`. */
function labelled(text: string): PastedRequest[] | null {
  const values = new Map<string, string>()
  for (const { 0: label, 1: given = '', index } of text.matchAll(LABEL)) {
    const start = index + label.length
    const value = leadingJson(text.slice(start)) ?? literalAt(text, start)
    const name = given.toLowerCase()
    if (value !== null && !values.has(name)) values.set(name, value)
    if (values.size === 4) break
  }
  if (!values.has('header') || values.size === 1) return null
  const [, method, url] = REQUEST.exec(text.slice(0, 65_536)) ?? []
  const members = [...values].map(([name, value]) => `${JSON.stringify(name)}:${value}`)
  if (url !== undefined) members.push(`"method":"${method}","url":${JSON.stringify(url)}`)
  return readJsonText(`{${members.join(',')}}`)
}

/** Next part of a literal of Python, JavaScript or Ruby. */
const TOKEN =
  /\s+|(?<mark>[{}[\](),:]|=>)|b?(?:"(?<double>[^"\\]*(?:\\[^][^"\\]*)*)"|'(?<single>[^'\\]*(?:\\[^][^'\\]*)*)')|(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w-])|(?<word>[\w$-]+)/y
/** JSON's spellings of other languages. */
const jsonSpellings: Readonly<Record<string, string>> = {
  '(': '[',
  ')': ']',
  '=>': ':',
  None: 'null',
  nil: 'null',
  undefined: 'null',
  null: 'null',
  True: 'true',
  true: 'true',
  False: 'false',
  false: 'false',
}
const ESCAPES = /(?:\\u[\da-fA-F]{4})+|\\(?:x[\da-fA-F]{2}|[^])/g

/** Converts a literal of Python or Node.js to JSON. */
function literalAt(text: string, from: number): string | null {
  const parts: string[] = []
  let depth = 0
  for (let at = from; at < text.length;) {
    TOKEN.lastIndex = at
    const match = TOKEN.exec(text)
    if (match === null) return null
    at += match[0].length
    const { mark, double, single, number, word } = match.groups ?? {}
    const quotation = double ?? single
    if (mark !== undefined) {
      depth += '{[('.includes(mark) ? 1 : '}])'.includes(mark) ? -1 : 0
      if (depth < 0) return null
      if ('}])'.includes(mark) && parts.at(-1) === ',') parts.pop()
      parts.push(jsonSpellings[mark] ?? mark)
    } else if (quotation !== undefined) {
      let isKnown = true
      const plain = quotation.replaceAll(ESCAPES, (escape) => {
        const one = decodedEscape(escape, '\'"\\/`')
        isKnown &&= one !== null && !/^\\[aveE]/.test(escape)
        return one ?? ''
      })
      if (!isKnown) return null
      parts.push(JSON.stringify(plain))
    } else if (number !== undefined) parts.push(number)
    else if (word !== undefined) parts.push(jsonSpellings[word] ?? JSON.stringify(word))
    if (depth === 0 && match[0].trim() !== '') return parts.join('')
  }
  return null
}
