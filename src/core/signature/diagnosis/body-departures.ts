/** Other bodies that a signer may have signed in place of the bytes that were sent. */
import { hash } from 'node:crypto'
import { distinct, type Departure, type DiagnosisInput } from './departure.ts'
import {
  asWritten,
  createJsonWriter,
  floatNumber,
  peculiaritiesOf,
  shortNumber,
  textSpelling,
  type Spelling,
  readRawJson,
  type RawJson,
} from './json-spelling.ts'

type Variant = readonly [cause: string, rank: number, how: string, body: Uint8Array | string]

/** Above this size, in bytes, a body is not written again in other ways, and only its likeliest changes are tried: each is a copy of it. */
const LARGEST_REWRITTEN = 262_144

const FIX = 'Sign the very bytes of the request’s body, before anything parses or changes them.'

/** The spellings of JSON, each in the three ways in which numbers are written again. */
function spelt(tree: RawJson): Variant[] {
  const peculiarities = peculiaritiesOf(tree)
  const { numbers, duplicates, indexKeys } = peculiarities
  const write = createJsonWriter(tree, peculiarities)
  const plain = textSpelling()
  const written = (cause: string, rank: number, how: string, spelling: Partial<Spelling>): Variant[] => {
    const parsed: Spelling = { ...asWritten, text: plain, keepDuplicates: !duplicates, ...spelling }
    const again = `parsed and written again ${how}`
    return [
      [cause, rank, again, write(parsed)],
      ...(numbers || indexKeys
        ? ([[cause, rank, again, write({ ...parsed, number: shortNumber, indexKeysFirst: true })]] as const)
        : []),
      ...(numbers ? ([[cause, rank + 1, again, write({ ...parsed, number: floatNumber })]] as const) : []),
    ]
  }
  const ascii = textSpelling({ ascii: 'lower' })
  const slashed = textSpelling({ ascii: 'lower', slashes: true })
  const spaced = { comma: ', ', colon: ': ' }
  const go = textSpelling({ escaped: /[<>&\u2028\u2029]/ })
  const gson = textSpelling({ escaped: /[<>&='\u2028\u2029]/ })
  const dotnet = textSpelling({ escaped: /[<>&'"+`]/, ascii: 'upper' })
  const json = (spelling: Partial<Spelling>) => write({ ...asWritten, ...spelling })
  return [
    // One thing alone, so that it is named for what it is.
    ['body:compact', 1, 'without the white space between its tokens', json({})],
    ['body:numbers', 1, 'with its numbers written again (10.00 as 10)', json({ number: shortNumber })],
    ['body:numbers', 1, 'with its numbers written again (10.00 as 10.0)', json({ number: floatNumber })],
    ['body:duplicate-keys', 2, 'without the keys that stand in it twice', json({ keepDuplicates: false })],
    ['body:unescaped', 1, 'with its escapes decoded', json({ text: plain })],
    ['body:key-order', 2, 'with the keys that look like numbers first, as JavaScript has them', json({ indexKeysFirst: true })],
    ['body:sorted', 1, 'with its keys sorted', json({ sortKeys: true })],
    ['body:empty-objects', 3, 'with its empty objects as empty lists, as PHP has them', json({ emptyObject: '[]' })],
    ...written('body:compact', 1, 'on one line', {}),
    ...written('body:spaced-escaped', 1, 'as Python does by default: spaces after commas and colons, \\u escapes', {
      ...spaced,
      text: ascii,
    }),
    ...written('body:spaced', 1, 'with a space after each comma and colon, as Python does', spaced),
    ...written('body:pretty', 1, 'with an indent of 2', { indent: '  ', colon: ': ' }),
    ...written('body:pretty-4', 2, 'with an indent of 4', { indent: '    ', colon: ': ' }),
    ...written('body:pretty-4', 3, 'with an indent of 4, \\u escapes', { indent: '    ', colon: ': ', text: ascii }),
    ...written('body:pretty', 3, 'with an indent of 2, \\u escapes', { indent: '  ', colon: ': ', text: ascii }),
    ...written('body:pretty-tab', 2, 'with tabs', { indent: '\t', colon: ': ' }),
    ...written('body:escaped', 1, 'with \\u escapes', { text: ascii }),
    ...written('body:slashes', 1, 'with escaped slashes and \\u escapes, as PHP does', {
      text: slashed,
    }),
    ...written('body:slashes', 2, 'with escaped slashes', { text: textSpelling({ slashes: true }) }),
    ...written('body:slashes', 3, 'as PHP does: indented, with escaped slashes and \\u escapes', {
      indent: '    ',
      colon: ': ',
      text: slashed,
    }),
    ...written('body:empty-objects', 3, 'as PHP does, its empty objects as empty lists', {
      text: slashed,
      emptyObject: '[]',
    }),
    ...written('body:sorted', 1, 'with its keys sorted', { sortKeys: true }),
    ...written('body:sorted', 2, 'as Python does, with its keys sorted', { ...spaced, text: ascii, sortKeys: true }),
    ...written('body:sorted', 3, 'with its keys sorted and \\u escapes', { text: ascii, sortKeys: true }),
    ...written('body:html-escaped', 1, 'with <, > and & escaped, as Go does', { text: go }),
    ...written('body:html-escaped', 1, 'with its keys sorted and <, > and & escaped, as Go does', { text: go, sortKeys: true }),
    ...written('body:html-escaped', 2, 'with <, >, &, = and quotes escaped, as Gson does', { text: gson }),
    ...written('body:html-escaped', 2, 'with all but plain ASCII escaped, as .NET does', { text: dotnet }),
  ]
}

/** What Python prints of a dictionary, and JavaScript of an object that was not made a text. */
function printed(tree: RawJson): Variant[] {
  const words: Record<string, string> = { null: 'None', true: 'True', false: 'False' }
  const quoted = (raw: string) => {
    const text = JSON.parse(raw) as string
    const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
    const escaped = text.replaceAll('\\', '\\\\').replaceAll('\n', String.raw`\n`)
    return quote + (quote === "'" ? escaped.replaceAll("'", String.raw`\'`) : escaped) + quote
  }
  const pythonic = (node: RawJson): RawJson => {
    if (node.kind === 'word') return { kind: 'word', raw: words[node.raw] ?? node.raw }
    if (node.kind === 'array') return { kind: 'array', items: node.items.map(pythonic) }
    return node.kind === 'object' ? { kind: 'object', members: node.members.map(([key, value]) => [key, pythonic(value)]) } : node
  }
  const python = { ...asWritten, comma: ', ', colon: ': ', text: quoted, number: floatNumber, keepDuplicates: false }
  const printedTree = pythonic(tree)
  return [
    ['body:printed', 2, 'printed as a dictionary of Python', createJsonWriter(printedTree, peculiaritiesOf(printedTree))(python)],
    ['body:printed', 2, 'printed as an object of JavaScript', '[object Object]'],
  ]
}

/** With line ends, marks and encodings changed: what editors, shells and decoders do. */
function recoded(bytes: Buffer, text: string): Variant[] {
  const isMarked = text.startsWith('\ufeff')
  return [
    ['body:trimmed', 1, 'without the whitespace around it', text.trim()],
    ['body:newline', 1, 'with a line feed at its end', Buffer.concat([bytes, Buffer.from('\n')])],
    ['body:newline', 2, 'with a line end (CR LF) at its end', Buffer.concat([bytes, Buffer.from('\r\n')])],
    ['body:line-ends', 1, 'with LF in place of CR LF', text.replaceAll('\r\n', '\n')],
    ['body:line-ends', 1, 'with CR LF in place of LF', text.replaceAll(/\r?\n/g, '\r\n')],
    ['body:line-ends', 3, 'without its line ends', text.replaceAll(/\r?\n/g, '')],
    isMarked
      ? ['body:byte-order-mark', 1, 'without its byte order mark', text.slice(1)]
      : ['body:byte-order-mark', 2, 'with a byte order mark in front', `\ufeff${text}`],
    ['body:latin1', 1, 'in Latin-1 where UTF-8 was sent', Buffer.from(text, 'latin1')],
    ['body:decoded-twice', 1, 'taken for Latin-1 and encoded as UTF-8 again', bytes.toString('latin1')],
    ['body:replaced', 2, 'with what is not UTF-8 replaced', text],
    ['body:replaced', 2, 'with a question mark for each character beyond ASCII', text.replaceAll(/[^\u0000-\u007f]/gu, '?')],
    ['body:replaced', 3, 'with two question marks for each emoji and one for others', text.replaceAll(/[^\u0000-\u007f]/g, '?')],
    ['body:normalised', 3, 'with its characters composed (NFC)', text.normalize('NFC')],
    ['body:normalised', 3, 'with its characters decomposed (NFD)', text.normalize('NFD')],
    ['body:utf-16', 3, 'in UTF-16', Buffer.from(text, 'utf16le')],
  ]
}

/** Wrapped, unwrapped, or stood for by something else. */
function wrapped(bytes: Buffer, text: string): Variant[] {
  const variants: Variant[] = [
    ['body:json-string', 1, 'as a string of JSON: it was serialised twice', JSON.stringify(text)],
    ['body:json-string', 3, 'as a string of JSON with escaped slashes', JSON.stringify(text).replaceAll('/', String.raw`\/`)],
    ['body:base64', 2, 'in Base-64', bytes.toString('base64')],
    ['body:digest', 3, 'by its SHA-256, in hexadecimal', hash('sha256', bytes, 'hex')],
    ['body:digest', 4, 'by its SHA-256, in Base-64', hash('sha256', bytes, 'base64')],
    ['body:printed', 2, 'printed as bytes of Python', `b'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`],
    ['body:unset', 3, 'as the text "undefined"', 'undefined'],
    ['body:unset', 3, 'as the text "null"', 'null'],
    ['body:unset', 3, 'as an empty object: a parser had read it before', '{}'],
  ]
  try {
    const form = text.replaceAll('+', ' ')
    variants.push(['body:form-decoded', 2, 'decoded as a form', decodeURIComponent(form)])
    variants.push(['body:form-encoded', 2, 'percent-encoded', encodeURIComponent(text)])
    variants.push(['body:form-encoded', 3, 'encoded as a form', new URLSearchParams([['', text]]).toString().slice(1)])
  } catch {
    variants.push(['body:form-decoded', 2, 'decoded as a form', text.replaceAll('+', ' ')])
  }
  try {
    const inner: unknown = JSON.parse(text)
    if (typeof inner === 'string') variants.push(['body:json-string', 1, 'taken out of its string of JSON', inner])
  } catch {
    // Not JSON: there is no string to take it out of.
  }
  return variants
}

/** White space around the whole: what a program cuts off. */
const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Of a large body only what is likely, and made without a copy for each. */
function ofLarge(bytes: Buffer): Variant[] {
  let start = 0
  let end = bytes.length
  while (start < end && isSpace(bytes[start])) start++
  while (end > start && isSpace(bytes[end - 1])) end--
  const mark = Buffer.from('\ufeff')
  return [
    ['body:trimmed', 1, 'without the whitespace around it', bytes.subarray(start, end)],
    ['body:newline', 1, 'with a line feed at its end', Buffer.concat([bytes, Buffer.from('\n')])],
    ...(bytes.subarray(0, mark.length).equals(mark)
      ? ([['body:byte-order-mark', 1, 'without its byte order mark', bytes.subarray(mark.length)]] as const)
      : []),
  ]
}

function variantsOf(bytes: Buffer): Variant[] {
  if (bytes.length > LARGEST_REWRITTEN) return ofLarge(bytes)
  const text = bytes.toString('utf8')
  const tree = readRawJson(text.startsWith('\ufeff') ? text.slice(1) : text)
  const rewritten = tree === null ? [] : [...spelt(tree), ...printed(tree)]
  const withLineFeed = rewritten
    .filter(([cause]) => cause === 'body:compact' || cause === 'body:html-escaped' || cause === 'body:pretty')
    .map(([cause, rank, how, body]): Variant => [cause, rank + 2, `${how}, with a line feed at its end`, `${String(body)}\n`])
  return [...recoded(bytes, text), ...rewritten, ...wrapped(bytes, text), ...withLineFeed]
}

export function bodyDepartures({ body }: DiagnosisInput): readonly Departure<Uint8Array>[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const departures = onceEach(variantsOf(bytes)).map(([cause, rank, how, changed]): Departure<Uint8Array> => ({
    cause,
    what: `Signed over the body ${how}.`,
    fix: FIX,
    rank,
    value: typeof changed === 'string' ? Buffer.from(changed) : changed,
  }))
  // A body that is left out is a matter of the parts.
  return distinct(departures, bytes, (value) => nameOf(value)).filter(({ value }) => value.length > 0)
}

/** Texts that come again are left out before they are made bytes. */
function onceEach(variants: readonly Variant[]): Variant[] {
  const seen = new Set<Variant[3]>()
  return variants.filter(([, , , body]) => seen.size < seen.add(body).size)
}

function nameOf(value: Uint8Array): string {
  return hash('sha1', value, 'base64')
}
