import { expect, test } from 'vitest'
import { queryWords } from './query-words.ts'

const today = new Date()
today.setHours(9, 5, 0, 0)

test.each([
  ['', 'all deliveries'],
  ['event:transaction.refund received:today', 'transaction.refund of today'],
  ['verdict:valid,invalid event:card.linked', 'valid or invalid card.linked'],
  ['verdict:obsolete', 'matching "verdict:obsolete"'],
  [`after:${today.toISOString()}`, 'since today 09:05'],
  ['handler:local status:500', 'handler local status 500'],
  ['coffee OR tea', 'matching "coffee OR tea"'],
  ['-event:card.linked', 'matching "-event:card.linked"'],
  ['count:<40', 'matching "count:<40"'],
])('%s reads as %s', (query, words) => {
  expect(queryWords(query)).toBe(words)
})
