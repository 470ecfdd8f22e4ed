/** Head of a copied request, in the forms that tools and languages print. */
import type { RawHeaders } from '../model/delivery.ts'
import { trimSpaces } from './byte-spaces.ts'
import { excerpt, refuse } from './pasted-result.ts'

export interface Head {
  readonly method: string | null
  readonly target: string | null
  readonly headers: RawHeaders
}

const SPACES = /(?:[ \t]|\xc2\xa0|\xe2\x80[\x80-\x8f\xaf])+/g

const headerForms: readonly { readonly pattern: RegExp; readonly hasQuotes?: true }[] = [
  // HTTP: `Host: example.com`, `:authority: example.com`
  {
    pattern: /^(:?[!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:[ \t]|\xc2\xa0|\xe2\x80[\x80-\x8f\xaf])*:([^]*)$/,
  },
  // A table's cells, separated by a tab.
  { pattern: /^(:?[\w.-]+) *\t([^]*)$/ },
  // PHP: `["host"] => "example.com"`
  { pattern: /^\[?["']?([\w.-]+)["']?\]? *=> *([^]*)$/, hasQuotes: true },
  // Markdown: `| host | example.com |`
  { pattern: /^\| *`?(:?[\w.-]+)`? *\| *([^|]*)\|?$/, hasQuotes: true },
  // An object: `"host": "example.com",`
  { pattern: /^["'](:?[\w.-]+)["'] *: *([^]*)$/, hasQuotes: true },
]
/** `POST /hooks HTTP/1.1`; the version may be missing. */
const REQUEST_LINE = /^([A-Za-z]+)[ \t]+(\S+)(?:[ \t]+HTTP\/(?:1\.[01]|2(?:\.0)?|3))?$/

/** Names in a list of headers that are parts of the request line, or a table's titles. */
const lineParts: Readonly<Record<string, 'method' | 'target' | 'host' | 'ignored'>> = {
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
  for (const { pattern, hasQuotes = false } of headerForms) {
    const [, name, value] = pattern.exec(plain) ?? []
    if (name === undefined || value === undefined) continue
    const trimmed = trimSpaces(value)
    return [name, hasQuotes ? trimmed.replace(/^(["'`])([^]*)\1,?$/, '$2') : trimmed]
  }
  return null
}

/** Whether a line has a method in capitals and a path or URL. */
export function isRequestLine(line: string): boolean {
  const plain = withSingleSpaces(line)
  return (
    REQUEST_LINE.test(plain) &&
    /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (?:\/|https?:\/\/|\S+ HTTP\/)/.test(plain)
  )
}

const withSingleSpaces = (line: string) => trimSpaces(line).replaceAll(SPACES, ' ')

const MOST_INDENT = 100

export function readHead(copiedLines: readonly string[]): Head | null {
  const indent = Math.min(
    MOST_INDENT,
    ...copiedLines.map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0),
  )
  const lines = copiedLines.map((line) => line.slice(indent))
  const requestLine = takeRequestLine(lines)
  if (requestLine === null && (lines[0] === undefined || headerOf(lines[0]) === null)) return null
  return separateParts(headersOf(joinPairs(lines)), requestLine)
}

type RequestLine = Pick<Head, 'method' | 'target'>

/** Takes the request line, which may be wrapped onto three, off the lines. */
function takeRequestLine(lines: string[]): RequestLine | null {
  for (const count of [1, 2, 3]) {
    const line = lines.slice(0, count).map(withSingleSpaces).join(' ')
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

/** Joins names and values on alternate lines, as browsers copy them. */
function joinPairs(lines: readonly string[]): readonly string[] {
  const isName = (line: string) => /^:?[\w-]+:$/.test(trimSpaces(line))
  const isPaired =
    lines.length > 1 && lines.every((line, index) => isName(line) === (index % 2 === 0))
  return isPaired
    ? lines.flatMap((line, index) =>
        index % 2 === 0 ? [trimSpaces(line) + (lines[index + 1] ?? '')] : [],
      )
    : lines
}

/** Characters from which a line may have been wrapped. */
const SHORTEST_WRAPPED_LINE = 40

/** Reads headers; a line without a name continues the previous one. */
function headersOf(lines: readonly string[]): RawHeaders {
  const headers: [name: string, value: string][] = []
  let previousLength = 0
  let hasSpaces = false
  for (const line of lines) {
    const isIndented = /^[ \t]/.test(line)
    const last = headers.at(-1)
    const header = isIndented && last !== undefined ? null : headerOf(line)
    if (header !== null) {
      headers.push(header)
      hasSpaces = header[1].includes(' ')
    } else {
      const text = trimSpaces(line)
      // Line below a Markdown table's titles: `|---|:--|`
      if (/^\|[-:| ]+$/.test(text)) continue
      if (
        last === undefined ||
        (!isIndented && text.includes(' ') && previousLength < SHORTEST_WRAPPED_LINE)
      )
        refuse(
          `This line isn't a header: "${excerpt(text)}". If the body starts here, put an empty line before it; otherwise remove the line.`,
        )
      // A wrapped value without spaces was cut mid-word: join it without one.
      hasSpaces ||= text.includes(' ')
      last[1] += last[1] !== '' && hasSpaces ? ` ${text}` : text
    }
    previousLength = line.length
  }
  return headers
}

/** Separates headers from listed parts of the request line, such as `:path`. */
export function separateParts(listed: RawHeaders, requestLine: RequestLine | null): Head {
  const listedParts: Record<string, string> = {}
  const isCgi = listed.some(([name]) => /^http_/i.test(name))
  const headers: [string, string][] = []
  for (const [name, value] of listed) {
    const part = lineParts[name.toLowerCase()]
    if (part !== undefined) listedParts[part] = value
    else if (!name.startsWith(':')) headers.push([headerName(name, isCgi), value])
  }
  const { method, target, host } = listedParts
  const hasHost = headers.some(([name]) => name.toLowerCase() === 'host')
  return {
    method: requestLine?.method ?? method ?? null,
    target: requestLine?.target ?? target ?? null,
    headers: host === undefined || hasHost ? headers : [['Host', host], ...headers],
  }
}

/** Converts CGI's `HTTP_X_SERVICE_SIGNATURE` to a header name. */
function headerName(name: string, isCgi: boolean): string {
  const isVariable =
    /^http_/i.test(name) ||
    /^x_\w+_(?:signature|timestamp)$/i.test(name) ||
    (isCgi && /^CONTENT_(?:TYPE|LENGTH)$/.test(name))
  return isVariable
    ? name
        .replace(/^http_/i, '')
        .toLowerCase()
        .replaceAll('_', '-')
    : name
}
