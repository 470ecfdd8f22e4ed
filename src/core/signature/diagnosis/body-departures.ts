/** Bodies that a signer may have signed instead of the bytes it sent. */
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

/** Above this size, in bytes, a body isn't re-serialized and only its likeliest changes are tried: each one is a copy. */
const LARGEST_REWRITTEN = 262_144

const FIX = 'Sign the exact bytes of the request body, before anything parses or changes them.'

/** The spellings of JSON, each with the three ways to print numbers. */
function spelt(tree: RawJson): Variant[] {
  const peculiarities = peculiaritiesOf(tree)
  const { numbers, duplicates, indexKeys } = peculiarities
  const write = createJsonWriter(tree, peculiarities)
  const plain = textSpelling()
  const written = (
    cause: string,
    rank: number,
    how: string,
    spelling: Partial<Spelling>,
  ): Variant[] => {
    const parsed: Spelling = { ...asWritten, text: plain, keepDuplicates: !duplicates, ...spelling }
    const again = `parsed and re-serialized ${how}`
    return [
      [cause, rank, again, write(parsed)],
      ...(numbers || indexKeys
        ? ([
            [cause, rank, again, write({ ...parsed, number: shortNumber, indexKeysFirst: true })],
          ] as const)
        : []),
      ...(numbers
        ? ([[cause, rank + 1, again, write({ ...parsed, number: floatNumber })]] as const)
        : []),
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
    // Single changes first, so that each is named precisely.
    ['body:compact', 1, 'without whitespace between tokens', json({})],
    ['body:numbers', 1, 'with reformatted numbers (10.00 as 10)', json({ number: shortNumber })],
    ['body:numbers', 1, 'with reformatted numbers (10.00 as 10.0)', json({ number: floatNumber })],
    ['body:duplicate-keys', 2, 'without duplicate keys', json({ keepDuplicates: false })],
    ['body:unescaped', 1, 'with escapes decoded', json({ text: plain })],
    [
      'body:key-order',
      2,
      'with numeric keys first, like JavaScript',
      json({ indexKeysFirst: true }),
    ],
    ['body:sorted', 1, 'with sorted keys', json({ sortKeys: true })],
    [
      'body:empty-objects',
      3,
      'with empty objects as empty lists, like PHP',
      json({ emptyObject: '[]' }),
    ],
    ...written('body:compact', 1, 'on one line', {}),
    ...written(
      'body:spaced-escaped',
      1,
      "like Python's default: spaces after commas and colons, \\u escapes",
      {
        ...spaced,
        text: ascii,
      },
    ),
    ...written('body:spaced', 1, 'with a space after each comma and colon, like Python', spaced),
    ...written('body:pretty', 1, 'with an indent of 2', { indent: '  ', colon: ': ' }),
    ...written('body:pretty-4', 2, 'with an indent of 4', { indent: '    ', colon: ': ' }),
    ...written('body:pretty-4', 3, 'with an indent of 4, \\u escapes', {
      indent: '    ',
      colon: ': ',
      text: ascii,
    }),
    ...written('body:pretty', 3, 'with an indent of 2, \\u escapes', {
      indent: '  ',
      colon: ': ',
      text: ascii,
    }),
    ...written('body:pretty-tab', 2, 'with tabs', { indent: '\t', colon: ': ' }),
    ...written('body:escaped', 1, 'with \\u escapes', { text: ascii }),
    ...written('body:slashes', 1, 'with escaped slashes and \\u escapes, like PHP', {
      text: slashed,
    }),
    ...written('body:slashes', 2, 'with escaped slashes', {
      text: textSpelling({ slashes: true }),
    }),
    ...written('body:slashes', 3, 'like PHP: indented, with escaped slashes and \\u escapes', {
      indent: '    ',
      colon: ': ',
      text: slashed,
    }),
    ...written('body:empty-objects', 3, 'like PHP, with empty objects as empty lists', {
      text: slashed,
      emptyObject: '[]',
    }),
    ...written('body:sorted', 1, 'with sorted keys', { sortKeys: true }),
    ...written('body:sorted', 2, 'like Python, with sorted keys', {
      ...spaced,
      text: ascii,
      sortKeys: true,
    }),
    ...written('body:sorted', 3, 'with sorted keys and \\u escapes', {
      text: ascii,
      sortKeys: true,
    }),
    ...written('body:html-escaped', 1, 'with <, > and & escaped, like Go', { text: go }),
    ...written('body:html-escaped', 1, 'with sorted keys and <, > and & escaped, like Go', {
      text: go,
      sortKeys: true,
    }),
    ...written('body:html-escaped', 2, 'with <, >, &, = and quotes escaped, like Gson', {
      text: gson,
    }),
    ...written('body:html-escaped', 2, 'with everything beyond ASCII escaped, like .NET', {
      text: dotnet,
    }),
  ]
}

/** How Python prints a dictionary, and JavaScript an object that wasn't serialized. */
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
    return node.kind === 'object'
      ? { kind: 'object', members: node.members.map(([key, value]) => [key, pythonic(value)]) }
      : node
  }
  const python = {
    ...asWritten,
    comma: ', ',
    colon: ': ',
    text: quoted,
    number: floatNumber,
    keepDuplicates: false,
  }
  const printedTree = pythonic(tree)
  return [
    [
      'body:printed',
      2,
      'printed as a Python dictionary',
      createJsonWriter(printedTree, peculiaritiesOf(printedTree))(python),
    ],
    ['body:printed', 2, 'printed as a JavaScript object', '[object Object]'],
  ]
}

