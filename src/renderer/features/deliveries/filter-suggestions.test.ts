import { expect, test } from 'vitest'
import { suggestionsFor } from './filter-suggestions.ts'

const parts = (draft: string) => suggestionsFor(draft).map((suggestion) => suggestion.part)

test('words of the field that is begun are offered', () => {
  expect(parts('is:un')).toEqual(['is:unsigned', 'is:unknown-hook'])
  expect(parts('event:transaction.ref')).toEqual(['event:transaction.refund', 'event:transaction.refund.qualified'])
})

test('only the last word counts, and what stands before it stays', () => {
  expect(suggestionsFor('coffee is:val')).toEqual([
    { draft: 'coffee is:valid ', part: 'is:valid', meaning: 'the signature is proved by a known secret' },
  ])
})

test('nothing is offered inside a quoted text, nor for a word that is whole', () => {
  expect(parts('"is:')).toEqual([])
  expect(parts('is:stale')).toEqual([])
})
