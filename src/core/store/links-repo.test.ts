import { afterEach, beforeEach, expect, test } from 'vitest'
import { samplePayloads } from '../../../test/support/sample-payloads.ts'
import { openTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import { namedObjects } from '../lifecycle/named-objects.ts'
import { readUndescribed } from './deliveries-repo.ts'
import { prepareDescribe } from './describe-repo.ts'
import { describePayloads } from './describe.ts'
import { countLinks, linkedDeliveries } from './links-repo.ts'
import { migration } from './migrations/0040-links.ts'

let database: TestDatabase
beforeEach(() => {
  database = openTestDatabase()
})
afterEach(() => {
  database.dispose()
})

const auth = samplePayloads['transaction.auth']
const refund = samplePayloads['transaction.refund']

/** Stores and describes bodies, proved for an event or only by their shape. */
function arrive(bodies: readonly (readonly [string | null, object | string])[]): number[] {
  const captures = bodies.map(([event, body]) =>
    captureOf(typeof body === 'string' ? body : JSON.stringify(body), { event, eventSource: event === null ? null : 'hook' }),
  )
  const seqs = database.put(captures)
  const descriptions = describePayloads(readUndescribed(database.db, seqs))
  prepareDescribe(database.db)({ answers: [], descriptions, lenientEnvironments: [] })
  return seqs
}

const seqsOf = (kind: 'purchase' | 'card' | 'location', value: string, limit = 10) =>
  linkedDeliveries(database.db, { kind, value, limit }).deliveries.map(({ delivery }) => delivery.seq)

test('each event names its objects', () => {
  const named = (event: keyof typeof samplePayloads) =>
    namedObjects(event, samplePayloads[event]).map(({ kind, value }) => `${kind} ${value.slice(0, 1)}`)
  expect(named('transaction.auth')).toEqual(['purchase 7', 'card 5', 'location 4', 'brand 1', 'program 3'])
  expect(named('transaction.auth.qualified')).toContain('offer 6')
  expect(named('transaction.refund')).toEqual(['purchase 7', 'purchase 8', 'card 5', 'location 4', 'brand 1', 'program 3'])
  expect(named('location.status')).toEqual(['location 4', 'brand 1', 'program 3'])
  expect(named('card.linked')).toEqual(['card 5', 'program 3'])
  expect(named('card.failed')).toEqual(['card 5', 'program 3'])
  expect(named('brand.consent')).toEqual(['brand 1'])
  expect(named('program.status')).toEqual(['program 3'])
  expect(namedObjects('transaction.auth', { id: 7, card: null, location: [] })).toEqual([])
  expect(namedObjects('transaction.auth', null)).toEqual([])
  expect(namedObjects('credits.balance.low', { id: 'x' })).toEqual([])
})

test('deliveries are found by what they name, with their bodies, oldest first', () => {
  const other = { ...auth, id: 'not-a-uuid' }
  const [first, , third] = arrive([
    ['transaction.auth', auth],
    ['transaction.auth', other],
    ['transaction.clearing', { ...auth, cleared: true }],
  ])
  expect(seqsOf('purchase', auth.id)).toEqual([first, third])
  expect(seqsOf('purchase', 'not-a-uuid')).toHaveLength(1)
  expect(seqsOf('card', auth.card.id)).toHaveLength(3)
  expect(seqsOf('location', auth.card.id)).toEqual([])
  const { deliveries } = linkedDeliveries(database.db, { kind: 'purchase', value: auth.id, limit: 10 })
  expect(JSON.parse(Buffer.from(deliveries[0]?.body ?? []).toString())).toEqual(auth)
})

test('a refund is found by its own id and by that of the purchase', () => {
  const [seq] = arrive([['transaction.refund', refund]])
  expect(seqsOf('purchase', refund.id)).toEqual([seq])
  expect(seqsOf('purchase', refund.originalTransactionId)).toEqual([seq])
})

test('the latest are kept where there are more than asked for, and that is said', () => {
  const seqs = arrive(Array.from({ length: 5 }, (_, n) => ['transaction.auth', { ...auth, n }] as const))
  const found = linkedDeliveries(database.db, { kind: 'purchase', value: auth.id, limit: 2 })
  expect(found.deliveries.map(({ delivery }) => delivery.seq)).toEqual(seqs.slice(3))
  expect(found.isCut).toBe(true)
  expect(countLinks(database.db, { kind: 'purchase', value: auth.id, most: 100 })).toBe(5)
  expect(countLinks(database.db, { kind: 'purchase', value: auth.id, most: 3 })).toBe(3)
})

test('a payload that only looks like a refund or its clearing is found too; what is no JSON is not', () => {
  arrive([
    [null, { ...refund, originalTransactionId: undefined }],
    ['transaction.auth', '{"id":"x"'],
  ])
  expect(seqsOf('purchase', refund.id)).toHaveLength(1)
  expect(seqsOf('purchase', 'x')).toEqual([])
})

test('deliveries of an older database are found after the step that makes the table', () => {
  const seqs = arrive([
    ['transaction.auth', auth],
    [null, { ...refund, originalTransactionId: undefined }],
    ['transaction.auth', 'no JSON'],
  ])
  database.db.exec('DROP TABLE links')
  migration.up(database.db)
  expect(seqsOf('card', auth.card.id)).toEqual(seqs.slice(0, 2))
})
