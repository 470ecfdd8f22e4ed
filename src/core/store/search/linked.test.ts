import { describe, expect, test } from 'vitest'
import { samplePayloads } from '../../../../test/support/sample-payloads.ts'
import { testSearch } from '../../../../test/support/test-search.ts'
import { captureOf } from '../../../../test/support/test-store.ts'
import { namedObjects } from '../../lifecycle/object-links.ts'
import { hideDeliveries } from '../deletion.ts'
import { countLinks, linkedDeliveries, MAX_UNINDEXED_CHECKED } from './linked-deliveries.ts'
import { searchJobs } from './search-jobs.ts'
import { linkWord } from './index-facts.ts'

const search = testSearch()

const auth = samplePayloads['transaction.auth']
const refund = samplePayloads['transaction.refund']

/** Stores and describes bodies, verified for an event or only matching it. */
function put(bodies: readonly (readonly [string | null, object | string])[]): number[] {
  const captures = bodies.map(([event, body]) =>
    captureOf(typeof body === 'string' ? body : JSON.stringify(body), {
      event,
      eventSource: event === null ? null : 'hook',
    }),
  )
  const seqs = search().database.put(captures)
  search().database.describe()
  return seqs
}

function arrive(bodies: Parameters<typeof put>[0]): number[] {
  const seqs = put(bodies)
  search().fill()
  return seqs
}

const seqsOf = (kind: 'purchase' | 'card' | 'location', value: string, limit = 10) =>
  linkedDeliveries(search().main, { kind, value, limit }).deliveries.map(
    ({ delivery }) => delivery.seq,
  )

test('each event names its objects', () => {
  const named = (event: keyof typeof samplePayloads) =>
    namedObjects(event, samplePayloads[event]).map(
      ({ kind, value }) => `${kind} ${value.slice(0, 1)}`,
    )
  expect(named('transaction.auth')).toEqual([
    'purchase 7',
    'card 5',
    'location 4',
    'brand 1',
    'program 3',
  ])
  expect(named('transaction.auth.qualified')).toContain('offer 6')
  expect(named('transaction.refund')).toEqual([
    'purchase 7',
    'purchase 8',
    'card 5',
    'location 4',
    'brand 1',
    'program 3',
  ])
  expect(named('location.status')).toEqual(['location 4', 'brand 1', 'program 3'])
  expect(named('card.linked')).toEqual(['card 5', 'program 3'])
  expect(named('card.failed')).toEqual(['card 5', 'program 3'])
  expect(named('brand.consent')).toEqual(['brand 1'])
  expect(named('program.status')).toEqual(['program 3'])
  expect(namedObjects('transaction.auth', { id: 7, card: null, location: [] })).toEqual([])
  expect(namedObjects('transaction.auth', null)).toEqual([])
  expect(namedObjects('credits.balance.low', { id: 'x' })).toEqual([])
})

test('deliveries are found by the objects they name, with their bodies, oldest first', () => {
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
  const compose = search().database.db.prepare('INSERT INTO composed (seq) VALUES (?)')
  compose.run(third)
  // A composed request is in no other delivery's lifecycle.
  expect(seqsOf('purchase', auth.id)).toEqual([first])
  search().database.db.exec('DELETE FROM composed')
  const { deliveries } = linkedDeliveries(search().main, {
    kind: 'purchase',
    value: auth.id,
    limit: 10,
  })
  expect(JSON.parse(Buffer.from(deliveries[0]?.body ?? []).toString())).toEqual(auth)
})

test("a refund is found by its own id and by the purchase's", () => {
  const [seq] = arrive([['transaction.refund', refund]])
  expect(seqsOf('purchase', refund.id)).toEqual([seq])
  expect(seqsOf('purchase', refund.originalTransactionId)).toEqual([seq])
})

test('the latest are kept if there are more than requested, and the result says so', () => {
  const seqs = arrive(
    Array.from({ length: 5 }, (_, n) => ['transaction.auth', { ...auth, n }] as const),
  )
  const found = linkedDeliveries(search().main, { kind: 'purchase', value: auth.id, limit: 2 })
  expect(found.deliveries.map(({ delivery }) => delivery.seq)).toEqual(seqs.slice(3))
  expect(found.isCut).toBe(true)
  expect(countLinks(search().main, { kind: 'purchase', value: auth.id, most: 100 })).toBe(5)
  expect(countLinks(search().main, { kind: 'purchase', value: auth.id, most: 3 })).toBe(3)
})

test("a payload that only resembles a refund or its clearing is found too; one that isn't JSON is not", () => {
  arrive([
    [null, { ...refund, originalTransactionId: undefined }],
    ['transaction.auth', '{"id":"x"'],
  ])
  expect(seqsOf('purchase', refund.id)).toHaveLength(1)
  expect(seqsOf('purchase', 'x')).toEqual([])
})

describe('unindexed deliveries', () => {
  test('are examined one by one, with the same results above the mark as below it', () => {
    const below = arrive([['transaction.auth', auth]])
    const above = put([
      ['transaction.clearing', { ...auth, cleared: true }],
      [null, { ...refund, originalTransactionId: undefined }],
      ['transaction.auth', { ...auth, id: 'another', note: auth.card.id }],
      ['transaction.auth', { id: 'x', note: auth.id }],
      ['transaction.auth', `no JSON ${auth.id}`],
    ])
    const asked = () => [
      seqsOf('purchase', auth.id),
      seqsOf('card', auth.card.id),
      countLinks(search().main, { kind: 'card', value: auth.card.id, most: 9 }),
    ]
    const expected = [[...below, ...above.slice(0, 2)], [...below, ...above.slice(0, 3)], 4]
    expect(asked()).toEqual(expected)
    search().fill()
    expect(asked()).toEqual(expected)
  })

  test('are examined up to a limit, newest first; the rest is found once indexed', () => {
    const first = put([['transaction.auth', auth]])
    put(Array.from({ length: MAX_UNINDEXED_CHECKED - 1 }, () => ['card.linked', {}] as const))
    expect(seqsOf('purchase', auth.id)).toEqual(first)
    put([['card.linked', {}]])
    expect(seqsOf('purchase', auth.id)).toEqual([])
    search().fill()
    expect(seqsOf('purchase', auth.id)).toEqual(first)
  })
})

test('deleted deliveries name nothing once hidden, and leave no link when removed', () => {
  const [first = 0, second = 0] = arrive([
    ['transaction.auth', auth],
    ['transaction.auth', auth],
  ])
  hideDeliveries(search().database.db, { seqs: [first], at: 1 })
  expect(seqsOf('purchase', auth.id)).toEqual([second])
  expect(countLinks(search().main, { kind: 'card', value: auth.card.id, most: 9 })).toBe(1)
  const linksOf = (seq: number) =>
    namedObjects('transaction.auth', auth).filter(
      (link) =>
        search()
          .tools.search.prepare(
            'SELECT 1 FROM words WHERE words MATCH ? AND rowid = CAST(? AS INTEGER)',
          )
          .get(`"${linkWord(link)}"`, seq) !== undefined,
    ).length
  expect(linksOf(first)).toBe(namedObjects('transaction.auth', auth).length)
  search().database.db.exec(`DELETE FROM deliveries WHERE seq = ${first}`)
  searchJobs.refresh(search().tools, [first, second])
  expect([linksOf(first), linksOf(second)]).toEqual([
    0,
    namedObjects('transaction.auth', auth).length,
  ])
  expect(seqsOf('purchase', auth.id)).toEqual([second])
})