/** With other line ends, marks and encodings, as editors, shells and decoders produce them. */
function recoded(bytes: Buffer, text: string): Variant[] {
  const isMarked = text.startsWith('\ufeff')
  return [
    ['body:trimmed', 1, 'without surrounding whitespace', text.trim()],
    ['body:newline', 1, 'with a trailing newline', Buffer.concat([bytes, Buffer.from('\n')])],
    ['body:newline', 2, 'with a trailing CR LF', Buffer.concat([bytes, Buffer.from('\r\n')])],
    ['body:line-ends', 1, 'with LF instead of CR LF', text.replaceAll('\r\n', '\n')],
    ['body:line-ends', 1, 'with CR LF instead of LF', text.replaceAll(/\r?\n/g, '\r\n')],
    ['body:line-ends', 3, 'without line breaks', text.replaceAll(/\r?\n/g, '')],
    isMarked
      ? ['body:byte-order-mark', 1, 'without its byte order mark', text.slice(1)]
      : ['body:byte-order-mark', 2, 'with a byte order mark', `\ufeff${text}`],
    ['body:latin1', 1, 'in Latin-1 instead of UTF-8', Buffer.from(text, 'latin1')],
    [
      'body:decoded-twice',
      1,
      'decoded as Latin-1 and encoded as UTF-8 again',
      bytes.toString('latin1'),
    ],
    ['body:replaced', 2, 'with invalid UTF-8 replaced', text],
    [
      'body:replaced',
      2,
      'with a question mark for each character beyond ASCII',
      text.replaceAll(/[^\u0000-\u007f]/gu, '?'),
    ],
    [
      'body:replaced',
      3,
      'with two question marks per emoji and one per other character beyond ASCII',
      text.replaceAll(/[^\u0000-\u007f]/g, '?'),
    ],
    ['body:normalised', 3, 'with composed characters (NFC)', text.normalize('NFC')],
    ['body:normalised', 3, 'with decomposed characters (NFD)', text.normalize('NFD')],
    ['body:utf-16', 3, 'in UTF-16', Buffer.from(text, 'utf16le')],
  ]
}

