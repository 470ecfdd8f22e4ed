import { beforeEach, describe, expect, test } from 'vitest'
import { databaseInFolder } from '../../../test/support/in-folder.ts'
import type { TestDatabase } from '../../../test/support/test-database.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import { EVERYTHING } from '../../shared/query/query.ts'
import { attemptsOf, getDelivery, listDeliveries, readUndescribed } from './deliveries-repo.ts'
import { prepareDescribe, type DescribeBatch } from './describe-repo.ts'

let database: TestDatabase
let describeBatch: (batch: DescribeBatch) => void
beforeEach(() => {
  database = databaseInFolder()
  describeBatch = prepareDescribe(database.db)
})

interface Arriving {
  readonly body?: string
  /** A number for the notification; negative if the sender named it. */
  readonly key?: number | null
  readonly hookId?: string | null
  readonly environment?: string
  /** Our response: status and milliseconds; null: dropped; absent: not sent yet. */
  readonly answer?: readonly [number | null, number]
}

/** Stores, describes and then responds to one delivery after the other, as they arrive over time. */
function arrive(arriving: readonly Arriving[], lenientEnvironments: readonly string[] = []) {
  const rows = arriving.map(
    ({ body = '{}', key = 1, hookId = 'hook', environment = 'sandbox-test', answer }) => {
      const [seq = 0] = database.put([
        captureOf(body, { notificationKey: key, hookId, environment, verdict: 'valid' }),
      ])
      describeBatch({
        answers: [],
        descriptions: [{ seq, schema: 'ok', events: null }],
        lenientEnvironments,
      })
      if (answer !== undefined) {
        describeBatch({
          answers: [{ seq, status: answer[0], ms: answer[1] }],
          descriptions: [],
          lenientEnvironments,
        })
      }
      return seq
    },
  )
  const all = listDeliveries(database.db, { query: EVERYTHING, limit: 100 }).toReversed()
  const numberOf = (id: string | null) =>
    id === null ? null : all.findIndex((delivery) => delivery.id === id)
  return all
    .filter(({ seq }) => rows.includes(seq))
    .map(({ attempt, attemptOf, duplicateOf }) => [
      attempt,
      numberOf(attemptOf),
      numberOf(duplicateOf),
    ])
}

describe('attempts and duplicates', () => {
  test('a repeat after a rejection, a drop, no response or 20 s is the next attempt', () => {
    expect(
      arrive([
        { answer: [500, 5] },
        { answer: [null, 5] },
        {},
        { answer: [200, 20_001] },
        { answer: [200, 5] },
      ]),
    ).toEqual([
      [1, null, null],
      [2, 0, null],
      [3, 0, null],
      [4, 0, null],
      [5, 0, null],
    ])
  })

  test('a repeat after an acknowledgement is a duplicate, however many follow', () => {
    expect(
      arrive([
        { answer: [500, 5] },
        { answer: [200, 20_000] },
        { answer: [500, 5] },
        { answer: [200, 5] },
      ]),
    ).toEqual([
      [1, null, null],
      [2, 0, null],
      [1, null, 0],
      [1, null, 0],
    ])
  })

  test('only 200 acknowledges; any 2xx if the environment says so', () => {
    expect(arrive([{ answer: [204, 5] }, { answer: [200, 5] }])).toEqual([
      [1, null, null],
      [2, 0, null],
    ])
    const lenient = [
      { key: 2, environment: 'staging', answer: [204, 5] as const },
      { key: 2, environment: 'staging' },
    ]
    expect(
      arrive(lenient, ['staging']).map(([attempt, , duplicateOf]) => [attempt, duplicateOf]),
    ).toEqual([
      [1, null],
      [1, 2],
    ])
  })

  test('another hook, another body or a missing key is another notification', () => {
    expect(
      arrive([
        { key: 1 },
        { key: 2, body: '{"a":1}' },
        { key: 3, hookId: 'other' },
        { key: null },
        { key: null },
      ]),
    ).toEqual(Array.from({ length: 5 }, () => [1, null, null]))
  })

  test("a short hash shared by two notifications doesn't merge them", () => {
    expect(
      arrive([{ body: '{"a":1}' }, { body: '{"b":2}' }, { body: '{"c":3}', hookId: 'other' }]),
    ).toEqual([
      [1, null, null],
      [1, null, null],
      [1, null, null],
    ])
  })

  test("the sender's own name makes deliveries one notification, whatever their bodies", () => {
    expect(
      arrive([
        { key: -5, body: '{"a":1}', answer: [500, 5] },
        { key: -5, body: '{"a":2}', answer: [200, 5] },
        { key: -5, body: '{"a":3}' },
      ]),
    ).toEqual([
      [1, null, null],
      [2, 0, null],
      [1, null, 0],
    ])
  })

  test('the deliveries of one notification are listed together, oldest first, from any of them', () => {
    arrive([{ answer: [500, 5] }, { key: 9, body: 'between' }, { answer: [200, 5] }, {}])
    const all = listDeliveries(database.db, { query: EVERYTHING, limit: 10 }).toReversed()
    for (const index of [0, 2, 3]) {
      expect(attemptsOf(database.db, all[index]?.id ?? '').map(({ seq }) => seq)).toEqual([1, 3, 4])
    }
    expect(attemptsOf(database.db, all[1]?.id ?? '').map(({ seq }) => seq)).toEqual([2])
  })
})

test('one matching event is the event, several are candidates, zero is neither', () => {
  const seqs = database.put([
    captureOf('{}'),
    captureOf('{}'),
    captureOf('{}'),
    captureOf('{}', { event: 'card.linked', eventSource: 'hook' }),
  ])
  const events = [['card.linked'], ['transaction.refund', 'transaction.clearing'], [], null]
  describeBatch({
    answers: [],
    descriptions: seqs.map((seq, index) => ({
      seq,
      schema: 'issues',
      events: events[index] ?? null,
    })),
    lenientEnvironments: [],
  })
  const found = listDeliveries(database.db, { query: EVERYTHING, limit: 10 }).toReversed()
  expect(
    found.map(({ event, eventSource, eventCandidates }) => [event, eventSource, eventCandidates]),
  ).toEqual([
    ['card.linked', 'payload', []],
    [null, null, ['transaction.refund', 'transaction.clearing']],
    [null, null, []],
    ['card.linked', 'hook', []],
  ])
})

test("describing keeps the connection's durability, also after a failure", () => {
  const durability = () => database.db.pragma('synchronous', { simple: true })
  expect(durability()).toBe(2)
  arrive([{}])
  expect(durability()).toBe(2)
  database.db.exec('ALTER TABLE progress RENAME TO elsewhere')
  expect(() => {
    describeBatch({
      answers: [],
      descriptions: [{ seq: 1, schema: 'ok', events: null }],
      lenientEnvironments: [],
    })
  }).toThrow()
  expect(durability()).toBe(2)
  expect(database.db.inTransaction).toBe(false)
  expect(getDelivery(database.db, 'latest').seq).toBe(1)
})

test('bodies are read one at a time for describing, because together they can be gigabytes', () => {
  const body = Buffer.alloc(8 * 1_048_576, 0x20)
  const seqs = [1, 2, 3, 4, 5, 6].flatMap(() => database.put([captureOf(body)]))
  const before = process.memoryUsage().external
  const reading = readUndescribed(database.db, seqs)
  expect(reading.next().value).toMatchObject({ seq: 1, truncated: false, malformed: false })
  expect(process.memoryUsage().external - before).toBeLessThan(3 * body.length)
  expect([...reading].map(({ seq }) => seq)).toEqual([2, 3, 4, 5, 6])
})
