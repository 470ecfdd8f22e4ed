/**
 * Reads requests from copied text: raw HTTP, a curl command, a HAR file, or headers and body. Bounded, and nothing is executed or
 * opened: what only a shell or a file could tell is refused with the reason.
 */
import type { RawHeaders } from '../model/delivery.ts'
import { readCurl } from './pasted-curl.ts'
import { readHar } from './pasted-har.ts'
import {
  bytesOfLatin1,
  latin1Of,
  latin1OfBytes,
  type Pasted,
  type PastedRequest,
  pathInUrl,
} from './pasted-text.ts'

/** Bytes of a pasted text. */
export const MOST_PASTED_BYTES = 24 * 1_048_576
/** Characters of a request's head. */
const MOST_HEAD = 131_072

const NOTHING_FOUND =
  'No request found. Paste raw HTTP, a curl command, a HAR file, or headers, an empty line and the body.'

/** One character per byte of UTF-8; UTF-16 with a byte order mark is converted. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return latin1Of(new TextDecoder('utf-16le').decode(bytes))
  if (first === 0xfe && second === 0xff) return latin1Of(new TextDecoder('utf-16be').decode(bytes))
  return latin1OfBytes(bytes).replace(/^\xef\xbb\xbf/, '')
}

export function readPasted(bytes: Uint8Array): Pasted {
  if (bytes.length > MOST_PASTED_BYTES)
    return { refused: 'The text is larger than 24 MiB. Paste one request, or a shorter HAR file.' }
  const text = withoutWrapping(textOf(bytes))
  if (text.trim() === '') return { refused: 'The text is empty. Paste a request.' }
  const start = text.slice(0, 1_000).trimStart()
  if (/^[[{]/.test(start)) return readHar(text)
  if (/^(?:[$>#%]\s+)?(?:[A-Za-z]:)?[\w./\\-]*curl(?:\.exe)?\s/.test(start)) return readCurl(text)
  if (/^(?:await\s+)?fetch\(|^Invoke-(?:WebRequest|RestMethod)/i.test(start))
    return { refused: 'This is program code. In the browser, choose "Copy as cURL" instead.' }
  return readHttp(text)
}

/** Without a Markdown fence, the marks of a quoted mail, and empty lines in front. */
function withoutWrapping(text: string): string {
  const fenced = /^\s*```[^\n]*\n([^]*?)\r?\n```\s*$/.exec(text)?.[1] ?? text
  // Each line begins with a mark, or has nothing but whitespace.
  const isQuoted = !/(?<![^\n])(?!>)[^\S\n]*\S/.test(fenced)
  const plain = isQuoted ? fenced.replaceAll(/(?<![^\n])> ?/g, '') : fenced
  return plain.slice(plain.lastIndexOf('\n', plain.search(/\S/)) + 1)
}

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:[ \t]*(.*)$/s
const REQUEST_LINE = /^([A-Za-z]+)[ \t]+(\S+)(?:[ \t]+HTTP\/(?:1\.[01]|2(?:\.0)?|3))?$/

/** One request as raw HTTP, or its headers and body. */
function readHttp(text: string): Pasted {
  const end = /\r?\n[ \t]*\r?\n/.exec(text.slice(0, MOST_HEAD))
  if (end === null && text.length > MOST_HEAD) return { refused: NOTHING_FOUND }
  const lines = text.slice(0, end?.index ?? text.length).split(/\r?\n/)
  const first = requestLineOf(lines)
  if (first === null && !HEADER.test(lines[0] ?? '')) return { refused: refusalOf(text) }
  const headers = headersOf(lines)
  if (headers === null) return { refused: NOTHING_FOUND }
  const rest = end === null ? '' : text.slice(end.index + end[0].length)
  const host = valueOf(headers, 'host')
  const target = first?.target ?? '/'
  const isAbsolute = /^https?:\/\//i.test(target)
  const { bodies, note } = bodiesOf(rest, headers)
  return {
    requests: [
      {
        method: first?.method ?? 'POST',
        url: isAbsolute ? target : host === null ? null : `https://${host}${target}`,
        path: isAbsolute ? pathInUrl(target) : target,
        headers,
        bodies,
        at: null,
        note: end === null ? 'The text has no empty line after the headers, so no body.' : note,
      },
    ],
  }
}

function refusalOf(text: string): string {
  return /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text.slice(0, 1_000))
    ? 'This is binary data, not a request. Paste its text, headers first.'
    : NOTHING_FOUND
}

