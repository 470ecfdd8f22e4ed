/** A request in a log line: JSON behind other text, or headers and body as values with names. */
import { leadingJson } from './pasted-body.ts'
import { MOST_REQUESTS } from './pasted-http.ts'
import { readJsonText } from './pasted-json.ts'
import { latin1Of, type Pasted, type PastedRequest, textOfLatin1 } from './pasted-text.ts'

/** Characters looked through for values. */
const MOST_SCANNED = 4_000_000
const LABEL = /\b(headers?|raw_?body|body|payload)\b["']?\s{0,9}(?:=>|[=:])\s{0,9}(?=b?["'{[])/gi
const REQUEST = /\b(GET|POST|PUT|PATCH|DELETE)\b["']?[ \t]+["']?(\/[^\s"',]*|https?:[^\s"',]+)/

/** The request of a log; null if there is none. */
export function readLog(bytes: string): Pasted | null {
  const text = textOfLatin1(bytes)
  const whole = embedded(text)
  return whole !== null && 'requests' in whole ? whole : (labelled(text) ?? whole)
}

/** The requests of all JSON values in the text, also as Ruby and Python print them. */
function embedded(text: string): Pasted | null {
  const requests: PastedRequest[] = []
  let refused: Pasted | null = null
  let left = MOST_SCANNED
  for (let at = text.indexOf('{'); at !== -1 && left > 0; at = text.indexOf('{', at)) {
    left -= text.length - at
    const json = leadingJson(text.slice(at))
    const read = readJsonText(latin1Of(json ?? literalAt(text, at) ?? ''))
    if (read !== null && 'requests' in read) requests.push(...read.requests)
    else if (read?.refused.startsWith('The request') === true) refused ??= read
    if (requests.length > MOST_REQUESTS) break
    at += json?.length ?? 1
  }
  return refused ?? (requests.length === 0 ? null : { requests: requests.slice(0, MOST_REQUESTS) })
}

/** Headers and body as the values of names: `headers={…} body={…}`. */
function labelled(text: string): Pasted | null {
  const values = new Map<string, string>()
  LABEL.lastIndex = 0
  for (let found = LABEL.exec(text); found !== null && values.size < 4; found = LABEL.exec(text)) {
    const value = leadingJson(text.slice(LABEL.lastIndex)) ?? literalAt(text, LABEL.lastIndex)
    const name = (found[1] ?? '').toLowerCase().replace(/s$/, '')
    if (value !== null && !values.has(name)) values.set(name, value)
  }
  const hasBody = [...values.keys()].some((name) => name !== 'header')
  if (!values.has('header') || !hasBody) return null
  const [, method, url] = REQUEST.exec(text.slice(0, 65_536)) ?? []
  const members = [...values].map(([name, value]) => `${JSON.stringify(name)}:${value}`)
  if (url !== undefined) members.push(`"method":"${method}","url":${JSON.stringify(url)}`)
  return readJsonText(latin1Of(`{${members.join(',')}}`))
}

/** The next part of a literal of Python, JavaScript or Ruby. */
const TOKEN =
  /\s+|([{}[\](),])|(=>|:)|b?"([^"\\]*(?:\\[^][^"\\]*)*)"|b?'([^'\\]*(?:\\[^][^'\\]*)*)'|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w-])|([\w$-]+)/y
const words: Readonly<Record<string, string>> = {
  None: 'null',
  nil: 'null',
  undefined: 'null',
  null: 'null',
  True: 'true',
  true: 'true',
  False: 'false',
  false: 'false',
}
const brackets: Readonly<Record<string, string>> = { '(': '[', ')': ']' }

/** The JSON of a literal, as Python and Node.js print objects; null if it isn't one. */
function literalAt(text: string, from: number): string | null {
  const parts: string[] = []
  let depth = 0
  for (let at = from; at < text.length;) {
    TOKEN.lastIndex = at
    const [part, bracket, colon, double, single, number, word] = TOKEN.exec(text) ?? []
    if (part === undefined) return null
    at += part.length
    const quotation = double ?? single
    if (bracket === ',') parts.push(',')
    else if (bracket !== undefined) {
      depth += '{[('.includes(bracket) ? 1 : -1
      if (depth < 0) return null
      // A comma may be behind the last item.
      if ('}])'.includes(bracket) && parts.at(-1) === ',') parts.pop()
      parts.push(brackets[bracket] ?? bracket)
    } else if (colon !== undefined) parts.push(':')
    else if (quotation !== undefined) {
      const plain = unescaped(quotation)
      if (plain === null) return null
      parts.push(JSON.stringify(plain))
    } else if (number !== undefined) parts.push(number)
    else if (word !== undefined) parts.push(words[word] ?? JSON.stringify(word))
    if (depth === 0 && part.trim() !== '') return parts.join('')
  }
  return null
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  0: '\0',
}

/** A quoted text without its escapes; null if one is unknown. */
function unescaped(text: string): string | null {
  let isKnown = true
  const plain = text.replaceAll(
    /\\(?:x([\da-f]{2})|u([\da-f]{4})|([^]))/gi,
    (_, byte?: string, unit?: string, one = '') => {
      if (byte !== undefined || unit !== undefined)
        return String.fromCharCode(Number.parseInt(byte ?? unit ?? '', 16))
      isKnown &&= one in escapes || '\'"\\/`'.includes(one)
      return escapes[one] ?? one
    },
  )
  return isKnown ? plain : null
}
