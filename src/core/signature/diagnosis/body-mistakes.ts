/** Bodies that a signer may have signed instead of the sent bytes. */
import { hash } from 'node:crypto'
import type { DiagnosisInput } from './diagnosis-input.ts'
import {
  combineLikely,
  combineVariants,
  describeVariants,
  MAX_PAIR_RANK,
  variant,
  type PartMistakes,
  type Variant,
} from './mistake.ts'
import { recodedBodies } from './body-encoding-mistakes.ts'
import { rareBodies, typedJsonVariants } from './json-value-mistakes.ts'
import { pythonBytes, pythonString, printedObjects } from './printed-forms.ts'
import type { JsonNode } from '../../../shared/json/tree.ts'
import {
  asWritten,
  floatNumber,
  textSpelling,
  writeJson,
  type Spelling,
  readShallowJson,
} from './json-spelling.ts'
import {
  createStylist,
  serializerStyles,
  unusualStyles,
  whitespaceOf,
} from './serializer-styles.ts'

type BodyVariant = Variant<Uint8Array | string>

/** Size in bytes above which a body isn't re-serialized. */
const MAX_REWRITTEN_BYTES = 262_144

const FIX = 'Sign the exact bytes of the request body, before anything parses or changes them.'
const FIX_ON_THE_WAY =
  'If the service signed it, something changed the body on its way, such as a proxy: pass the bytes on unchanged.'

/** Returns the JSON with one deviation in its spelling, and as serializers print it. */
function jsonVariants(tree: JsonNode, text: string): BodyVariant[] {
  const { write, restyled } = createStylist(tree)
  const whitespace = whitespaceOf(tree, text)
  const json = (spelling: Partial<Spelling>) => write({ ...asWritten, ...whitespace, ...spelling })
  const precise: BodyVariant[] = [
    variant('body:duplicate-keys', 2, 'without duplicate keys', json({ keepDuplicates: false })),
    variant('body:unescaped', 1, 'with escapes decoded', json({ text: textSpelling() })),
    variant(
      'body:key-order',
      2,
      'with numeric keys first, like JavaScript',
      json({ indexKeysFirst: true }),
    ),
    variant('body:sorted', 1, 'with sorted keys', json({ sortKeys: true })),
    variant(
      'body:empty-objects',
      3,
      'with empty objects as empty lists, like PHP',
      json({ emptyObject: '[]' }),
    ),
  ]
  return [
    variant('body:compact', 1, 'without whitespace between tokens', write(asWritten)),
    ...(whitespace === null ? [] : precise),
    ...serializerStyles().flatMap(restyled),
  ]
}

function printedVariants(tree: JsonNode): BodyVariant[] {
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
    variant('body:printed', 2, 'printed as a Python dictionary', writeJson(tree, python)),
    variant('body:printed', 2, 'printed as a JavaScript object', '[object Object]'),
  ]
}

function wrappedVariants(bytes: Buffer, text: string): BodyVariant[] {
  const variants: BodyVariant[] = [
    variant(
      'body:json-string',
      1,
      'as a JSON string: it was serialized twice',
      JSON.stringify(text),
    ),
    variant(
      'body:json-string',
      3,
      'as a JSON string with escaped slashes',
      JSON.stringify(text).replaceAll('/', String.raw`\/`),
    ),
    variant('body:base64', 3, 'in Base64', bytes.toString('base64')),
    variant('body:digest', 3, 'by its SHA-256 in hexadecimal', hash('sha256', bytes, 'hex')),
    variant('body:digest', 4, 'by its SHA-256 in Base64', hash('sha256', bytes, 'base64')),
    variant('body:printed', 2, 'printed as Python bytes', pythonBytes(bytes)),
    ...printedObjects.map((how) => variant('body:printed', 4, `printed as ${how}`, how)),
    variant('body:unset', 3, 'as the string "undefined"', 'undefined'),
    variant('body:unset', 3, 'as the string "null"', 'null'),
    variant('body:unset', 3, 'as an empty object: a parser had already consumed the body', '{}'),
  ]
  try {
    const form = text.replaceAll('+', ' ')
    variants.push(variant('body:form-decoded', 3, 'decoded as a form', decodeURIComponent(form)))
    variants.push(variant('body:form-encoded', 3, 'percent-encoded', encodeURIComponent(text)))
    variants.push(
      variant(
        'body:form-encoded',
        3,
        'encoded as a form',
        new URLSearchParams([['', text]]).toString().slice(1),
      ),
    )
  } catch {
    variants.push(variant('body:form-decoded', 3, 'decoded as a form', text.replaceAll('+', ' ')))
  }
  try {
    const inner: unknown = JSON.parse(text)
    if (typeof inner === 'string')
      variants.push(variant('body:json-string', 1, 'unwrapped from its JSON string', inner))
  } catch {
    // Not JSON
  }
  return variants
}

const isSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

function largeBodyVariants(bytes: Buffer): BodyVariant[] {
  let start = 0
  let end = bytes.length
  while (start < end && isSpace(bytes[start])) start++
  while (end > start && isSpace(bytes[end - 1])) end--
  const mark = Buffer.from('\ufeff')
  return [
    variant('body:trimmed', 1, 'without surrounding whitespace', bytes.subarray(start, end)),
    variant(
      'body:newline',
      1,
      'with a trailing newline',
      Buffer.concat([bytes, Buffer.from('\n')]),
    ),
    ...(bytes.subarray(0, mark.length).equals(mark)
      ? [
          variant(
            'body:byte-order-mark',
            1,
            'without its byte order mark',
            bytes.subarray(mark.length),
          ),
        ]
      : []),
  ]
}

