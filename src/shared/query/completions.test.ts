import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import type { AppError } from '../contract/errors.ts'
import { completionsFor, NOTHING_STORED, preselects, type StoredValues } from './completions.ts'
import { isUnfinished, unfinishedPart } from './unfinished-part.ts'
import { parseQuery } from './parse.ts'
import type { QueryProblem } from './problem.ts'

const stored: StoredValues = {
  events: ['custom.event', 'card.linked'],
  hooks: ['refunds', 'with space'],
  environments: ['sandbox-test'],
  paths: ['/h/refunds'],
  headers: ['Content-Type'],
  handlers: ['local', 'staging'],
  flows: ['purchase-visa'],
  names: ['big-refund'],
  bodyPaths: [
    { path: 'card.scheme', values: ['visa', 'mastercard'] },
    { path: 'card.lastNumbers', values: ['4001'] },
  ],
}
const at = (text: string, caret = text.length) => completionsFor(text, caret, stored)
const parts = (text: string, caret?: number) => at(text, caret).map(({ part }) => part)

test('fields are offered if nothing is typed', () => {
  expect(parts('')).toContain('event:')
  expect(parts('is:valid ')).toContain('verdict:')
})

test('values of the typed field are offered, each with its description', () => {
  expect(parts('is:un')).toEqual(['is:unsigned', 'is:unknown-hook'])
  expect(parts('event:transaction.ref')).toEqual([
    'event:transaction.refund',
    'event:transaction.refund.qualified',
  ])
  expect(at('verdict:inv')[0]?.meaning).toBe('signature matches no known secret')
  expect(parts('in')).toEqual([])
  expect(parts('inv')).toEqual([])
  expect(parts('is:inv')).toEqual(['is:invalid'])
})

test('stored values are offered: events first, hooks, headers, body paths and their values', () => {
  expect(parts('event:').slice(0, 2)).toEqual(['event:custom.event', 'event:card.linked'])
  expect(parts('hook:')).toEqual(['hook:refunds', 'hook:"with space"'])
  expect(parts('header.c')).toEqual(['header.Content-Type:'])
  expect(parts('card.')).toEqual(['card.scheme:', 'card.lastNumbers:'])
  expect(parts('card.scheme:v')).toEqual(['card.scheme:visa'])
})

test('only the word at the caret counts, and the text around it stays', () => {
  expect(at('coffee is:val')[0]).toMatchObject({
    part: 'is:valid',
    text: 'coffee is:valid ',
    caret: 16,
  })
  expect(at('is:val coffee', 6)[0]).toMatchObject({ text: 'is:valid coffee', caret: 8 })
  expect(at('(-is:val')[0]).toMatchObject({ part: '-is:valid', text: '(-is:valid ' })
  expect(at('verdict:valid,inv')[0]).toMatchObject({
    part: 'verdict:valid,invalid',
    text: 'verdict:valid,invalid ',
  })
})

test('accepting a completion replaces the whole word at the caret', () => {
  expect(at('is:invlid mode:test', 6)[0]).toMatchObject({ text: 'is:invalid mode:test', caret: 10 })
  expect(at('event:card.linked coffee', 6)[0]).toMatchObject({
    text: 'event:custom.event coffee',
    caret: 18,
  })
  expect(at('verdict:val,invalid', 11)[0]).toMatchObject({
    text: 'verdict:valid,invalid',
    caret: 13,
  })
  expect(at('card.scheme:visa', 5)[1]).toMatchObject({ text: 'card.lastNumbers:visa' })
})

test('a value is completed inside its quotes too, and an open quote takes nothing after it', () => {
  expect(at('hook:"wi')[0]).toMatchObject({ part: 'hook:"with space"', text: 'hook:"with space" ' })
  expect(at('hook:"wi" is:valid', 8)[0]?.text).toBe('hook:"with space" is:valid')
  expect(at('hook:"wi is:valid', 8)[0]?.text).toBe('hook:"with space" is:valid')
  expect(parts('card.scheme:"v')).toEqual(['card.scheme:"visa"'])
})