/** Takes the request line off the lines, also if a mail wrapped it; null if there is none. */
function requestLineOf(lines: string[]): { method: string; target: string } | null {
  for (const count of [1, 2, 3]) {
    const line = lines
      .slice(0, count)
      .join(count === 1 ? '' : ' ')
      .trim()
    const joined = count === 1 ? line : line.replace(/^(\S+ \S+) (?=\S+ HTTP\/)/, '$1')
    const [, method, target] = REQUEST_LINE.exec(joined) ?? []
    if (method === undefined || target === undefined) continue
    // Without a version, any two words would be a request line.
    if (!/HTTP\/\d/.test(joined) && !/^(?:\/|https?:)/i.test(target)) return null
    lines.splice(0, count)
    return { method, target }
  }
  return null
}

/** Null if a line can't be part of a head. A line without a name continues the previous one, as mails wrap it. */
function headersOf(lines: readonly string[]): RawHeaders | null {
  const headers: { readonly name: string; value: string; hasSpaces: boolean }[] = []
  for (const line of lines) {
    const [, name, value = ''] = HEADER.exec(line) ?? []
    const last = headers.at(-1)
    const isWrapped = /^[ \t]/.test(line) || name === undefined
    const more = (isWrapped ? line : value).trim()
    const hasSpaces = more.includes(' ')
    if (!isWrapped) headers.push({ name, value: more, hasSpaces })
    else if (last === undefined) return null
    else {
      // A value without spaces was cut in the middle, like a long signature; another one at a space.
      last.hasSpaces ||= hasSpaces
      last.value += last.value !== '' && last.hasSpaces ? ` ${more}` : more
    }
  }
  return headers.map(({ name, value }) => [name, value])
}

function valueOf(headers: RawHeaders, wanted: string): string | null {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? null
}

/** The body, and what it may have been: of another line end, without the line end of the copy, or before a mail wrapped it. */
function bodiesOf(
  text: string,
  headers: RawHeaders,
): { readonly bodies: readonly Uint8Array[]; readonly note: string | null } {
  const length = /^\d{1,15}$/.exec(valueOf(headers, 'content-length') ?? '')?.[0]
  const chunks = /chunked/i.test(valueOf(headers, 'transfer-encoding') ?? '')
    ? unchunked(text)
    : null
  const candidates = chunks === null ? copiesOf(text) : [chunks]
  const whole = candidates.filter((body) => length === undefined || body.length === Number(length))
  const cut = text.slice(0, Number(length ?? text.length))
  const bodies = whole.length > 0 ? [...new Set([...whole, ...candidates])] : [...candidates, cut]
  return {
    bodies: [...new Set(bodies)].map(bytesOfLatin1),
    note:
      whole.length > 0 || length === undefined
        ? null
        : `Content-Length is ${length}, but the copied body has ${text.length} bytes: it was cut off or changed.`,
  }
}

/** A longer body is only tried as copied: each copy takes as much memory again. */
const MOST_COPIED = 1_048_576

/** The text as copied, then its likely originals. */
function copiesOf(text: string): string[] {
  const bare = withoutEnd(text)
  if (text.length > MOST_COPIED) return [text, bare]
  const lines = text.replaceAll('\r\n', '\n')
  const wrapped = bare.split('\n').map((line) => line.trimEnd())
  return [
    text,
    bare,
    withoutEnd(lines),
    lines,
    lines.replaceAll('\n', '\r\n'),
    wrapped.join(''),
    wrapped.join(' '),
  ]
}

/** Without line breaks at the end. */
function withoutEnd(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end--
  return text.slice(0, end)
}

/** The content of a chunked body; null if it isn't one. */
function unchunked(text: string): string | null {
  const parts: string[] = []
  for (let at = 0; at < text.length;) {
    const [line, size = ''] =
      /^([0-9a-f]{1,8})[^\r\n]{0,200}\r?\n/i.exec(text.slice(at, at + 300)) ?? []
    if (line === undefined) return null
    const length = Number.parseInt(size, 16)
    if (length === 0) return parts.join('')
    at += line.length
    if (at + length > text.length) return null
    parts.push(text.slice(at, at + length))
    at += length + (/^\r?\n/.exec(text.slice(at + length, at + length + 2))?.[0].length ?? 0)
  }
  return null
}

/** Only the requests with a signature header if any has one: a browser's HAR has many others. */
export function signedOf(requests: readonly PastedRequest[]): {
  readonly requests: readonly PastedRequest[]
  readonly skipped: number
} {
  const signed = requests.filter(({ headers }) =>
    headers.some(([name]) => name.toLowerCase().endsWith('-signature')),
  )
  return signed.length === 0
    ? { requests, skipped: 0 }
    : { requests: signed, skipped: requests.length - signed.length }
}

/** A request as input of `exchange.verify`. Other readings of a large body are left out. */
export function verifyInput({ note: _, bodies, ...request }: PastedRequest) {
  const [first = new Uint8Array(), ...more] = bodies
  const sent = first.length > MOST_COPIED ? [first] : [first, ...more]
  return {
    request: { ...request, bodies: sent.map((body) => btoa(latin1OfBytes(body))) },
  }
}
