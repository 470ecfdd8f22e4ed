import { beforeAll, expect, test } from 'vitest'
import { databaseInFolder } from '../../../test/support/in-folder.ts'
import type { TestDatabase } from '../../../test/support/test-database.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import { parseQuery, readQuery } from '../../shared/query/parse.ts'
import { matchingSeqs } from './deliveries.ts'
import { readStoredValues } from './stored-values.ts'

let database: TestDatabase

beforeAll(() => {
  database = databaseInFolder()
  database.put(
    Array.from({ length: 20 }, (_, index) =>
      captureOf(
        JSON.stringify({
          card: { scheme: index % 2 === 0 ? 'visa' : 'amex' },
          id: `id-${index}`,
          'a b': [{ on: true }],
          status: 'ACTIVE',
        }),
        {
          event: ['card.linked', 'a.b', null][index % 3] ?? null,
          path: index < 15 ? '/h/often' : '/h/seldom',
          headers: JSON.stringify([['Content-Type', 'application/json']]),
        },
      ),
    ),
  )
  database.put([captureOf('not JSON'), captureOf('[1'), captureOf('"text"')])
})

test('events, paths and headers in storage are suggested, the most frequent paths first', () => {
  const { events, paths, headers } = readStoredValues(database.db)
  expect(events).toEqual(['a.b', 'card.linked'])
  expect(paths).toEqual(['/h/often', '/h/seldom', '/h/test'])
  expect(headers).toEqual(['content-type'])
})

test('body paths are suggested in query syntax, with the values of those that have few', () => {
  const { bodyPaths } = readStoredValues(database.db)
  expect(bodyPaths).toEqual([
    { path: 'card.scheme', values: ['amex', 'visa'] },
    // Twenty values are not a choice.
    { path: '$.id', values: [] },
    { path: '$["a b"].on', values: ['true'] },
    { path: '$.status', values: ['ACTIVE'] },
  ])
  for (const { path } of bodyPaths)
    expect(parseQuery(`${path}:*`)).toMatchObject({ name: { kind: 'path' } })
})

test('marks which of some deliveries match a query', () => {
  const query = readQuery('card.scheme:visa', { now: 0, hooks: [] })
  expect(
    matchingSeqs(database.db, { query, seqs: [1, 2, 3, 21, 99] }).toSorted((a, b) => a - b),
  ).toEqual([1, 3])
})

test('an empty store suggests nothing', () => {
  expect(Object.values(readStoredValues(databaseInFolder().db)).flat()).toEqual([])
})
