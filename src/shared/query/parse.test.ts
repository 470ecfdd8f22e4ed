import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { expressionsOf } from '../../../test/support/query-arbitraries.ts'
import { AppError } from '../contract/errors.ts'
import type { Expression, Item } from './expression.ts'
import { fieldNames, fieldOf } from './fields.ts'
import { parsePieces, parseQuery, readQuery } from './parse.ts'
import { listQuery, namesFlowRuns, unlistedFlags } from './selected-values.ts'
import { leaveOut } from './unlisted.ts'
import { printQuery } from '../../../test/support/print-query.ts'
import type { QueryProblem } from './problem.ts'
import { times } from '../../../test/support/long-form.ts'

/** Syntax with a meaning in the language, and syntax without. */
const odd = [
  'a b',
  '"',
  '\\',
  'x\\"y',
  'OR',
  'NOT',
  '-',
  '(',
  ')',
  ':',
  '//a',
  'é',
  '東京',
  '\ud83d\ude00',
  '{',
  ',',
  "it's",
  'a..b',
  '*',
  'a:b',
]
const expressions = expressionsOf({
  words: [
    'coffee',
    'coffee house',
    'OR',
    'AND x',
    '-a',
    '(b',
    'a:b',
    '10:30',
    'https://a.example/x',
    'é',
    '"q"',
    'a\\b',
  ],
  values: ['transaction.auth', 'visa', ...odd],
  headers: ['content-type', 'x-a', '3d'],
  keys: [
    'card',
    'amount',
    'event',
    'is',
    'header',
    'a b',
    '',
    '"',
    '\\',
    'é',
    '$x',
    '0',
    'a-b',
    '\ud800',
    ']',
    'evnet',
  ],
  json: ['{}', '{"a":[1,{"b":"}"}]}', '{ "x" : null }'],
  times: [
    '2h',
    '2026-11-20',
    '2026-11-20T10:00',
    '14:03',
    'today',
    'now',
    '2026-11-20T10:00:00.5+02:00',
  ],
})

property.prop([expressions], { numRuns: times(30, 3_000) })(
  'what is printed parses to the same expression',
  (expression) => {
    expect(parseQuery(printQuery(expression))).toEqual(expression)
  },
)

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom(
      ...[
        '"',
        '\\',
        ':',
        '-',
        ' ',
        '\t',
        '*',
        '(',
        ')',
        '{',
        '}',
        '[',
        ']',
        ',',
        '..',
        '<',
        '>',
        '=',
        '$',
        '.',
        'a',
        '1',
        '\0',
      ],
      ...[
        'OR ',
        ' AND ',
        ' NOT ',
        'is:',
        'event:',
        'amount',
        'after:',
        '2h',
        'header',
        'evnet:',
        'valid',
        'é',
      ],
    ),
    maxLength: 24,
  }),
)

property.prop([text], { numRuns: times(30, 3_000) })(
  'any text is a query that prints and parses the same, or an error that points into it',
  (given) => {
    let parsed: ReturnType<typeof parsePieces>
    try {
      parsed = parsePieces(given)
    } catch (error) {
      expect(error).toBeInstanceOf(AppError)
      expect((error as AppError).code).toBe('INVALID_QUERY')
      const { at, length } = (error as AppError).details as QueryProblem
      expect(at).toBeGreaterThanOrEqual(0)
      expect(length).toBeGreaterThanOrEqual(0)
      expect(at + length).toBeLessThanOrEqual(given.length)
      return
    }
    expect(parseQuery(printQuery(parsed.expression))).toEqual(parsed.expression)
    // The pieces cover everything except whitespace and AND.
    const left = parsed.pieces
      .toReversed()
      .reduce((rest, { from, to }) => rest.slice(0, from) + rest.slice(to), given)
    expect(left.replaceAll(/\s|AND|\(\)/g, '')).toBe('')
  },
)

const bare = (one: string): Item => ({ quoted: false, text: one })
const field = (name: (typeof fieldNames)[number], ...values: string[]): Expression => ({
  kind: 'term',
  name: { kind: 'field', field: name },
  items: values.map(bare),
})
const path = (steps: readonly (string | number)[], ...values: string[]): Expression => ({
  kind: 'term',
  name: { kind: 'path', steps },
  items: values.map(bare),
})
const words = (one: string, exact = false): Expression => ({ kind: 'words', text: one, exact })

