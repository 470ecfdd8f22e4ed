/**
 * Bodies that a signer may have signed instead of the sent bytes. In one file, because most of it
 * is the table of this part's mistakes.
 */
import { hash } from 'node:crypto'
import {
  createMistakeGroup,
  combineMismatches,
  MAX_PAIR_RANK,
  type DiagnosisInput,
  type MistakeGroup,
  type KnownBody,
  type Variant as AnyVariant,
} from './mismatch.ts'
import { recodedBodies } from './body-encodings.ts'
import { rareBodies, typedJsonVariants } from './body-values.ts'
import { pythonBytes, pythonString, printedObjects } from './printed-text.ts'
import type { JsonNode } from '../../../shared/json/tree.ts'
import { decodeBody } from '../../base/decode-body.ts'
import {
  asWritten,
  createJsonWriter,
  floatNumber,
  peculiaritiesOf,
  shortNumber,
  textSpelling,
  writeJson,
  type Spelling,
  readShallowJson,
} from './json-spelling.ts'

type Variant<T = Uint8Array | string> = AnyVariant<T>

/** Spelling of JSON that a serializer writes. */
type Style = readonly [
  cause: string,
  rank: number,
  how: string,
  spelling: Partial<Spelling>,
  earlier?: string,
]

/** Size in bytes above which a body isn't re-serialized. */
const MAX_REWRITTEN_BYTES = 262_144

const FIX = 'Sign the exact bytes of the request body, before anything parses or changes them.'
const FIX_ON_THE_WAY =
  'If the service signed it, something changed the body on its way, such as a proxy: pass the bytes on unchanged.'

const spaced = { comma: ', ', colon: ': ' }
const pretty = { indent: '  ', colon: ': ' }
const pretty4 = { indent: '    ', colon: ': ' }
const tabs = { indent: '\t', colon: ': ' }
const jackson = { indent: '  ', colon: ' : ' }

