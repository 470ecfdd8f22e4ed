/** The head of a copied request: its request line and headers, in the forms that tools, pages and languages print. */
import type { RawHeaders } from '../model/delivery.ts'
import { excerpt, trimSpaces } from './pasted-text.ts'

export interface Head {
  readonly method: string | null
  /** Path or complete URL; null if the text doesn't say. */
  readonly target: string | null
  readonly headers: RawHeaders
}

/** A header in HTTP, as a row of a table, as PHP prints it, as a row of Markdown, and as a member of an object. */
const FORMS = [
  /^(:?[!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:[ \t]|\xc2\xa0|\xe2\x80[\x80-\x8f\xaf])*:([^]*)$/,
  /^(:?[\w.-]+) *\t([^]*)$/,
  /^\[?["']?([\w.-]+)["']?\]? *=> *([^]*)$/,
  /^\| *`?(:?[\w.-]+)`? *\| *([^|]*)\|?$/,
  /^["'](:?[\w.-]+)["'] *: *([^]*)$/,
]
const REQUEST_LINE = /^([A-Za-z]+)[ \t]+(\S+)(?:[ \t]+HTTP\/(?:1\.[01]|2(?:\.0)?|3))?$/
/** Parts of a request line that tools list with the headers. */
const parts: Readonly<Record<string, 'method' | 'target' | 'host' | 'ignored'>> = {
  ':method': 'method',
  ':path': 'target',
  ':authority': 'host',
  ':scheme': 'ignored',
  request_method: 'method',
  request_uri: 'target',
  // The title of a table.
  name: 'ignored',
  header: 'ignored',
}

/** Returns the header in a line, its value without the spaces around it; null if there is none. */
export function headerOf(line: string): [name: string, value: string] | null {
  const plain = trimSpaces(line)
  for (const [index, form] of FORMS.entries()) {
    const [, name, value] = form.exec(plain) ?? []
    if (name === undefined || value === undefined) continue
    const trimmed = trimSpaces(value)
    return [name, index < 2 ? trimmed : unquoted(trimmed)]
  }
  return null
}

const MOST_INDENT = 100

/** A value without the quotes of the form that it was in, and the comma behind them. */
function unquoted(value: string): string {
  const [, , inside] = /^(["'`])([^]*)\1,?$/.exec(value) ?? []
  return inside ?? value
}

/** Whether a line is a request line, with a method in capitals and a path or URL. */
export function isRequestLine(line: string): boolean {
  const plain = spaced(line)
  return (
    REQUEST_LINE.test(plain) &&
    /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) (?:\/|https?:\/\/|\S+ HTTP\/)/.test(plain)
  )
}

const spaced = (line: string) =>
  trimSpaces(line).replaceAll(/(?:[ \t]|\xc2\xa0|\xe2\x80[\x80-\x8f\xaf])+/g, ' ')

/** Reads a head; a sentence if a line can't be part of one, null if it doesn't begin like one. */
export function readHead(given: readonly string[]): Head | string | null {
  const lines = withoutIndent(given)
  const first = takeRequestLine(lines)
  if (first === null && (lines[0] === undefined || headerOf(lines[0]) === null)) return null
  const headers = headersOf(inPairs(lines))
  return typeof headers === 'string' ? headers : { ...first, ...separateParts(headers, first) }
}

/** Returns the lines without the spaces that all of them begin with. */
function withoutIndent(lines: readonly string[]): string[] {
  const indents = lines.map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0)
  const least = indents.reduce((one, other) => Math.min(one, other), MOST_INDENT)
  return lines.map((line) => line.slice(least))
}

/** Takes the request line off the lines, also if a mail wrapped it; null if there is none. */
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

/** Joins names and values that are on separate lines, as browsers copy them. */
function inPairs(lines: readonly string[]): readonly string[] {
  const isName = (line: string) => /^:?[\w-]+:$/.test(trimSpaces(line))
  const isPaired =
    lines.length > 1 && lines.every((line, index) => isName(line) === (index % 2 === 0))
  return isPaired
    ? lines.flatMap((line, index) =>
        index % 2 === 0 ? [`${trimSpaces(line)} ${lines[index + 1] ?? ''}`] : [],
      )
    : lines
}

/** A line that a mail wrapped is longer. */
const WRAPPED_FROM = 40

/** Reads headers. A line without a name continues the previous one, as mails wrap it; a sentence if it can't. */
function headersOf(lines: readonly string[]): RawHeaders | string {
  const headers: { readonly name: string; value: string; hasSpaces: boolean }[] = []
  let length = 0
  for (const line of lines) {
    const isIndented = /^[ \t]/.test(line) && headers.length > 0
    const header = isIndented ? null : headerOf(line)
    const last = headers.at(-1)
    const more = header === null ? trimSpaces(line) : header[1]
    const hasSpaces = more.includes(' ')
    if (header !== null) headers.push({ name: header[0], value: more, hasSpaces })
    else if (/^\|[-:| ]+$/.test(more)) continue
    else if (last === undefined || (!isIndented && hasSpaces && length < WRAPPED_FROM))
      return `This line isn't a header: "${excerpt(more)}". Remove it, and put an empty line before the body.`
    else {
      // A value without spaces was cut in the middle, like a long signature; another one at a space.
      last.hasSpaces ||= hasSpaces
      last.value += last.value !== '' && last.hasSpaces ? ` ${more}` : more
    }
    length = line.length
  }
  return headers.map(({ name, value }) => [name, value])
}

/** Separates headers from the parts of the request line that tools list with them. */
export function separateParts(
  given: RawHeaders,
  first: Pick<Head, 'method' | 'target'> | null,
): Head {
  let { method, target } = first ?? { method: null, target: null }
  let host: string | null = null
  const isGateway = given.some(([name]) => /^http_/i.test(name))
  const headers: [string, string][] = []
  for (const [name, value] of given) {
    const part = parts[name.toLowerCase()]
    if (part === 'method') method ??= value
    else if (part === 'target') target ??= value
    else if (part === 'host') host = value
    else if (part === undefined && !name.startsWith(':'))
      headers.push([headerName(name, isGateway), value])
  }
  const hasHost = headers.some(([name]) => name.toLowerCase() === 'host')
  return {
    method,
    target,
    headers: host === null || hasHost ? headers : [['Host', host], ...headers],
  }
}

/** Returns the header that a variable stands for: CGI, Rack, PHP and Django log `HTTP_X_SERVICE_SIGNATURE`. */
function headerName(name: string, isGateway: boolean): string {
  const own = name.replace(/^http_/i, '')
  const isVariable =
    own !== name ||
    /^x_\w+_(?:signature|timestamp)$/i.test(name) ||
    (isGateway && /^CONTENT_(?:TYPE|LENGTH)$/.test(name))
  return isVariable ? own.toLowerCase().replaceAll('_', '-') : name
}
