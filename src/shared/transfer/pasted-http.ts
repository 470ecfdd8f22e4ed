/** A request as raw HTTP, its headers and body, or requests of a `.http` file. */
import type { RawHeaders } from '../model/delivery.ts'
import { bodiesOf, valueOf } from './pasted-body.ts'
import { headerOf, readHead } from './pasted-head.ts'
import { type Pasted, pathInUrl, excerpt, trimSpaces } from './pasted-text.ts'

/** Requests read from one file. */
export const MOST_REQUESTS = 1_000
/** Characters of a request's head. */
const MOST_HEAD = 131_072

export const NOTHING_FOUND =
  'No request found. Paste raw HTTP, a curl command, a HAR file, or headers, an empty line and the body.'
interface Split {
  readonly lines: readonly string[]
  readonly body: string
  /** How the body is separated: by an empty line, only by its bracket, or not at all. */
  readonly end: 'line' | 'bracket' | 'none'
}

/** Splits a text into the lines of its head and its body; null if the head is too long. */
function splitHead(text: string): Split | null {
  const lines: string[] = []
  for (let at = 0; at < text.length;) {
    const next = text.indexOf('\n', at)
    const until = next === -1 ? text.length : next
    if (until > MOST_HEAD && at === 0) return null
    const line = text.slice(at, until).replace(/\r$/, '')
    const after = Math.min(text.length, until + 1)
    if (trimSpaces(line) === '') return { lines, body: text.slice(after), end: 'line' }
    if (lines.length > 0 && isBodyStart(line))
      return { lines, body: text.slice(at), end: 'bracket' }
    lines.push(line)
    if (after > MOST_HEAD) return null
    at = after
  }
  return { lines, body: '', end: 'none' }
}

/** Whether a line begins a body without an empty line before it: with a bracket, or with its title. */
function isBodyStart(line: string): boolean {
  const start = line.slice(0, 40)
  return (
    /^(?:body|payload|data)\s*[:=]\s*[[{]/i.test(start) ||
    (/^[[{]/.test(start) && headerOf(line) === null)
  )
}

/** Reads one request. `isPlain`: nothing around it was removed. */
export function readHttp(text: string, isPlain: boolean): Pasted {
  const split = splitHead(text)
  const head = split === null ? null : readHead(split.lines)
  if (typeof head === 'string') return { refused: head }
  if (split === null || head === null) return { refused: refusalOf(text) }
  const { headers } = head
  if (head.method === null && !isOfRequest(headers)) return { refused: refusalOf(text) }
  const attached = split.body.trim() === '' ? attachedBody(headers) : null
  if (attached !== null) return { refused: attached }
  const host = valueOf(headers, 'host')
  const target = head.target ?? '/'
  const isAbsolute = /^https?:\/\//i.test(target)
  const length = Number(valueOf(headers, 'content-length') ?? 0)
  if (split.body === '' && length > 0)
    return { refused: `Content-Length is ${length}, but the text has no body. Copy the body too.` }
  const { bodies, note } = bodiesOf(split.body, headers, isPlain && split.end === 'line')
  return {
    requests: [
      {
        method: head.method ?? 'POST',
        url: isAbsolute ? target : host === null ? null : `https://${host}${target}`,
        path: isAbsolute ? pathInUrl(target) : target,
        headers,
        bodies,
        at: null,
        note:
          split.body === ''
            ? 'The text has no body. If the request had one, copy it too.'
            : split.end === 'bracket'
              ? 'The empty line before the body is missing, so the text was changed.'
              : note,
      },
    ],
  }
}

/** Whether headers without a request line are those of a request, not of a mail or other text. */
function isOfRequest(headers: RawHeaders): boolean {
  const has = (pattern: RegExp) => headers.some(([name]) => pattern.test(name))
  return (
    has(/^(?:host|content-|user-agent)|-(?:signature|timestamp)$/i) && !has(/^(?:subject|mime-)/i)
  )
}

/** A sentence about a header with the body behind its value; null if there is none. */
function attachedBody(headers: RawHeaders): string | null {
  for (const [name, value] of headers) {
    const at = value.search(/[[{]["\s{[]/)
    if (at > 0 && value.slice(0, at).trim() !== '')
      return `The body is attached to the header ${excerpt(name)}: "${excerpt(value.slice(at))}". Put an empty line between them.`
  }
  return null
}

function refusalOf(text: string): string {
  return /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text.slice(0, 1_000))
    ? 'This is binary data, not a request. Paste its text, headers first.'
    : NOTHING_FOUND
}

/** A request line whose URL may begin with a variable. */
const FILE_REQUEST = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[ \t]+(?:\/|https?:\/\/|\{\{)/
const VARIABLE = /\{\{\s*[$\w][\w.$ -]*\}\}/
/** A body that a `.http` file reads from another. */
const FROM_FILE = /^<@?[ \t]+(\S.*)$/
/** What an editor runs or writes behind a request. */
const BEHIND = /^(?:> ?\{%|>{1,2}!? \S|<> ?\S)/

/** Reads the requests of a `.http` file, which `###` separates; null for another text. */
export function readHttpFile(text: string): Pasted | null {
  if (!/^###/m.test(text)) return null
  const blocks = text
    .split(/^###.*(?:\r?\n|$)/m)
    .filter((block) => block.split('\n').some((line) => /^[^\s#@/]/.test(line)))
    .map(withoutComments)
  if (blocks.length === 0 || !blocks.every((block) => FILE_REQUEST.test(block))) return null
  if (blocks.length > MOST_REQUESTS)
    return { refused: `The file has ${blocks.length} requests; the limit is ${MOST_REQUESTS}.` }
  const variable = blocks.map((block) => VARIABLE.exec(block)?.[0]).find(Boolean)
  if (variable !== undefined)
    return {
      refused: `The request has the variable ${excerpt(variable)}. Replace it with its value.`,
    }
  const read = blocks.map((block): Pasted => {
    const end = block.search(/\r?\n\r?\n/)
    const file =
      end === -1 ? undefined : FROM_FILE.exec(block.slice(end).trim().split('\n', 1)[0] ?? '')
    if (file != null)
      return {
        refused: `The request reads its body from ${excerpt(file[1] ?? '')}, which isn't opened. Put the body into it.`,
      }
    return readHttp(block, false)
  })
  const refused = read.find((one) => 'refused' in one)
  return refused ?? { requests: read.flatMap((one) => ('requests' in one ? one.requests : [])) }
}

/** Returns a request without comments and variables before it and in its head, and an editor's lines after it. */
function withoutComments(block: string): string {
  const lines = block.split('\n')
  const first = lines.findIndex((line) => FILE_REQUEST.test(line))
  if (first === -1) return block
  const kept: string[] = []
  let isHead = true
  for (const line of lines.slice(first)) {
    isHead &&= line.trim() !== ''
    if (isHead && /^(?:#|\/\/)/.test(line)) continue
    // A long query continues on the next lines.
    if (isHead && kept.length > 0 && /^\s+[?&]/.test(line))
      kept[0] = (kept[0] ?? '').trimEnd() + line.trim()
    else if (!isHead && BEHIND.test(line)) break
    else kept.push(line)
  }
  return kept.join('\n')
}