describe('a query', () => {
  test.each<[string, Expression]>([
    ['', { kind: 'all', of: [] }],
    [' \t ', { kind: 'all', of: [] }],
    ['coffee', words('coffee')],
    ['"coffee house"', words('coffee house', true)],
    ['"coffee hou"*', words('coffee hou')],
    ['EVENT:card.linked', field('event', 'card.linked')],
    ['event:a,b', field('event', 'a', 'b')],
    ['a b', { kind: 'all', of: [words('a'), words('b')] }],
    ['a AND b', { kind: 'all', of: [words('a'), words('b')] }],
    ['a b OR c', { kind: 'any', of: [{ kind: 'all', of: [words('a'), words('b')] }, words('c')] }],
    [
      'a (b OR c)',
      { kind: 'all', of: [words('a'), { kind: 'any', of: [words('b'), words('c')] }] },
    ],
    ['-a', { kind: 'not', of: words('a') }],
    ['NOT (a OR b)', { kind: 'not', of: { kind: 'any', of: [words('a'), words('b')] } }],
    ['https://a.example/x', words('https://a.example/x')],
    ['10:30', words('10:30')],
    ['https://a..example:80/x', words('https://a..example:80/x')],
    ['wait...', words('wait...')],
    ['or', words('or')],
    ['card.lastNumbers:4001', path(['card', 'lastNumbers'], '4001')],
    ['$.offer.qualified:true', path(['offer', 'qualified'], 'true')],
    ['$.status:x', path(['status'], 'x')],
    ['items[0].x["a b"]:*', path(['items', 0, 'x', 'a b'], '*')],
    ['$:*', path([], '*')],
    ['amount:<0', path(['amount'], '<0')],
    [
      'header.Content-Type:text/*',
      { kind: 'term', name: { kind: 'header', header: 'Content-Type' }, items: [bare('text/*')] },
    ],
    ['{"card":{"scheme":"visa"}}', { kind: 'json', text: '{"card":{"scheme":"visa"}}' }],
    [
      String.raw`path:"/a \"b\" \\c",/d`,
      {
        kind: 'term',
        name: { kind: 'field', field: 'path' },
        items: [{ quoted: true, text: String.raw`/a "b" \c` }, bare('/d')],
      },
    ],
  ])('%j', (given, expected) => {
    expect(parseQuery(given)).toEqual(expected)
  })

  test.each([
    ['amount:\u22125', 'amount:-5'],
    ['amount:<\u22120.5', 'amount:<-0.5'],
    ['amount:\u22125..\u22120.5,\u22121', 'amount:-5..-0.5,-1'],
    ['\u2212is:valid', '-is:valid'],
  ])('a minus sign in %j is read as in %j', (given, meant) => {
    expect(parseQuery(given)).toEqual(parseQuery(meant))
  })

  test('a minus sign in text stays', () => {
    for (const text of ['"a\u22125"', 'path:/a\u22125', 'merchant:"\u22125"'])
      expect(JSON.stringify(parseQuery(text))).toContain('\u2212')
  })

  test.each([
    ['is:nonsense', 3, 8, 'valid', 'Use valid'],
    ['a is:', 5, 0, 'valid', 'has no value. Add one'],
    ['-is:inval', 4, 5, 'invalid', 'Did you mean is:invalid?'],
    ['event:a, b', 8, 0, 'transaction.*', 'has no value. Add one'],
    ['verdct:invalid', 0, 6, 'verdict:', 'Did you mean verdict:?'],
    ['status:abc', 7, 3, '500..599', 'Expected a number'],
    ['response:faling', 9, 6, 'failing', 'Expected failing, none, a number'],
    ['size:>1xb', 5, 4, '>100kB', 'Expected a size'],
    ['after:2y', 6, 2, '2h', 'Expected a time'],
    ['after:2026-02-30', 6, 10, '2h', 'Expected a time'],
    ['within:2026-11-20', 7, 10, '10m', 'a duration'],
    ['amount:<', 7, 1, '>100', 'is incomplete'],
    ['amount:1..b', 7, 4, null, 'mixes a number and text'],
    ['a "never closed', 2, 13, '"never closed"', 'Missing closing quote'],
    ['(a b', 0, 1, null, 'Missing closing parenthesis'],
    ['a b)', 3, 1, null, 'Unexpected closing parenthesis'],
    ['()', 0, 2, null, 'Nothing between'],
    ['a OR', 2, 2, null, 'OR needs a term on both sides'],
    ['OR a', 0, 2, null, 'OR needs a term on both sides'],
    ['a AND', 2, 3, null, 'AND needs a term on both sides'],
    ['a NOT', 2, 3, 'NOT is:valid', 'Nothing follows NOT'],
    ['{"a":1', 0, 1, null, 'Missing closing brace'],
    ['x {"a":1 "b":2}', 9, 1, null, 'Invalid JSON'],
    ['items[*].sku:A1', 0, 12, 'items.sku:', 'leave out the brackets'],
    ['status >= 400', 7, 2, null, 'Add letters or digits'],
    ['status:500-599', 7, 7, '500..599', 'Expected a number, a comparison or a range'],
    ['a..b:1', 0, 4, 'a.b:', "isn't a valid path"],
    ['x $.:1', 2, 2, '$:', "isn't a valid path"],
    ['$.card.:visa', 0, 7, '$.card:', "isn't a valid path"],
    ['items[x].sku:A1', 0, 12, null, "isn't a valid path"],
  ])(
    '%j points at character %i, %i long, and suggests %j: %s',
    (given, at, length, suggestion, sentence) => {
      let thrown: unknown
      try {
        parseQuery(given)
      } catch (error) {
        thrown = error
      }
      expect(thrown).toBeInstanceOf(AppError)
      const { code, message, details } = thrown as AppError
      expect(code).toBe('INVALID_QUERY')
      expect(message).toContain(sentence)
      expect(message).toContain(`(at character ${at + 1})`)
      expect(details).toMatchObject({
        at,
        length,
        pointer: `${given}\n${' '.repeat(at)}${'^'.repeat(Math.max(1, length))}`,
      })
      if (suggestion !== null) expect((details as QueryProblem).suggestions).toContain(suggestion)
    },
  )

  test("queries beyond the database's limits are rejected at the position of the excess", () => {
    expect(() => parseQuery('a '.repeat(201))).toThrow('(at character 401)')
    expect(() => parseQuery(`event:${'a,'.repeat(200)}a`)).toThrow('200 terms')
    expect(() => parseQuery('a-'.repeat(101))).toThrow('a phrase can have 100 words')
    expect(() => parseQuery('a-'.repeat(100))).not.toThrow()
    expect(() => parseQuery('('.repeat(41) + 'a' + ')'.repeat(41))).toThrow('(at character 41)')
    expect(() => parseQuery(`${'-'.repeat(41)}a`)).toThrow('Too many nested levels')
  })

  test.each([
    ['Pedal & Spoke', 'Pedal Spoke'],
    ['Toys — "R" Us !', 'Toys "R" Us'],
    ['☕ (Bar @ Work)', '(Bar Work)'],
    ['pedal | spoke', 'pedal spoke'],
  ])('signs between words are part of a text: %s', (given, same) => {
    expect(parseQuery(given)).toEqual(parseQuery(same))
  })

  test('a name with a minus in front is not one of these signs', () => {
    for (const name of ['-$:☕', '--$:☕'])
      expect(parseQuery(`bar ${name}`)).toEqual({
        kind: 'all',
        of: [parseQuery('bar'), parseQuery(name)],
      })
  })

  test('card: and last4: read the card of a transaction, and a card itself', () => {
    const read = (query: string) => readQuery(query, { now: 0, hooks: [] })
    expect(read('last4:4001')).toEqual(read('card.lastNumbers:4001 OR lastNumbers:4001'))
    expect(JSON.stringify(read('card:visa'))).toContain('["card","scheme"]')
  })

  test.each([
    ['', ['is:flow', 'is:composed']],
    ['coffee -id:0199* -hook:refunds path:/h/flow-x', ['is:flow', 'is:composed']],
    ['has:note is:valid', ['is:flow', 'is:composed']],
    ['is:flow', ['is:composed']],
    ['coffee -is:flow', ['is:composed']],
    ['coffee OR (is:valid,ANY)', []],
    ['-flow:card-*', ['is:composed']],
    ['id:0199*', []],
    ['-(is:valid -hook:refunds)', ['is:composed']],
    ['is:composed', ['is:flow']],
    ['name:big-*', ['is:flow']],
    ['-has:name', ['is:flow']],
  ] as const)('the list of "%s" leaves out %j', (given, flags) => {
    const asked = readQuery(given, { now: 0, hooks: [] })
    expect(namesFlowRuns(parseQuery(given))).toBe(!new Set<string>(flags).has('is:flow'))
    expect(unlistedFlags(parseQuery(given))).toEqual(flags)
    expect(listQuery(given, asked)).toEqual(
      flags.length === 0 ? asked : { kind: 'all', of: [asked, leaveOut(flags)] },
    )
  })

  test('pieces are the top-level terms; terms joined by OR are one piece', () => {
    const pieces = (given: string) =>
      parsePieces(given).pieces.map(({ from, to }) => given.slice(from, to))
    expect(pieces(' is:valid  -"a b" (x OR y) AND amount:<0')).toEqual([
      'is:valid',
      '-"a b"',
      '(x OR y)',
      'amount:<0',
    ])
    expect(pieces('is:valid a OR b')).toEqual(['is:valid a OR b'])
    expect(pieces('')).toEqual([])
  })
})

test.each([
  [
    `{status: 'paid', "it's": 'a "b" \\'c\\'', ok: True, none: None,}`,
    '{"status":"paid","it\'s":"a \\"b\\" \'c\'","ok":true,"none":null}',
  ],
  ['{"a"=>[1, {b: nil}, ]}', '{"a":[1,{"b":null}]}'],
  ['body:{"a": 1.50, "b": 2}', '{"a": 1.50, "b": 2}'],
])('an object is accepted as printed by consoles and logs: %s', (given, json) => {
  const { text } = parseQuery(given) as { readonly text: string }
  expect(JSON.parse(text)).toEqual(JSON.parse(json))
  expect(parseQuery(text)).toEqual({ kind: 'json', text })
})

test.each(fieldNames)('the example of %s is a query for that field', (name) => {
  const parsed = parseQuery(fieldOf(name).example)
  expect(parsed).toMatchObject({ kind: 'term', name: { kind: 'field', field: name } })
})
