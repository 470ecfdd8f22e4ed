/** Head of a copied request, in the forms that tools and languages print. */
import type { RawHeaders } from '../model/delivery.ts'
import { excerpt, refuse, trimSpaces } from './pasted-text.ts'

export interface Head {
  readonly method: string | null
  readonly target: string | null
  readonly headers: RawHeaders
}

/** Headers in HTTP, tables, PHP, Markdown, and objects. */
const FORMS = [
  /^(:?[!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:[ \t]|\xc2\xa0|\xe2\x80[\x80-\x8f\xaf])*:([^]*)$/,
  /^(:?[\w.-]+) *\t([^]*)$/,
  /^\[?["']?([\w.-]+)["']?\]? *=> *([^]*)$/,
  /^\| *`?(:?[\w.-]+)`? *\| *([^|]*)\|?$/,
  /^["'](:?[\w.-]+)["'] *: *([^]*)$/,
]
const REQUEST_LINE = /^([A-Za-z]+)[ \t]+(\S+)(?:[ \t]+HTTP\/(?:1\.[01]|2(?:\.0)?|3))?$/
const SPACES = /(?:[ \t]|\xc2\xa0|\xe2\x80[\x80-\x8f\xaf])+/g

/** Parts of a request line listed with the headers, and table titles. */
const parts: Readonly<Record<string, 'method' | 'target' | 'host' | 'ignored'>> = {
  ':method': 'method',
  ':path': 'target',
  ':authority': 'host',
  request_method: 'method',
  request_uri: 'target',
  name: 'ignored',
  header: 'ignored',
}

/** Returns the header in a line, without spaces and quotes. */
export function headerOf(line: string): [name: string, value: string] | null {
  const plain = trimSpaces(line)
  for (const [index, form] of FORMS.entries()) {
    const [, name, value] = form.exec(plain) ?? []
    if (name === undefined || value === undefined) continue
    const trimmed = trimSpaces(value)
    return [name, index < 2 ? trimmed : trimmed.replace(/^(["'`])([^]*)\1,?$/, '$2')]
  }
  return null
}

/** Whether a line has a method in capitals and a path or URL. */
export function isRequestLine(line: string): boolean {
  const plain = spaced(line)
  return (
    REQUEST_LINE.test(plain) &&
    /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (?:\/|https?:\/\/|\S+ HTTP\/)/.test(plain)
  )
}

const spaced = (line: string) => trimSpaces(line).replaceAll(SPACES, ' ')

/** Reads a head, if the lines begin like one. */
export function readHead(given: readonly string[]): Head | null {
  const indent = Math.min(100, ...given.map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0))
  const lines = given.map((line) => line.slice(indent))
  const first = takeRequestLine(lines)
  if (first === null && (lines[0] === undefined || headerOf(lines[0]) === null)) return null
  return separateParts(headersOf(inPairs(lines)), first)
}

/** Takes the request line off the lines, even if wrapped. */
function takeRequestLine(lines: string[]): Pick<Head, 'method' | 'target'> | null {
  for (const count of [1, 2, 3]) {
    const line = lines.slice(0, count).map(spaced).join(' ')
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

/** Joins names and values on separate lines, as browsers copy them. */
function inPairs(lines: readonly string[]): readonly string[] {
  const isName = (line: string) => /^:?[\w-]+:$/.test(trimSpaces(line))
  const isPaired =
    lines.length > 1 && lines.every((line, index) => isName(line) === (index % 2 === 0))
  return isPaired
    ? lines.flatMap((line, index) =>
        index % 2 === 0 ? [trimSpaces(line) + (lines[index + 1] ?? '')] : [],
      )
    : lines
}

const WRAPPED_FROM = 40

/** Reads headers; a line without a name continues the previous one. */
function headersOf(lines: readonly string[]): RawHeaders {
  const headers: [name: string, value: string][] = []
  let length = 0
  let hasSpaces = false
  for (const line of lines) {
    const isIndented = /^[ \t]/.test(line)
    const last = headers.at(-1)
    const header = isIndented && last !== undefined ? null : headerOf(line)
    const text = header === null ? trimSpaces(line) : header[1]
    if (header === null && /^\|[-:| ]+$/.test(text)) continue
    if (header !== null) headers.push(header)
    else if (last === undefined || (!isIndented && text.includes(' ') && length < WRAPPED_FROM))
      refuse(
        `This line isn't a header: "${excerpt(text)}". If the body starts here, put an empty line before it; otherwise remove the line.`,
      )
    // A wrapped value without spaces was cut mid-word: join it without one.
    hasSpaces = text.includes(' ') || (header === null && hasSpaces)
    if (header === null && last !== undefined)
      last[1] += last[1] !== '' && hasSpaces ? ` ${text}` : text
    length = line.length
  }
  return headers
}

/** Separates headers from parts of the request line. */
export function separateParts(
  given: RawHeaders,
  first: Pick<Head, 'method' | 'target'> | null,
): Head {
  const listedParts: Record<string, string> = {}
  const isGateway = given.some(([name]) => /^http_/i.test(name))
  const headers: [string, string][] = []
  for (const [name, value] of given) {
    const part = parts[name.toLowerCase()]
    if (part !== undefined) listedParts[part] = value
    else if (!name.startsWith(':')) headers.push([headerName(name, isGateway), value])
  }
  const { method, target, host } = listedParts
  const hasHost = headers.some(([name]) => name.toLowerCase() === 'host')
  return {
    method: first?.method ?? method ?? null,
    target: first?.target ?? target ?? null,
    headers: host === undefined || hasHost ? headers : [['Host', host], ...headers],
  }
}

/** Converts CGI's `HTTP_X_SERVICE_SIGNATURE` to a header name. */
function headerName(name: string, isGateway: boolean): string {
  const isVariable =
    /^http_/i.test(name) ||
    /^x_\w+_(?:signature|timestamp)$/i.test(name) ||
    (isGateway && /^CONTENT_(?:TYPE|LENGTH)$/.test(name))
  return isVariable
    ? name
        .replace(/^http_/i, '')
        .toLowerCase()
        .replaceAll('_', '-')
    : name
}
