import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { AppError } from '../contract/errors.ts'
import { parseQuery, printQuery, type QueryProblem } from './parse.ts'
import { EVERYTHING, STATES, type Query, type Term } from './query.ts'

/** Texts with what the language gives a meaning to, and any others. */
const text = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom('"', '\\', ':', '-', ' ', '\t', '*', 'e', 'i', 's', 'event', 'is:'),
    minLength: 1,
    maxLength: 8,
  }),
)
const term: fc.Arbitrary<Term> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text, negated: fc.boolean() }),
  fc.record({ kind: fc.constant('event' as const), pattern: text, negated: fc.boolean() }),
  fc.record({ kind: fc.constant('is' as const), state: fc.constantFrom(...STATES), negated: fc.boolean() }),
)

property.prop([fc.array(term, { maxLength: 5 }).map((terms): Query => ({ terms }))], { numRuns: 1_000 })(
  'what is printed parses to the same query',
  (query) => {
    expect(parseQuery(printQuery(query))).toEqual(query)
  },
)

property.prop([fc.string({ unit: 'binary', maxLength: 60 })], { numRuns: 1_000 })(
  'any text is a query, or an error that points into it',
  (given) => {
    try {
      expect(parseQuery(printQuery(parseQuery(given)))).toEqual(parseQuery(given))
    } catch (error) {
      expect(error).toBeInstanceOf(AppError)
      expect((error as AppError).code).toBe('INVALID_QUERY')
      const { at } = (error as AppError).details as QueryProblem
      expect(at).toBeGreaterThanOrEqual(0)
      expect(at).toBeLessThanOrEqual(given.length)
    }
  },
)

describe('a query', () => {
  test.each([
    ['', EVERYTHING],
    ['  \t ', EVERYTHING],
    [
      'event:transaction.* is:invalid "coffee bar" -is:stale',
      {
        terms: [
          { kind: 'event', pattern: 'transaction.*', negated: false },
          { kind: 'is', state: 'invalid', negated: false },
          { kind: 'text', text: 'coffee bar', negated: false },
          { kind: 'is', state: 'stale', negated: true },
        ],
      },
    ],
    [
      'EVENT:card.linked IS:VALID',
      {
        terms: [
          { kind: 'event', pattern: 'card.linked', negated: false },
          { kind: 'is', state: 'valid', negated: false },
        ],
      },
    ],
    ['https://a.example/x', { terms: [{ kind: 'text', text: 'https://a.example/x', negated: false }] }],
    ['-', { terms: [{ kind: 'text', text: '-', negated: false }] }],
    [
      '- a',
      {
        terms: [
          { kind: 'text', text: '-', negated: false },
          { kind: 'text', text: 'a', negated: false },
        ],
      },
    ],
    ['-"a b"', { terms: [{ kind: 'text', text: 'a b', negated: true }] }],
    [String.raw`"a \"b\" \\c"`, { terms: [{ kind: 'text', text: String.raw`a "b" \c`, negated: false }] }],
  ] as const)('%j', (given, expected) => {
    expect(parseQuery(given)).toEqual(expected)
  })

  test.each([
    ['is:nonsense', 3, 'valid'],
    ['a is:', 5, 'valid'],
    ['-is:inval', 4, 'invalid'],
    ['event:', 6, 'transaction.*'],
    ['a "never closed', 2, '"'],
    ['-"', 1, '"'],
  ])('%j points at character %i and suggests %j', (given, at, suggestion) => {
    let thrown: unknown
    try {
      parseQuery(given)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(AppError)
    const { code, message, details } = thrown as AppError
    expect(code).toBe('INVALID_QUERY')
    expect(message).toContain(`at character ${at + 1}`)
    expect(details).toMatchObject({ at, suggestions: expect.arrayContaining([suggestion]) })
  })
})
