import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { interpretExpression } from './interpret.ts'
import { parseQuery } from './parse.ts'
import { joinQueries, withTimeSpanOf, narrowed, negated, spanOf, termOf } from './edit-query.ts'

const meaningOf = (query: string) => interpretExpression(parseQuery(query), { now: 0, hooks: [] })

const value = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    'a*b',
    '1..2',
    '>5',
    '<',
    'OR',
    '-x',
    'a,b',
    '"',
    '\\',
    'a\\',
    '//x',
    'http://a',
    '/h/a b',
    '(',
    '*',
    '',
    '7',
    '1.0',
  ),
)

property.prop([fc.constantFrom('event', 'path', 'method', 'environment', 'http'), value])(
  'a term made from a value means exactly that value, and its opposite excludes it',
  (field, text) => {
    fc.pre(!text.includes('\0'))
    const term = termOf(field, text)
    const meaning = { kind: 'text', field, pattern: [text] }
    expect(meaningOf(term)).toEqual(meaning)
    expect(meaningOf(negated(term))).toEqual({ kind: 'not', of: meaning })
    expect(meaningOf(narrowed('is:unsigned OR event:x', term))).toMatchObject({
      kind: 'all',
      of: [{ kind: 'any' }, meaning],
    })
    expect(meaningOf(narrowed(narrowed('is:unsigned', term), negated(term)))).toMatchObject({
      kind: 'all',
      of: [{ flag: 'is:unsigned' }, { kind: 'not', of: meaning }],
    })
  },
)

test('a term is written without quotes if they are not needed', () => {
  expect(termOf('event', 'transaction.auth.qualified')).toBe('event:transaction.auth.qualified')
  expect(termOf('path', '/h/auth')).toBe('path:/h/auth')
  expect(termOf('status', '200')).toBe('status:200')
  expect(termOf('path', '/h/a b')).toBe('path:"/h/a b"')
})

test('narrowing replaces a term for the same field and its opposite, and keeps everything else', () => {
  expect(narrowed('', 'event:a')).toBe('event:a')
  expect(narrowed('is:valid event:b coffee', 'event:a')).toBe('is:valid coffee event:a')
  expect(narrowed('is:valid -event:a', 'event:a')).toBe('is:valid event:a')
  expect(narrowed('event:a', 'event:a')).toBe('event:a')
  expect(narrowed('-event:a', '-event:b')).toBe('-event:a -event:b')
  expect(narrowed('is:stale', 'is:retry')).toBe('is:stale is:retry')
  expect(narrowed('is:stale OR coffee', 'event:a')).toBe('(is:stale OR coffee) event:a')
  expect(narrowed('is:sta', 'event:a')).toBe('event:a')
})

test('a view is applied within the time span, unless it has its own', () => {
  expect(spanOf('is:valid after:14:12 before:15:00 coffee')).toBe('after:14:12 before:15:00')
  expect(spanOf('after:14:12 OR coffee')).toBe('')
  expect(withTimeSpanOf('is:invalid', 'event:a after:14:12')).toBe('is:invalid after:14:12')
  expect(withTimeSpanOf('', 'event:a after:14:12')).toBe('after:14:12')
  expect(withTimeSpanOf('within:1h', 'after:14:12')).toBe('within:1h')
  expect(withTimeSpanOf('a OR b', 'after:14:12')).toBe('(a OR b) after:14:12')
  expect(joinQueries('(a OR b) OR c', 'd')).toBe('((a OR b) OR c) d')
})
