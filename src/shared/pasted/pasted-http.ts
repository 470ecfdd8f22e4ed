/** Reader of raw HTTP and `.http` files. */
import type { RawHeaders } from '../model/delivery.ts'
import { trimSpaces } from './byte-spaces.ts'
import { headerValue, likelyBodies } from './pasted-body.ts'
import { headerOf, readHead } from './pasted-head.ts'
import {
  checkVariables,
  excerpt,
  type PastedRequest,
  addressIn,
  refuse,
  RequestRefusal,
} from './pasted-result.ts'

const MOST_REQUESTS = 1_000
const MOST_HEAD_BYTES = 131_072

export function checkRequestCount(count: number): void {
  if (count > MOST_REQUESTS)
    refuse(`The file has ${count} requests; the limit is ${MOST_REQUESTS}.`)
}

export const NOTHING_FOUND =
  'No request found. Use raw HTTP, a curl or PowerShell command, exported JSON such as HAR, or headers, an empty line and the body.'

interface SplitRequest {
  readonly headLines: readonly string[]
  readonly body: string
  /** False if the body begins without an empty line before it. */
  readonly hasEmptyLine: boolean
}

/** Returns null if the head is too long. */
function splitHead(text: string): SplitRequest | null {
  const headLines: string[] = []
  for (let at = 0; at < text.length;) {
    const next = text.indexOf('\n', at)
    const until = next === -1 ? text.length : next
    if (until > MOST_HEAD_BYTES && at === 0) return null
    const line = text.slice(at, until).replace(/\r$/, '')
    const after = Math.min(text.length, until + 1)
    if (trimSpaces(line) === '') return { headLines, body: text.slice(after), hasEmptyLine: true }
    if (headLines.length > 0 && isBodyStart(line))
      return { headLines, body: text.slice(at), hasEmptyLine: false }
    headLines.push(line)
    if (after > MOST_HEAD_BYTES) return null
    at = after
  }
  return { headLines, body: '', hasEmptyLine: true }
}

/** Whether a line begins a body: `{`, `[` or `Body: {`. */
function isBodyStart(line: string): boolean {
  const start = line.slice(0, 40)
  return (
    /^(?:body|payload|data)\s*[:=]\s*[[{]/i.test(start) ||
    (/^[[{]/.test(start) && headerOf(line) === null)
  )
}

/**
 * Reads one request.
 * @param options `isUntouched`: nothing around it was removed
 */
export function readHttp(
  text: string,
  { isUntouched }: { readonly isUntouched: boolean },
): PastedRequest {
  const split = splitHead(text)
  const head = split === null ? null : readHead(split.headLines)
  if (split === null || head === null || (head.method === null && !isOfRequest(head.headers)))
    refuse(
      /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text.slice(0, 1_000))
        ? 'This is binary data, not a request. Paste its text, headers first.'
        : NOTHING_FOUND,
    )
  const { method, headers, target } = head
  const { body, hasEmptyLine } = split
  if (body.trim() === '') checkHeadersWithoutBody(headers)
  const length = Number(headerValue(headers, 'content-length') ?? 0)
  if (body === '' && length > 0)
    refuse(`Content-Length is ${length}, but the text has no body. Copy the body too.`)
  const { bodies, note } = likelyBodies(body, headers, {
    isUntouched: isUntouched && hasEmptyLine,
  })
  return {
    method: method ?? 'POST',
    ...addressIn(target ?? '/', headerValue(headers, 'host')),
    headers,
    bodies,
    at: null,
    note:
      body === ''
        ? 'The text has no body. If the request had one, copy it too.'
        : hasEmptyLine
          ? note
          : 'The empty line before the body is missing, so the text was changed.',
  }
}

function isOfRequest(headers: RawHeaders): boolean {
  const has = (pattern: RegExp) => headers.some(([name]) => pattern.test(name))
  return (
    has(/^(?:host|content-|user-agent)|-(?:signature|timestamp)$/i) && !has(/^(?:subject|mime-)/i)
  )
}

/** Throws if a header has the body behind its value: `X-Signature: abc= {"id":1}`. */
function checkHeadersWithoutBody(headers: RawHeaders): void {
  for (const [name, value] of headers) {
    const at = value.search(/[[{]["\s{[]/)
    if (at > 0 && value.slice(0, at).trim() !== '')
      refuse(
        `The body is attached to the header ${excerpt(name)}: "${excerpt(value.slice(at))}". Put an empty line between them.`,
      )
  }
}

/** Request line, whose URL may begin with a variable: `POST {{base}}/hooks`. */
const FILE_REQUEST = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[ \t]+(?:\/|https?:\/\/|\{\{)/
/** Body in another file: `< ./body.json`. */
const BODY_FROM_FILE = /\r?\n\r?\n\s{0,9}<@?[ \t]+(\S.*)/
/** Line of an editor behind the body: `> {% script %}`, `>> saved.json`, `<> saved.json`. */
const RESPONSE_LINE = /^(?:> ?\{%|>{1,2}!? \S|<> ?\S)/

/** Reads the requests of a `.http` file, which `###` separates. */
export function readHttpFile(text: string): PastedRequest[] | null {
  if (!/^###/m.test(text)) return null
  const blocks = text
    .split(/^###.*(?:\r?\n|$)/m)
    .filter((block) => block.split('\n').some((line) => /^[^\s#@/]/.test(line)))
    .map(withoutComments)
  if (blocks.length === 0 || !blocks.every((block) => FILE_REQUEST.test(block))) return null
  checkRequestCount(blocks.length)
  return blocks.map((block) => {
    checkVariables(block)
    const file = BODY_FROM_FILE.exec(block)?.[1]
    if (file !== undefined)
      refuse(
        `The request reads its body from ${excerpt(file)}, which isn't opened. Put the body into the request.`,
        RequestRefusal,
      )
    return readHttp(block, { isUntouched: false })
  })
}

/** Removes comments, variables, and an editor's lines. */
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
    else if (!isHead && RESPONSE_LINE.test(line)) break
    else kept.push(line)
  }
  return kept.join('\n')
}