function serializers(): Style[] {
  const ascii = textSpelling({ ascii: 'lower' })
  const upper = textSpelling({ ascii: 'upper' })
  const slashed = textSpelling({ ascii: 'lower', slashes: true })
  const slashes = textSpelling({ slashes: true })
  const go = textSpelling({ escaped: /[<>&\u2028\u2029]/ })
  const gson = textSpelling({ escaped: /[<>&='\u2028\u2029]/ })
  const dotnet = textSpelling({ escaped: /[<>&'"+`]/, ascii: 'upper' })
  const php = { indent: '    ', colon: ': ', text: slashed }
  return [
    ['body:compact', 1, 'on one line', {}],
    [
      'body:spaced-escaped',
      1,
      "like Python's default: spaces after commas and colons, \\u escapes",
      { ...spaced, text: ascii },
    ],
    ['body:spaced', 1, 'with a space after each comma and colon, like Python', spaced],
    ['body:pretty', 1, 'with an indent of 2', pretty],
    ['body:pretty-4', 2, 'with an indent of 4', pretty4],
    ['body:pretty-4', 3, 'with an indent of 4, \\u escapes', { ...pretty4, text: ascii }],
    ['body:pretty', 3, 'with an indent of 2, \\u escapes', { ...pretty, text: ascii }],
    ['body:pretty-tab', 2, 'with tabs', tabs],
    ['body:pretty', 2, 'with an indent of 2 and spaces around colons, like Jackson', jackson],
    [
      'body:pretty',
      3,
      'like Swift: indented, with spaces around colons and escaped slashes',
      { ...jackson, text: slashes },
    ],
    ['body:escaped', 1, 'with \\u escapes', { text: ascii }],
    ['body:escaped', 2, 'with uppercase \\u escapes', { text: upper }],
    ['body:slashes', 1, 'with escaped slashes and \\u escapes, like PHP', { text: slashed }],
    ['body:slashes', 2, 'with escaped slashes', { text: slashes }],
    ['body:slashes', 3, 'like PHP: indented, with escaped slashes and \\u escapes', php],
    [
      'body:empty-objects',
      3,
      'like PHP, with empty objects as empty lists',
      { text: slashed, emptyObject: '[]' },
    ],
    ['body:sorted', 1, 'with sorted keys', { sortKeys: true }],
    ['body:sorted', 2, 'like Python, with sorted keys', { ...spaced, text: ascii, sortKeys: true }],
    ['body:sorted', 2, 'with sorted keys and \\u escapes', { text: ascii, sortKeys: true }],
    [
      'body:sorted',
      2,
      "with shorter keys first, like PostgreSQL's jsonb",
      { ...spaced, sortKeys: 'length' },
    ],
    ['body:sorted', 3, 'with sorted keys and spaces', { ...spaced, sortKeys: true }],
    ['body:html-escaped', 1, 'with <, > and & escaped, like Go', { text: go }],
    [
      'body:html-escaped',
      1,
      'with sorted keys and <, > and & escaped, like Go',
      { text: go, sortKeys: true },
    ],
    ['body:html-escaped', 2, 'with <, >, &, = and quotes escaped, like Gson', { text: gson }],
    ['body:html-escaped', 2, 'with everything beyond ASCII escaped, like .NET', { text: dotnet }],
  ]
}

/** Combines indents with other styles, which serializers rarely do by default. */
function unusualSerializers(): Style[] {
  const styles = serializers()
  const indents = styles.filter(
    ([, , , { indent, text }]) => indent !== undefined && text === undefined,
  )
  const otherStyles = styles.filter(
    ([, , , { indent, comma, text, sortKeys }]) =>
      indent === undefined && comma === undefined && (text ?? sortKeys) !== undefined,
  )
  return indents.flatMap(([earlier, rank, how, indent]) =>
    otherStyles.map(([cause, second, andHow, spelling]): Style => [
      cause,
      rank + second,
      `${how} and ${andHow}`,
      { ...indent, ...spelling },
      earlier,
    ]),
  )
}

/** Creates a writer that prints a tree in any style, with up to three forms of its numbers. */
function createStylist(tree: JsonNode) {
  const peculiarities = peculiaritiesOf(tree)
  const { numbers, duplicates, indexKeys } = peculiarities
  const write = createJsonWriter(tree, peculiarities)
  const plain = textSpelling()
  return {
    write,
    restyled: ([cause, rank, how, spelling, earlier]: Style): Variant[] => {
      const style = { ...asWritten, text: plain, keepDuplicates: !duplicates, ...spelling }
      const wording = `parsed and re-serialized ${how}`
      const variants: Variant[] = [[cause, rank, wording, write(style), earlier]]
      if (numbers || indexKeys)
        variants.push([
          cause,
          rank,
          wording,
          write({ ...style, number: shortNumber, indexKeysFirst: true }),
          earlier,
        ])
      if (numbers)
        variants.push([cause, rank + 1, wording, write({ ...style, number: floatNumber }), earlier])
      return variants
    },
  }
}

/** Finds the whitespace between tokens; null if no serializer writes it. */
function ownLayout(tree: JsonNode, text: string): Partial<Spelling> | null {
  return (
    [{}, spaced, pretty, pretty4, tabs, jackson].find(
      (layout) => writeJson(tree, { ...asWritten, ...layout }) === text,
    ) ?? null
  )
}

/** Returns the JSON with single changes of its spelling, and as serializers print it. */
function jsonVariants(tree: JsonNode, text: string): Variant[] {
  const { write, restyled } = createStylist(tree)
  const layout = ownLayout(tree, text)
  const json = (spelling: Partial<Spelling>) => write({ ...asWritten, ...layout, ...spelling })
  const precise: Variant[] = [
    ['body:duplicate-keys', 2, 'without duplicate keys', json({ keepDuplicates: false })],
    ['body:unescaped', 1, 'with escapes decoded', json({ text: textSpelling() })],
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
  ]
  return [
    ['body:compact', 1, 'without whitespace between tokens', write(asWritten)],
    ...(layout === null ? [] : precise),
    ...serializers().flatMap(restyled),
  ]
}

/** Prints a tree as Python and JavaScript print objects. */
function printedVariants(tree: JsonNode): Variant[] {
  const words: Record<string, string> = { null: 'None', true: 'True', false: 'False' }
  const python = {
    ...asWritten,
    comma: ', ',
    colon: ': ',
    text: (raw: string) => pythonString(JSON.parse(raw) as string),
    number: floatNumber,
    word: (raw: string) => words[raw] ?? raw,
    keepDuplicates: false,
  }
  return [
    ['body:printed', 2, 'printed as a Python dictionary', writeJson(tree, python)],
    ['body:printed', 2, 'printed as a JavaScript object', '[object Object]'],
  ]
}

/** Returns wrapped, unwrapped and replaced bodies. */
function wrappedVariants(bytes: Buffer, text: string): Variant[] {
  const variants: Variant[] = [
    ['body:json-string', 1, 'as a JSON string: it was serialized twice', JSON.stringify(text)],
    [
      'body:json-string',
      3,
      'as a JSON string with escaped slashes',
      JSON.stringify(text).replaceAll('/', String.raw`\/`),
    ],
    ['body:base64', 3, 'in Base64', bytes.toString('base64')],
    ['body:digest', 3, 'by its SHA-256 in hexadecimal', hash('sha256', bytes, 'hex')],
    ['body:digest', 4, 'by its SHA-256 in Base64', hash('sha256', bytes, 'base64')],
    ['body:printed', 2, 'printed as Python bytes', pythonBytes(bytes)],
    ...printedObjects.map((how): Variant => ['body:printed', 4, `printed as ${how}`, how]),
    ['body:unset', 3, 'as the string "undefined"', 'undefined'],
    ['body:unset', 3, 'as the string "null"', 'null'],
    ['body:unset', 3, 'as an empty object: a parser had already consumed the body', '{}'],
  ]
  try {
    const form = text.replaceAll('+', ' ')
    variants.push(['body:form-decoded', 3, 'decoded as a form', decodeURIComponent(form)])
    variants.push(['body:form-encoded', 3, 'percent-encoded', encodeURIComponent(text)])
    variants.push([
      'body:form-encoded',
      3,
      'encoded as a form',
      new URLSearchParams([['', text]]).toString().slice(1),
    ])
  } catch {
    variants.push(['body:form-decoded', 3, 'decoded as a form', text.replaceAll('+', ' ')])
  }
  try {
    const inner: unknown = JSON.parse(text)
    if (typeof inner === 'string')
      variants.push(['body:json-string', 1, 'unwrapped from its JSON string', inner])
  } catch {
    // Not JSON
  }
  return variants
}

/** Whether a byte is whitespace that programs trim. */
const isSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Returns likely changes of a large body. */
function largeBodyVariants(bytes: Buffer): Variant[] {
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

/** Parses a body; the tree is null if it isn't JSON. */
function parseBody(bytes: Buffer) {
  const text = bytes.toString('utf8')
  return { text, tree: readShallowJson(text.startsWith('\ufeff') ? text.slice(1) : text) }
}

function variantsOf(bytes: Buffer): Variant[] {
  if (bytes.length > MAX_REWRITTEN_BYTES) return largeBodyVariants(bytes)
  const { text, tree } = parseBody(bytes)
  const rewritten = tree === null ? [] : [...jsonVariants(tree, text), ...printedVariants(tree)]
  const likely = rewritten.filter(([, rank]) => rank <= 2)
  const withLineEnds = likely.flatMap(([cause, rank, how, body]): Variant[] => {
    const isPretty = cause.startsWith('body:pretty')
    const crlf: Variant = [
      cause,
      rank + 1,
      `${how} and CR LF`,
      String(body).replaceAll('\n', '\r\n'),
    ]
    const lineFeed: Variant = [
      cause,
      rank + 2,
      `${how}, with a trailing newline`,
      `${String(body)}\n`,
    ]
    return [
      ...(isPretty ? [crlf] : []),
      ...(isPretty || cause === 'body:compact' || cause === 'body:html-escaped' ? [lineFeed] : []),
    ]
  })
  return [
    ...recodedBodies(bytes, text),
    ...(tree === null ? [] : typedJsonVariants(text, tree, ownLayout(tree, text))),
    ...rewritten,
    ...wrappedVariants(bytes, text),
    ...withLineEnds,
    ...takeUpTo(MAX_CHARACTERS.rare, rareBodies(bytes, text)),
  ]
}

/** Maximum number of characters to write, for rare mistakes and for two at once. */
const MAX_CHARACTERS = { rare: 60_000, twice: 150_000 }

function takeUpTo(most: number, bodies: Iterable<Variant>): Variant[] {
  const variants: Variant[] = []
  let characters = 0
  for (const variant of bodies) {
    variants.push(variant)
    characters += variant[3].length
    if (characters > most) break
  }
  return variants
}

/** Yields a JSON body with two changes at once. */
function* twiceChangedJson(bytes: Buffer): Generator<Variant> {
  if (bytes.length > MAX_REWRITTEN_BYTES) return
  const { tree } = parseBody(bytes)
  if (tree === null) return
  const { restyled } = createStylist(tree)
  for (const style of unusualSerializers()) yield* restyled(style)
  const styles = serializers()
  const compact = writeJson(tree, asWritten)
  const typedBodies = typedJsonVariants(compact, tree, {}).toSorted((a, b) => a[1] - b[1])
  for (const [earlier, rank, how, json] of typedBodies) {
    const reparsed = json === compact ? null : readShallowJson(json)
    if (reparsed === null) continue
    const stylist = createStylist(reparsed)
    const seconds = [
      ...(earlier === 'body:no-nulls' ? typedJsonVariants(json, reparsed, null) : []),
      ...styles.filter(([, second]) => rank + second <= MAX_PAIR_RANK).flatMap(stylist.restyled),
    ]
    for (const [cause, second, andHow, body] of seconds)
      yield [cause, rank + second, `${how} and ${andHow}`, body, earlier]
  }
}

const bufferOf = (body: Uint8Array) => Buffer.from(body.buffer, body.byteOffset, body.byteLength)

export function bodyMismatches({
  body,
  signer,
  otherBodies,
}: DiagnosisInput): MistakeGroup<Uint8Array> {
  const decompressedVariants = otherBodies.map(
    ({ encoding, body: other }): AnyVariant<Uint8Array> => [
      'body:decompressed',
      1,
      `before it was compressed (${encoding})`,
      other,
    ],
  )
  const encodedVariantsOf = (other: Uint8Array) => encodeTexts(variantsOf(bufferOf(other)))
  return createMistakeGroup<Uint8Array>({
    variants: [...decompressedVariants, ...encodedVariantsOf(body)],
    twice: () => [
      ...combineMismatches(decompressedVariants, encodedVariantsOf),
      ...encodeTexts(takeUpTo(MAX_CHARACTERS.twice, twiceChangedJson(bufferOf(body)))),
    ],
    // A missing body is a mistake of the layout.
    except: [body, Buffer.alloc(0)],
    keyOf: (value) => hash('sha1', value, 'base64'),
    describe: (how) => ({
      what: `Signed over the body ${how}.`,
      fix: signer === 'service' ? `${FIX} ${FIX_ON_THE_WAY}` : FIX,
    }),
  })
}

/** Encodes the texts, without duplicates. */
function encodeTexts(variants: readonly Variant[]): AnyVariant<Uint8Array>[] {
  const seen = new Set<Variant[3]>()
  return variants
    .filter(([, , , body]) => seen.size < seen.add(body).size)
    .map(([cause, rank, how, body, earlier]) => [
      cause,
      rank,
      how,
      typeof body === 'string' ? Buffer.from(body) : body,
      earlier,
    ])
}

/** Returns the body before it was compressed, if it can be decoded. */
export async function decompressBody(
  body: Uint8Array,
  encodings: readonly string[],
): Promise<KnownBody[]> {
  const { bytes, end, encodings: decodedEncodings } = await decodeBody(body, encodings)
  return end === 'whole' && decodedEncodings.length > 0
    ? [{ encoding: decodedEncodings.join(', '), body: bytes }]
    : []
}
