/** Re-serializes JSON bodies in the styles of common serializers. */
import { combineVariants, variant, type Variant } from './mistake.ts'
import type { JsonNode } from '../../../shared/json/tree.ts'
import {
  asWritten,
  floatNumber,
  shortNumber,
  textSpelling,
  writeJson,
  type Spelling,
} from './json-spelling.ts'
import { createJsonWriter, peculiaritiesOf } from './json-writer.ts'

type SerializerStyle = Variant<Partial<Spelling>>

const spaced = { comma: ', ', colon: ': ' }
const pretty = { indent: '  ', colon: ': ' }
const pretty4 = { indent: '    ', colon: ': ' }
const tabs = { indent: '\t', colon: ': ' }
const jackson = { indent: '  ', colon: ' : ' }

export function serializerStyles(): SerializerStyle[] {
  const ascii = textSpelling({ ascii: 'lower' })
  const upper = textSpelling({ ascii: 'upper' })
  const slashed = textSpelling({ ascii: 'lower', slashes: true })
  const slashes = textSpelling({ slashes: true })
  const go = textSpelling({ escaped: /[<>&\u2028\u2029]/ })
  const gson = textSpelling({ escaped: /[<>&='\u2028\u2029]/ })
  const dotnet = textSpelling({ escaped: /[<>&'"+`]/, ascii: 'upper' })
  const php = { indent: '    ', colon: ': ', text: slashed }
  return [
    variant('body:compact', 1, 'on one line', {}),
    variant(
      'body:spaced-escaped',
      1,
      "like Python's default: spaces after commas and colons, \\u escapes",
      { ...spaced, text: ascii },
    ),
    variant('body:spaced', 1, 'with a space after each comma and colon, like Python', spaced),
    variant('body:pretty', 1, 'with an indent of 2', pretty),
    variant('body:pretty-4', 2, 'with an indent of 4', pretty4),
    variant('body:pretty-4', 3, 'with an indent of 4, \\u escapes', { ...pretty4, text: ascii }),
    variant('body:pretty', 3, 'with an indent of 2, \\u escapes', { ...pretty, text: ascii }),
    variant('body:pretty-tab', 2, 'with tabs', tabs),
    variant(
      'body:pretty',
      2,
      'with an indent of 2 and spaces around colons, like Jackson',
      jackson,
    ),
    variant(
      'body:pretty',
      3,
      'like Swift: indented, with spaces around colons and escaped slashes',
      { ...jackson, text: slashes },
    ),
    variant('body:escaped', 1, 'with \\u escapes', { text: ascii }),
    variant('body:escaped', 2, 'with uppercase \\u escapes', { text: upper }),
    variant('body:slashes', 1, 'with escaped slashes and \\u escapes, like PHP', { text: slashed }),
    variant('body:slashes', 2, 'with escaped slashes', { text: slashes }),
    variant('body:slashes', 3, 'like PHP: indented, with escaped slashes and \\u escapes', php),
    variant('body:empty-objects', 3, 'like PHP, with empty objects as empty lists', {
      text: slashed,
      emptyObject: '[]',
    }),
    variant('body:sorted', 1, 'with sorted keys', { sortKeys: true }),
    variant('body:sorted', 2, 'like Python, with sorted keys', {
      ...spaced,
      text: ascii,
      sortKeys: true,
    }),
    variant('body:sorted', 2, 'with sorted keys and \\u escapes', { text: ascii, sortKeys: true }),
    variant('body:sorted', 2, "with shorter keys first, like PostgreSQL's jsonb", {
      ...spaced,
      sortKeys: 'length',
    }),
    variant('body:sorted', 3, 'with sorted keys and spaces', { ...spaced, sortKeys: true }),
    variant('body:html-escaped', 1, 'with <, > and & escaped, like Go', { text: go }),
    variant('body:html-escaped', 1, 'with sorted keys and <, > and & escaped, like Go', {
      text: go,
      sortKeys: true,
    }),
    variant('body:html-escaped', 2, 'with <, >, &, = and quotes escaped, like Gson', {
      text: gson,
    }),
    variant('body:html-escaped', 2, 'with everything beyond ASCII escaped, like .NET', {
      text: dotnet,
    }),
  ]
}

/** Combines indents with other styles, which serializers rarely do by default. */
export function unusualStyles(): SerializerStyle[] {
  const styles = serializerStyles()
  const indents = styles.filter(
    ({ value: { indent, text } }) => indent !== undefined && text === undefined,
  )
  const others = styles.filter(
    ({ value: { indent, comma, text, sortKeys } }) =>
      indent === undefined && comma === undefined && (text ?? sortKeys) !== undefined,
  )
  return indents.flatMap((indented) =>
    others.map((other) =>
      combineVariants(indented, { ...other, value: { ...indented.value, ...other.value } }),
    ),
  )
}

/** Creates a writer that prints a tree in any style, with up to three forms of its numbers. */
export function createStylist(tree: JsonNode) {
  const peculiarities = peculiaritiesOf(tree)
  const { numbers, duplicates, indexKeys } = peculiarities
  const write = createJsonWriter(tree, peculiarities)
  const plain = textSpelling()
  return {
    write,
    restyled: (style: SerializerStyle): Variant<string>[] => {
      const spelling = { ...asWritten, text: plain, keepDuplicates: !duplicates, ...style.value }
      const printed = (others: Partial<Spelling>, rank = style.rank): Variant<string> => ({
        causes: style.causes,
        rank,
        how: `parsed and re-serialized ${style.how}`,
        value: write({ ...spelling, ...others }),
      })
      return [
        printed({}),
        ...(numbers || indexKeys ? [printed({ number: shortNumber, indexKeysFirst: true })] : []),
        ...(numbers ? [printed({ number: floatNumber }, style.rank + 1)] : []),
      ]
    },
  }
}

/** Finds the whitespace between tokens; null if no serializer writes it. */
export function whitespaceOf(tree: JsonNode, text: string): Partial<Spelling> | null {
  return (
    [{}, spaced, pretty, pretty4, tabs, jackson].find(
      (layout) => writeJson(tree, { ...asWritten, ...layout }) === text,
    ) ?? null
  )
}
