/** A request in a log line: JSON behind other text, or headers and body as values with names. */
import { leadingJson } from './pasted-body.ts'
import { readJsonText } from './pasted-json.ts'
import { latin1Of, type Pasted, textOfLatin1 } from './pasted-text.ts'

/** Characters looked through for values. */
const MOST_SCANNED = 4_000_000
const LABEL = /\b(headers?|raw_?body|body|payload)\b["']?\s{0,9}(?:=>|[=:])\s{0,9}(?=b?["'{[])/gi
const REQUEST = /\b(GET|POST|PUT|PATCH|DELETE)\b["']?[ \t]+["']?(\/[^\s"',]*|https?:[^\s"',]+)/

/** The request of a log; null if there is none. */
export function readLog(bytes: string): Pasted | null {
  const text = textOfLatin1(bytes)
  return embedded(text) ?? labelled(text)
}

/** A JSON value with a request, somewhere in the text. */
function embedded(text: string): Pasted | null {
  let left = MOST_SCANNED
  for (let at = text.indexOf('{'); at !== -1 && left > 0; at = text.indexOf('{', at)) {
    left -= text.length - at
    const json = leadingJson(text.slice(at))
    if (json === null) at++
    else {
      const read = readJsonText(latin1Of(json))
      if (read !== null && 'requests' in read) return read
      at += json.length
    }
  }
  return null
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
  if (!values.has('header')) return null
  const [, method, url] = REQUEST.exec(text.slice(0, 65_536)) ?? []
  const members = [...values].map(([name, value]) => `${JSON.stringify(name)}:${value}`)
  if (url !== undefined) members.push(`"method":"${method}","url":${JSON.stringify(url)}`)
  const read = readJsonText(latin1Of(`{${members.join(',')}}`))
  return read !== null && 'refused' in read && !values.has('body') ? null : read
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
