/** Random queries: every kind of term, combined in every way, in the parser's own form. */
import { fc } from '@fast-check/vitest'
import {
  allOf,
  anyOf,
  type Expression,
  type Item,
  type Name,
} from '../../src/shared/query/expression.ts'
import { fieldNames, fieldOf, type FieldName } from '../../src/shared/query/fields.ts'
import { flagWords } from '../../src/shared/query/flag-words.ts'
import { splitWords } from '../../src/shared/query/search-words.ts'

/** Texts used in terms; they include parts of the deliveries, so that queries match something. */
export interface Vocabulary {
  readonly words: readonly string[]
  readonly values: readonly string[]
  readonly headers: readonly string[]
  readonly keys: readonly string[]
  readonly json: readonly string[]
  readonly times: readonly string[]
}

const bare = (text: fc.Arbitrary<string>): fc.Arbitrary<Item> =>
  text
    .filter((one) => /^[^\s,)"\0][^\s,)\0]*$/.test(one))
    .map((one) => ({ quoted: false, text: one }))
const quoted = (text: fc.Arbitrary<string>): fc.Arbitrary<Item> =>
  text.filter((one) => !one.includes('\0')).map((one) => ({ quoted: true, text: one }))
const items = (one: fc.Arbitrary<Item>) => fc.array(one, { minLength: 1, maxLength: 3 })

function itemsOf(
  name: FieldName,
  { values, headers, times }: Vocabulary,
): fc.Arbitrary<readonly Item[]> {
  const field = fieldOf(name)
  const text = fc.constantFrom(...values)
  const globbed = fc
    .tuple(text, fc.constantFrom('', '*'))
    .map(([one, star]) => star + one.slice(0, 6) + star)
  const number = fc.constantFrom('0', '1', '2', '3', '12', '200', '404', '500', '0.5', '12.25')
  const compared = (of: fc.Arbitrary<string>) =>
    fc.oneof(
      of,
      fc.tuple(fc.constantFrom('<', '<=', '>', '>='), of).map((parts) => parts.join('')),
      fc.tuple(of, of).map((parts) => parts.join('..')),
    )
  switch (field.kind) {
    case 'flag':
      return items(bare(fc.constantFrom(...flagWords(field.of).map(({ word }) => word))))
    case 'choice':
      return items(bare(fc.constantFrom(...Object.keys(field.values))))
    case 'number':
      return items(
        bare(fc.oneof(compared(number), fc.constantFrom('200', ...Object.keys(field.words ?? {})))),
      )
    case 'size':
      return items(bare(compared(fc.oneof(number, fc.constant('0.1kB')))))
    case 'duration':
      return items(bare(compared(fc.oneof(number, fc.constantFrom('1s', '20ms')))))
    case 'time': {
      const time = fc.constantFrom(...times)
      if (field.relation === 'within') return items(bare(fc.constantFrom('10m', '2h', '1.5d')))
      return items(bare(field.relation === 'at' ? compared(time) : time))
    }
    case 'header':
      return items(
        fc.oneof(
          bare(fc.constantFrom(...headers, 'x-*')),
          quoted(
            fc
              .tuple(fc.constantFrom(...headers), text)
              .map(([header, value]) => `${header}: ${value}`),
          ),
        ),
      )
    case 'body':
      return items(
        fc.oneof(bare(text), quoted(text)).filter((item) => splitWords(item.text).length > 0),
      )
    case 'hook':
    case 'paths':
    case 'text':
      return items(fc.oneof(bare(text), bare(globbed), quoted(text)))
  }
}

function termOf(vocabulary: Vocabulary): fc.Arbitrary<Expression> {
  const { words, values, headers, keys, json } = vocabulary
  const field = fc.constantFrom(...fieldNames).chain((name) =>
    fc.record({
      kind: fc.constant('term' as const),
      name: fc.constant<Name>({ kind: 'field', field: name }),
      items: itemsOf(name, vocabulary),
    }),
  )
  const header = fc.record({
    kind: fc.constant('term' as const),
    name: fc.constantFrom(...headers).map((one): Name => ({ kind: 'header', header: one })),
    items: items(
      fc.oneof(
        bare(fc.constantFrom(...values)),
        quoted(fc.constantFrom(...values)),
        bare(fc.constant('*')),
      ),
    ),
  })
  const limit = fc
    .constantFrom('<', '<=', '>', '>=')
    .chain((operator) =>
      fc
        .constantFrom('0', '-12.5', '4001', '9007199254740993', '2026-11-20', 'm')
        .map((value) => operator + value),
    )
  const path = fc.record({
    kind: fc.constant('term' as const),
    name: fc
      .array(
        fc.oneof(
          { weight: 4, arbitrary: fc.constantFrom(...keys) },
          { weight: 1, arbitrary: fc.constantFrom(0, 1) },
        ),
        {
          maxLength: 3,
        },
      )
      .map((steps): Name => ({ kind: 'path', steps })),
    items: items(
      fc.oneof(
        bare(fc.constantFrom(...values)).filter(
          ({ text }) => !text.includes('..') && !/^[<>]/.test(text),
        ),
        quoted(fc.constantFrom(...values)),
        bare(limit),
        bare(
          fc.constantFrom(
            '-20..0',
            '4000..4002',
            'a..n',
            '*',
            'null',
            'true',
            '4001',
            '4001.0',
            '9007199254740993',
          ),
        ),
      ),
    ),
  })
  const free = fc.record({
    kind: fc.constant('words' as const),
    text: fc.constantFrom(...words).filter((text) => splitWords(text).length > 0),
    exact: fc.boolean(),
  })
  const object = fc.record({ kind: fc.constant('json' as const), text: fc.constantFrom(...json) })
  return fc.oneof(
    { weight: 4, arbitrary: field },
    { weight: 1, arbitrary: header },
    { weight: 3, arbitrary: path },
    { weight: 3, arbitrary: free },
    { weight: 1, arbitrary: object },
  )
}

export function expressionsOf(vocabulary: Vocabulary): fc.Arbitrary<Expression> {
  const term = termOf(vocabulary)
  const { tree } = fc.letrec<{ tree: Expression }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      { weight: 3, arbitrary: term },
      { weight: 2, arbitrary: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }).map(allOf) },
      { weight: 2, arbitrary: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }).map(anyOf) },
      { weight: 1, arbitrary: tie('tree').map((of): Expression => ({ kind: 'not', of })) },
    ),
  }))
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant<Expression>({ kind: 'all', of: [] }) },
    { weight: 30, arbitrary: tree },
  )
}
