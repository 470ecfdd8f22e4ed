/** What a delivery shows at a glance: details of its payload, its cause and response, its last replay, and lists sorted by them. */
import { fc, test as property } from '@fast-check/vitest'
import { beforeEach, expect, test } from 'vitest'
import { databaseInFolder } from '../../../test/support/in-folder.ts'
import type { TestDatabase } from '../../../test/support/test-database.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import { sortKeySchema } from '../../shared/model/delivery.ts'
import { rowsBySeq, sortSeqs } from './deliveries-repo.ts'

let database: TestDatabase
beforeEach(() => {
  database = databaseInFolder()
})

/** As decimals and as JSON may write them. */
const AMOUNTS: readonly (string | null)[] = ['-12.50', '9', '10', '1e2', '0', null]

property.prop([
  fc.array(
    fc.record({
      amount: fc.constantFrom(...AMOUNTS),
      currency: fc.constantFrom('EUR', 'USD'),
      event: fc.constantFrom('card.linked', 'transaction.auth', null),
    }),
    { minLength: 1, maxLength: 20 },
  ),
  fc.constantFrom(...sortKeySchema.options),
  fc.boolean(),
])('every column sorts all deliveries, those without a value last, equal ones newest first', (rows, by, descending) => {
  const { db, put } = database
  const seqs = put(rows.map(({ event }) => captureOf('{}', { event })))
  const add = db.prepare('INSERT OR REPLACE INTO details (seq, amount, currency) VALUES (?, ?, ?)')
  rows.forEach(({ amount, currency }, index) => add.run(seqs[index], amount, amount === null ? null : currency))
  const sorted = sortSeqs(db, { seqs, by, descending })
  expect(sorted.toSorted((a, b) => a - b)).toEqual(seqs)
  const stored = new Map(rowsBySeq(db, seqs).map((row) => [row.seq, row]))
  const values = sorted.map((seq) => {
    const { amount, currency, event, bodySize } = stored.get(seq)!
    if (by === 'amount') return amount === null ? null : [currency, Number(amount)]
    return by === 'event' ? event : by === 'time' ? seq : by === 'size' ? bodySize : null
  })
  values.slice(1).forEach((value, index) => {
    const before = values[index] ?? null
    if (before === null) expect(value).toBeNull()
    else if (value !== null && String(before) === String(value)) expect(sorted[index]).toBeGreaterThan(sorted[index + 1]!)
    else if (value !== null) expect(isBefore(before, value)).toBe(!descending)
  })
})

type Value = string | number | (string | number | null)[]
function isBefore(one: Value, other: Value): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one < other
  return one[0] === other[0] ? one[1]! < other[1]! : one[0]! < other[0]!
}

test('a deleted delivery is not in a sorted list', () => {
  const [first = 0, second = 0] = database.put([captureOf('{}'), captureOf('{}')])
  database.db.prepare('INSERT INTO deleted (seq, at) VALUES (?, 1)').run(second)
  expect(sortSeqs(database.db, { seqs: [second, first], by: 'size', descending: true })).toEqual([first])
})
