/** Reader of log lines: JSON behind other text, or named values such as `headers={…} body={…}`. */
import { AppError } from '../contract/errors.ts'
import { decodeByteText } from '../text/byte-text.ts'
import { decodeEscape } from './escape-sequences.ts'
import { leadingJson } from './pasted-body.ts'
import { checkRequestCount } from './pasted-http.ts'
import { readJsonText } from './pasted-json.ts'
import { type PastedRequest, RequestRefusal } from './pasted-result.ts'

/** Characters scanned in all; each `{` scans the rest of the text. */
const MOST_SCANNED = 4_000_000
/** Characters searched for the request line. */
const MOST_LINE_SEARCHED = 65_536
/** `headers={`, `"raw_body" => '` */
const LABEL = /\b(header|raw_?body|body|payload)s?\b["']?\s{0,9}(?:=>|[=:])\s{0,9}(?=b?["'{[])/gi
/** `POST /hooks` or `"POST" "/hooks` */
const REQUEST_LINE_IN_LOG =
  /\b(GET|POST|PUT|PATCH|DELETE)\b["']?[ \t]+["']?(\/[^\s"',]*|https?:[^\s"',]+)/

/** Reads the requests in JSON, Ruby and Python values of a log. */
export function readLog(byteText: string): PastedRequest[] | null {
  const text = decodeByteText(byteText)
  const requests: PastedRequest[] = []
  let refusal: RequestRefusal | null = null
  let left = MOST_SCANNED
  for (let at = text.indexOf('{'); at !== -1 && left > 0; at = text.indexOf('{', at)) {
    left -= text.length - at
    const json = leadingJson(text.slice(at))
    try {
      requests.push(...(readJsonText(json ?? literalAt(text, at) ?? '') ?? []))
    } catch (error) {
      if (error instanceof RequestRefusal) refusal ??= error
      else if (!(error instanceof AppError)) throw error
    }
    checkRequestCount(requests.length)
    at += json?.length ?? 1
  }
  if (refusal === null && requests.length > 0) return requests
  const labeled = readLabeledValues(text) ?? []
  if (labeled.length > 0) return labeled
  if (refusal !== null) throw refusal
  return null
}

function readLabeledValues(text: string): PastedRequest[] | null {
  const values = new Map<string, string>()
  for (const { 0: label, 1: labelName = '', index } of text.matchAll(LABEL)) {
    const start = index + label.length
    const value = leadingJson(text.slice(start)) ?? literalAt(text, start)
    const name = labelName.toLowerCase()
    if (value !== null && !values.has(name)) values.set(name, value)
    if (values.size === 4) break
  }
  if (!values.has('header') || values.size === 1) return null
  const [, method, url] = REQUEST_LINE_IN_LOG.exec(text.slice(0, MOST_LINE_SEARCHED)) ?? []
  const members = [...values].map(([name, value]) => `${JSON.stringify(name)}:${value}`)
  if (url !== undefined) members.push(`"method":"${method}","url":${JSON.stringify(url)}`)
  return readJsonText(`{${members.join(',')}}`)
}

/** Token of a literal in Python, JavaScript or Ruby: `{`, `=>`, `b'text'`, `-1.5`, `None`. */
const LITERAL_TOKEN =
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
/** `\u0041` (several, for surrogates), `\x41` or `\n` */
const ESCAPES = /(?:\\u[\da-fA-F]{4})+|\\(?:x[\da-fA-F]{2}|[^])/g

/** Converts a literal of Python, Ruby or Node.js to JSON. */
function literalAt(text: string, from: number): string | null {
  const parts: string[] = []
  let depth = 0
  for (let at = from; at < text.length;) {
    LITERAL_TOKEN.lastIndex = at
    const match = LITERAL_TOKEN.exec(text)
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
      let areEscapesKnown = true
      const plain = quotation.replaceAll(ESCAPES, (escape) => {
        const decoded = decodeEscape(escape, '\'"\\/`')
        areEscapesKnown &&= decoded !== null && !/^\\[aveE]/.test(escape)
        return decoded ?? ''
      })
      if (!areEscapesKnown) return null
      parts.push(JSON.stringify(plain))
    } else if (number !== undefined) parts.push(number)
    else if (word !== undefined) parts.push(jsonSpellings[word] ?? JSON.stringify(word))
    if (depth === 0 && match[0].trim() !== '') return parts.join('')
  }
  return null
}
