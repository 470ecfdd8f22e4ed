import { fc, test as property } from '@fast-check/vitest'
import Sqlite, { type Database } from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileJsonPredicate } from '../../../shared/query/json-predicate.ts'
import { readQuery } from '../../../shared/query/parse.ts'
import { searchedBodyText, splitWords } from '../../../shared/query/search-words.ts'
import { bodyMarks } from './indexing.ts'
import { wordsOfJson } from './json-words.ts'

let db: Database
beforeAll(() => {
  db = new Sqlite(':memory:')
  db.exec(
    `CREATE VIRTUAL TABLE words USING fts5 (text, content='', contentless_delete=1, tokenize='ascii')`,
  )
})
afterAll(() => {
  db.close()
})

/** Whether the index would return this body as a candidate. */
function isCandidate(body: string, match: string): boolean {
  const bytes = Buffer.from(body)
  db.exec('DELETE FROM words')
  const words = splitWords(searchedBodyText(bytes))
  db.prepare('INSERT INTO words (rowid, text) VALUES (1, ?)').run(
    [...words, ...bodyMarks(bytes)].join(' '),
  )
  return db.prepare('SELECT rowid FROM words WHERE words MATCH ?').get(match) !== undefined
}

function predicateOf(text: string) {
  const query = readQuery(text, { now: 0, hooks: [] })
  const [first] = query.kind === 'all' ? query.of : [query]
  if (first?.kind !== 'json' && first?.kind !== 'contains')
    throw new Error(`${text} asks for no JSON.`)
  return first
}

test.each([
  ['card.number:4001', '{"card":{"number":4001}}'],
  ['card.number:4001', '{"card":{"number":"4001"}}'],
  ['card.number:4001', '{"card":{"number":4001.000}}'],
  ['card.number:4001', '{"card":{"number":40.01e2}}'],
  ['card.number:4001', '{"card":{"number":400100E-2}}'],
  ['card.number:4001.0', '{"card":{"number":4001}}'],
  ['amount:-12.5', '{"amount":-12.500}'],
  ['amount:0.50', '[{"amount":0.5}]'],
  ['amount:0', '{"amount":-0.00}'],
  ['amount:+5', '{"amount":5}'],
  ['amount:007', '{"amount":7}'],
  ['amount:9007199254740993', '{"amount":9007199254740993}'],
  ['title:"Café Müller"', String.raw`{"t\u0069tle":"Caf\u00e9 M\u00fcller"}`],
  ['offer.qualified:true', '{"offer":{"qualified":true}}'],
  ['offer:null', '{"offer":null}'],
  ['title:"a\u0338b"', '{"title":"a\u0338b"}'],
  ['{"card":{"scheme":"visa","year":2029}}', '{"card":{"year":2029.0,"scheme":"visa","more":1}}'],
  ['{"amount":9007199254740993}', '{"amount":9007199254740993}'],
  ['{"amount":1.5}', '{"amount":15e-1}'],
])('a body that matches the condition has the words: %s in %s', (text, body) => {
  const predicate = predicateOf(text)
  expect(compileJsonPredicate(predicate)(Buffer.from(body))).toBe(true)
  const match = wordsOfJson(predicate)
  expect(match === null || isCandidate(body, match)).toBe(true)
})

test.each([
  ['card.number:4001', '{"card":{"number":4002}}'],
  ['title:coffee', '{"title":"tea"}'],
  ['offer.qualified:true', '{"offer":null,"flag":true}'],
  ['{"card":{"scheme":"visa"}}', '{"card":{"scheme":"amex"}}'],
])("%s isn't checked by %s", (text, body) => {
  expect(isCandidate(body, wordsOfJson(predicateOf(text)) ?? '"x"')).toBe(false)
})

test('a body larger than its searched part is checked for everything', () => {
  const body = `{"text":"${'coffee '.repeat(40_000)}","last":1}`
  expect(isCandidate(body, wordsOfJson(predicateOf('$.last:1')) ?? '"x"')).toBe(true)
})

const json = fc
  .jsonValue({ maxDepth: 2 })
  .filter((value) => typeof value === 'object' && value !== null && !Array.isArray(value))

property.prop([json])('any object is a candidate for what it contains', (value) => {
  const text = JSON.stringify(value)
  const predicate = { kind: 'contains', json: text } as const
  const match = wordsOfJson(predicate)
  if (match !== null && compileJsonPredicate(predicate)(Buffer.from(text)))
    expect(isCandidate(text, match)).toBe(true)
})