test('all states are offered, lists have no duplicates, and paths are found with their root and by any key', () => {
  expect(parts('is:')).toContain('is:pinned')
  expect(parts('verdict:valid,')).toEqual([
    'verdict:valid,invalid',
    'verdict:valid,unsigned',
    'verdict:valid,unknown-hook',
  ])
  expect(parts('$.card.s')).toEqual(['$.card.scheme:'])
  expect(parts('$.card.scheme:')).toEqual(['$.card.scheme:visa', '$.card.scheme:mastercard'])
  expect(parts('lastN')).toEqual(['card.lastNumbers:'])
})

test('numbers are offered with comparisons, durations with their units', () => {
  expect(parts('status:5')).toEqual(['status:500..599'])
  expect(parts('response:')).toEqual(
    ['failing', 'none', '200', '400..499', '500..599'].map((value) => `response:${value}`),
  )
  expect(parts('handler:l')).toEqual(['handler:local'])
  expect(parts('flow:')).toEqual(['flow:purchase-visa'])
  expect(parts('after:2')).toEqual(['after:2s', 'after:2m', 'after:2h', 'after:2d', 'after:2w'])
})

test('nothing is offered in quoted text, in a pasted object, or for a complete word', () => {
  expect(parts('"is:')).toEqual([])
  expect(parts('{"is')).toEqual([])
  expect(parts('is:stale')).toEqual([])
  expect(completionsFor('card.scheme:v', 13, NOTHING_STORED)).toEqual([])
})

property.prop([
  fc.constantFrom(
    '',
    'is:',
    'has:',
    'event:',
    'hook:',
    'path:',
    'verdict:',
    'environment:',
    'schema:',
    'after:',
    'within:',
    'card.scheme:',
    'attempt:',
    'status:',
    'ms:',
    'size:',
    'http:',
    'after:3',
    'card.scheme:"',
    'hook:"',
    '-is:',
    'a (is:',
  ),
])('what is offered and whole is a query', (begun) => {
  for (const { text, part } of at(begun))
    if (!part.endsWith(':')) expect(() => parseQuery(text.replace('(', ''))).not.toThrow()
})

/** Returns the problem that is shown while the caret is at `|`, if any. */
function problemWhileTyping(marked: string): string | null {
  const caret = marked.indexOf('|')
  const text = marked.replace('|', '')
  try {
    parseQuery(text)
    return null
  } catch (error) {
    const problem = (error as AppError).details as QueryProblem
    return isUnfinished(problem, unfinishedPart(text, caret)) ? null : problem.sentence
  }
}

test('an error is shown once its word is finished, not while it is typed', () => {
  for (const typing of [
    'is:inv|',
    'is:|',
    'verdct:|',
    'verdct:inv|',
    'coffee "open quote of|',
    '(is:valid OR is:st|',
    '(is:valid |',
    '{"card":|',
    '{"card": {|',
    'is:valid OR |',
    'is:valid AND |',
    'NOT |',
    'is:inv| coffee',
    '-is:inv|',
    'is:valid ms:>|',
  ])
    expect(problemWhileTyping(typing), typing).toBeNull()
  expect(problemWhileTyping('is:inv |')).toMatch(/isn't a value of is:/)
  expect(problemWhileTyping('is:inv coffee|')).toMatch(/isn't a value of is:/)
  expect(problemWhileTyping('|is:inv coffee')).toMatch(/isn't a value of is:/)
  expect(problemWhileTyping('verdct:inv (is:st|')).toMatch(/Unknown field/)
  expect(problemWhileTyping('is:valid) |')).toMatch(/Unexpected closing parenthesis/)
})

const isPreselecting = (text: string) => preselects(text, text.length, stored)

test('the best completion is highlighted once a word is started; Enter after a space applies the query', () => {
  expect(['', 'is:valid ', '(', 'is:valid (', '(is:valid)'].filter(isPreselecting)).toEqual([])
  expect(['i', 'is:', 'is:valid in', '-is:', '(is:', 'verdict:valid,'].every(isPreselecting)).toBe(
    true,
  )
  expect(
    ['is:valid', 'event:card.linked', 'verdict:valid,invalid', 'attempt:1'].some(isPreselecting),
  ).toBe(false)
})
