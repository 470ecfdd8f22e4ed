/** Bodies that rare mistakes make: other numbers and keys, escaped quotes, and bytes as languages print them. */
import { createRewriter, rareKeys, withoutNull } from './body-values.ts'
import {
  asWritten,
  mapJson,
  textSpelling,
  writeJson,
  type RawJson,
  type Spelling,
} from './json-spelling.ts'
import type { Variant as AnyVariant } from './mismatch.ts'
import { javaDouble, rareNumberForms, seventeenDigits } from './number-forms.ts'
import { printedBytes } from './printed-text.ts'

type Variant = AnyVariant<string>

/** What Gson escapes by default. */
export const GSON_ESCAPES = /[<>&='\u2028\u2029]/

const backslash = (text: string, characters: RegExp) => text.replaceAll(characters, String.raw`\$&`)
const scriptString = (text: string) => backslash(JSON.stringify(text).slice(1, -1), /'/g)

/** How gateways and frameworks escape the quotes of a text. */
const quotesEscaped: readonly (readonly [how: string, escape: (text: string) => string])[] = [
  [String.raw`' as \', like API Gateway's escapeJavaScript`, (text) => backslash(text, /'/g)],
  ["' as &#39;", (text) => text.replaceAll("'", '&#39;')],
  ['quotes escaped, like escapeJavaScript', scriptString],
  [
    'quotes and slashes escaped, like escapeJavaScript',
    (text) => backslash(scriptString(text), /\//g),
  ],
  ["quotes escaped, like PHP's addslashes", (text) => backslash(text, /['"\\]/g)],
]

const AMOUNTS = /("amount"\s*:\s*)(-?\d+(?:\.\d+)?)/g

/** A body that is JSON, and how to write it in its own layout; null if no serializer writes that. */
interface JsonBody {
  readonly tree: RawJson
  readonly inOwnLayout: ((spelling: Partial<Spelling>) => string) | null
}

function* withOtherNumbers(text: string, { tree, inOwnLayout }: JsonBody): Generator<Variant> {
  if (inOwnLayout !== null)
    for (const [example, number] of rareNumberForms)
      yield ['body:numbers', 4, `with reformatted numbers (${example})`, inOwnLayout({ number })]
  yield [
    'body:numbers',
    4,
    'with amounts in two decimals',
    text.replaceAll(AMOUNTS, (_, key: string, amount: string) => key + Number(amount).toFixed(2)),
  ]
  const gson = textSpelling({ escaped: GSON_ESCAPES })
  const number = (raw: string) => javaDouble(Number(raw))
  yield [
    'body:numbers',
    4,
    'parsed and re-serialized like Gson: 12 as 12.0, without nulls',
    writeJson(mapJson(tree, withoutNull) ?? tree, { ...asWritten, text: gson, number }),
  ]
  const php = textSpelling({ ascii: 'lower', slashes: true })
  yield [
    'body:numbers',
    4,
    'parsed and re-serialized like PHP: 277.2 as 277.19999999999999, with escaped slashes',
    writeJson(tree, { ...asWritten, text: php, number: seventeenDigits }),
  ]
}

function* rarely(bytes: Buffer, text: string, json: JsonBody | null): Generator<Variant> {
  for (const [how, escape] of quotesEscaped)
    yield ['body:escaped-quotes', 4, `with ${how}`, escape(text)]
  if (json !== null) {
    yield* withOtherNumbers(text, json)
    const rewrite = createRewriter(text)
    for (const [cause, how, change] of rareKeys) yield [cause, 4, how, rewrite(change)]
  }
  for (const [how, print] of printedBytes)
    yield ['body:printed', 4, `printed ${how}`, print(text, bytes)]
}

/** Yields the bodies of rare mistakes, likeliest first, without those that are the body itself. */
export function* rareBodies(
  bytes: Buffer,
  text: string,
  json: JsonBody | null,
): Generator<Variant> {
  for (const variant of rarely(bytes, text, json)) if (variant[3] !== text) yield variant
}
