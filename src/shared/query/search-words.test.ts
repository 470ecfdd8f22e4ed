import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import {
  deliveryHasWords,
  matchExpression,
  SEARCHED_BYTES,
  splitWords,
  wordsOfDelivery,
  type SearchedParts,
} from './search-words.ts'
import { times } from '../../../test/support/long-form.ts'

test.each([
  ['', []],
  [' \t\n .,;', []],
  ['Coffee House, 2nd', ['coffee', 'house', '2nd']],
  ['Café CAFÉ cafe\u0301', ['cafe', 'cafe', 'cafe']],
  ['{"card":{"lastNumbers":"4001"}}', ['card', 'lastnumbers', '4001']],
  ['transaction.auth_qualified', ['transaction', 'auth', 'qualified']],
  ['-12.50', ['12', '50']],
  ['ﬁne ①', ['fine', '1']],
  ['東京 Café タワー2', ['東', '京', 'cafe', 'タ', 'ワ', 'ー', '2']],
  ['대한민국', ['대', '한', '민', '국']],
  ['ระบบ', ['ร', 'ะ', 'บ', 'บ']],
  ['İstanbul ΟΔΟΣ', ['istanbul', 'οδοσ']],
  ['a\ud800b', ['a', 'b']],
  ['a\0b', ['a', 'b']],
] as const)('the words of %j', (text, words) => {
  expect(splitWords(text)).toEqual(words)
})

test('a very long word counts by its beginning, in whole characters', () => {
  expect(splitWords('x'.repeat(1_000))).toEqual(['x'.repeat(256)])
  const astral = `a${'𐐨'.repeat(200)}`
  expect(splitWords(astral)[0]?.isWellFormed()).toBe(true)
  expect(splitWords(astral)[0]?.length).toBe(255)
})

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom(
      'a',
      'É',
      'e\u0301',
      'İ',
      'Σ',
      'ς',
      'ß',
      '½',
      'ﷺ',
      '東',
      '\ud83d',
      ' ',
      '.',
      'ǅ',
      'ϓ',
      '\u0345',
    ),
  }),
)

property.prop([text], { numRuns: times(30, 3_000) })(
  'words joined by spaces split into the same words',
  (given) => {
    const words = splitWords(given)
    expect(splitWords(words.join(' '))).toEqual(words)
  },
)

property.prop([text], { numRuns: times(30, 3_000) })(
  'the same text in another form or case has the same words',
  (given) => {
    expect(splitWords(given.normalize('NFD'))).toEqual(splitWords(given))
    expect(splitWords(given.normalize('NFC'))).toEqual(splitWords(given))
  },
)

const bytes = (given: string) => new TextEncoder().encode(given)
const parts = (body: string): SearchedParts => ({
  path: '/h/payments?a=1',
  headers: [['X-Request-Id', 'Réf-7']],
  body: bytes(body),
})
const delivery = (body: string) => wordsOfDelivery(parts(body))

test('a delivery is searched in its path, headers and body', () => {
  expect(delivery('{"shop":"Coffee House"}')).toEqual(
    'h payments a 1 x request id ref 7 shop coffee house'.split(' '),
  )
})

test('JSON escapes are decoded', () => {
  expect(delivery(String.raw`{"a":"caf\u00e9\nna\u00efve \"q\" \ud83d\ude00"}`).slice(9)).toEqual([
    'a',
    'cafe',
    'naive',
    'q',
  ])
  expect(delivery(String.raw`plain \u00e9`).slice(9)).toEqual(['plain', 'u00e9'])
})

test('only the beginning of a large body is searched', () => {
  const words = delivery(`"${'coffee '.repeat(SEARCHED_BYTES)}tea"`)
  expect([words.includes('coffee'), words.includes('tea')]).toEqual([true, false])
})

test.each([
  ['pay', true, true],
  ['pay', false, false],
  ['RÉF', false, true],
  ['coffee', false, true],
  ['coff', true, true],
  ['coff', false, false],
  ['coffee hou', true, true],
  ['coffee house', false, true],
  ['house coffee', false, false],
  ['ref 7 shop', false, true],
  ['house and', true, false],
  ['', true, false],
])('%j (prefix: %s) is found: %s', (text, prefix, found) => {
  expect(
    deliveryHasWords(parts('{"shop":"Coffee House"}'), { words: splitWords(text), prefix }),
  ).toBe(found)
})

test('text in a script without spaces is found anywhere in a sentence, in order', () => {
  const name = '株式会社スターバックス東京駅前店 대한민국서울 ทดสอบระบบ'
  const finds = (text: string) =>
    deliveryHasWords(parts(`{"shop":"${name}"}`), { words: splitWords(text), prefix: false })
  expect(
    ['株式会社', 'スターバックス', 'ﾊﾞｯｸｽ', '東京駅', '民国', '민국', 'ระบบ', '駅'].map(finds),
  ).toEqual([true, true, true, true, false, true, true, true])
  expect(finds('京東')).toBe(false)
})

test('the index expression has the same meaning', () => {
  expect(matchExpression({ words: ['coffee', 'hou'], prefix: true })).toBe('"coffee hou" *')
  expect(matchExpression({ words: ['coffee'], prefix: false })).toBe('"coffee"')
})
