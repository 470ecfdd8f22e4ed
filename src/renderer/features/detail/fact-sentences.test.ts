import { expect, test } from 'vitest'
import { freshnessSentence, schemaSentence } from './fact-sentences.ts'

test('a timestamp sent as a trailer is not reported as absent', () => {
  expect(
    freshnessSentence({ freshness: 'missing', timestamp: null, inTrailer: ['timestamp'] }),
  ).toBe('No timestamp: it was sent as a trailer.')
  expect(freshnessSentence({ freshness: 'missing', timestamp: null, inTrailer: [] })).toBe(
    'No timestamp header.',
  )
})

test('schema errors are counted', () => {
  const issues = { schema: 'issues', event: 'transaction.auth' } as const
  expect([schemaSentence(issues, 1), schemaSentence(issues, 3)]).toEqual([
    '1 schema error',
    '3 schema errors',
  ])
  expect(schemaSentence({ ...issues, schema: 'not-json' }, null)).toBe('Not JSON')
  expect(schemaSentence({ ...issues, schema: 'not-json' }, 1)).toBe('Not checked')
  expect(schemaSentence({ ...issues, schema: 'ok' }, 0)).toBe('Matches the transaction.auth schema')
})