function parseBody(bytes: Buffer) {
  const text = bytes.toString('utf8')
  return { text, tree: readShallowJson(text.startsWith('\ufeff') ? text.slice(1) : text) }
}

function variantsOf(bytes: Buffer): BodyVariant[] {
  if (bytes.length > MAX_REWRITTEN_BYTES) return largeBodyVariants(bytes)
  const { text, tree } = parseBody(bytes)
  const rewritten = tree === null ? [] : [...jsonVariants(tree, text), ...printedVariants(tree)]
  return [
    ...recodedBodies(bytes, text),
    ...(tree === null ? [] : typedJsonVariants(text, tree, whitespaceOf(tree, text))),
    ...rewritten,
    ...wrappedVariants(bytes, text),
    ...rewritten.filter(({ rank }) => rank <= 2).flatMap(withLineEnds),
    ...takeUpTo(MAX_CHARACTERS.rare, rareBodies(bytes, text)),
  ]
}

/** Returns re-serialized JSON with the line ends that its program may write. */
function withLineEnds({ causes, rank, how, value }: BodyVariant): BodyVariant[] {
  const [cause = ''] = causes
  const isPretty = cause.startsWith('body:pretty')
  const crlf = { causes, rank: rank + 1, how: `${how} and CR LF` }
  const newline = { causes, rank: rank + 2, how: `${how}, with a trailing newline` }
  return [
    ...(isPretty ? [{ ...crlf, value: String(value).replaceAll('\n', '\r\n') }] : []),
    ...(isPretty || cause === 'body:compact' || cause === 'body:html-escaped'
      ? [{ ...newline, value: `${String(value)}\n` }]
      : []),
  ]
}

/** Maximum number of characters to write, for rare mistakes and for two at once. */
const MAX_CHARACTERS = { rare: 60_000, pairs: 150_000 }

function takeUpTo(maxCharacters: number, bodies: Iterable<BodyVariant>): BodyVariant[] {
  const variants: BodyVariant[] = []
  let characters = 0
  for (const body of bodies) {
    variants.push(body)
    characters += body.value.length
    if (characters > maxCharacters) break
  }
  return variants
}

/** Yields a JSON body with two mistakes at once. */
function* twiceChangedJson(bytes: Buffer): Generator<BodyVariant> {
  if (bytes.length > MAX_REWRITTEN_BYTES) return
  const { tree } = parseBody(bytes)
  if (tree === null) return
  const { restyled: restyledOnce } = createStylist(tree)
  for (const style of unusualStyles()) yield* restyledOnce(style)
  const styles = serializerStyles()
  const compact = writeJson(tree, asWritten)
  const typedBodies = typedJsonVariants(compact, tree, {}).toSorted((a, b) => a.rank - b.rank)
  for (const typed of typedBodies) {
    const { value: json } = typed
    const reparsed = json === compact ? null : readShallowJson(json)
    if (reparsed === null) continue
    const { restyled } = createStylist(reparsed)
    const seconds = [
      ...(typed.causes.includes('body:no-nulls') ? typedJsonVariants(json, reparsed, null) : []),
      ...styles.filter(({ rank }) => typed.rank + rank <= MAX_PAIR_RANK).flatMap(restyled),
    ]
    for (const second of seconds) yield combineVariants(typed, second)
  }
}

const bufferOf = (body: Uint8Array) => Buffer.from(body.buffer, body.byteOffset, body.byteLength)

export function bodyMistakes({
  body,
  signer,
  otherBodies,
}: DiagnosisInput): PartMistakes<Uint8Array> {
  const decompressed = otherBodies.map(({ encoding, body: other }) =>
    variant('body:decompressed', 1, `before it was compressed (${encoding})`, other),
  )
  const encodedVariantsOf = (other: Uint8Array) => encodeTexts(variantsOf(bufferOf(other)))
  return describeVariants<Uint8Array>({
    variants: [...decompressed, ...encodedVariantsOf(body)],
    pairsOf: () => [
      ...combineLikely(decompressed, encodedVariantsOf),
      ...encodeTexts(takeUpTo(MAX_CHARACTERS.pairs, twiceChangedJson(bufferOf(body)))),
    ],
    // A missing body is a mistake of the layout.
    except: [body, Buffer.alloc(0)],
    identityOf: (value) => hash('sha1', value, 'base64'),
    describe: ({ how }) => ({
      what: `Signed over the body ${how}.`,
      fix: signer === 'service' ? `${FIX} ${FIX_ON_THE_WAY}` : FIX,
    }),
  })
}

function encodeTexts(variants: readonly BodyVariant[]): Variant<Uint8Array>[] {
  const seen = new Set<Uint8Array | string>()
  return variants
    .filter(({ value }) => seen.size < seen.add(value).size)
    .map((one) => ({
      ...one,
      value: typeof one.value === 'string' ? Buffer.from(one.value) : one.value,
    }))
}