/** Wrapped, unwrapped, or replaced by something else. */
function wrapped(bytes: Buffer, text: string): Variant[] {
  const variants: Variant[] = [
    ['body:json-string', 1, 'as a JSON string: it was serialized twice', JSON.stringify(text)],
    [
      'body:json-string',
      3,
      'as a JSON string with escaped slashes',
      JSON.stringify(text).replaceAll('/', String.raw`\/`),
    ],
    ['body:base64', 2, 'in Base64', bytes.toString('base64')],
    ['body:digest', 3, 'by its SHA-256 in hexadecimal', hash('sha256', bytes, 'hex')],
    ['body:digest', 4, 'by its SHA-256 in Base64', hash('sha256', bytes, 'base64')],
    [
      'body:printed',
      2,
      'printed as Python bytes',
      `b'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`,
    ],
    ['body:unset', 3, 'as the string "undefined"', 'undefined'],
    ['body:unset', 3, 'as the string "null"', 'null'],
    ['body:unset', 3, 'as an empty object: a parser had already consumed the body', '{}'],
  ]
  try {
    const form = text.replaceAll('+', ' ')
    variants.push(['body:form-decoded', 2, 'decoded as a form', decodeURIComponent(form)])
    variants.push(['body:form-encoded', 2, 'percent-encoded', encodeURIComponent(text)])
    variants.push([
      'body:form-encoded',
      3,
      'encoded as a form',
      new URLSearchParams([['', text]]).toString().slice(1),
    ])
  } catch {
    variants.push(['body:form-decoded', 2, 'decoded as a form', text.replaceAll('+', ' ')])
  }
  try {
    const inner: unknown = JSON.parse(text)
    if (typeof inner === 'string')
      variants.push(['body:json-string', 1, 'unwrapped from its JSON string', inner])
  } catch {
    // Not JSON, so it isn't wrapped in a string.
  }
  return variants
}

/** Whitespace around the body, which programs trim. */
const isSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** For a large body only likely changes, without a copy for each. */
function ofLarge(bytes: Buffer): Variant[] {
  let start = 0
  let end = bytes.length
  while (start < end && isSpace(bytes[start])) start++
  while (end > start && isSpace(bytes[end - 1])) end--
  const mark = Buffer.from('\ufeff')
  return [
    ['body:trimmed', 1, 'without surrounding whitespace', bytes.subarray(start, end)],
    ['body:newline', 1, 'with a trailing newline', Buffer.concat([bytes, Buffer.from('\n')])],
    ...(bytes.subarray(0, mark.length).equals(mark)
      ? ([
          ['body:byte-order-mark', 1, 'without its byte order mark', bytes.subarray(mark.length)],
        ] as const)
      : []),
  ]
}

function variantsOf(bytes: Buffer): Variant[] {
  if (bytes.length > LARGEST_REWRITTEN) return ofLarge(bytes)
  const text = bytes.toString('utf8')
  const tree = readRawJson(text.startsWith('\ufeff') ? text.slice(1) : text)
  const rewritten = tree === null ? [] : [...spelt(tree), ...printed(tree)]
  const withLineFeed = rewritten
    .filter(
      ([cause]) =>
        cause === 'body:compact' || cause === 'body:html-escaped' || cause === 'body:pretty',
    )
    .map(([cause, rank, how, body]): Variant => [
      cause,
      rank + 2,
      `${how}, with a trailing newline`,
      `${String(body)}\n`,
    ])
  return [...recoded(bytes, text), ...rewritten, ...wrapped(bytes, text), ...withLineFeed]
}

export function bodyDepartures({ body }: DiagnosisInput): readonly Departure<Uint8Array>[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const departures = onceEach(variantsOf(bytes)).map(
    ([cause, rank, how, changed]): Departure<Uint8Array> => ({
      cause,
      what: `Signed over the body ${how}.`,
      fix: FIX,
      rank,
      value: typeof changed === 'string' ? Buffer.from(changed) : changed,
    }),
  )
  // A missing body is a question of the parts.
  return distinct(departures, bytes, (value) => nameOf(value)).filter(
    ({ value }) => value.length > 0,
  )
}

/** Duplicate texts are skipped before they are encoded. */
function onceEach(variants: readonly Variant[]): Variant[] {
  const seen = new Set<Variant[3]>()
  return variants.filter(([, , , body]) => seen.size < seen.add(body).size)
}

function nameOf(value: Uint8Array): string {
  return hash('sha1', value, 'base64')
}
