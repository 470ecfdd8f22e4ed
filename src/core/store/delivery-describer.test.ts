import { beforeEach, describe, expect, test } from 'vitest'
import { databaseInFolder } from '../../../test/support/in-folder.ts'
import type { TestDatabase } from '../../../test/support/test-database.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import { samplePayloads } from '../../../test/support/sample-payloads.ts'
import { describePayload } from '../../shared/service/payload.ts'
import { attemptsOf } from './deliveries.ts'
import { DeliveryDescriber, type Described } from './delivery-describer.ts'
import type { AnswerRow } from './stored-responses.ts'
import { FollowUp } from './follow-up.ts'
import { getDelivery } from './find-delivery.ts'

let database: TestDatabase
beforeEach(() => {
  database = databaseInFolder()
})

interface Arriving {
  readonly body?: string
  /** Number of the notification; negative if the sender named it. */
  readonly key?: number | null
  readonly hookId?: string | null
  readonly environment?: string
  /** Response as status and milliseconds; null if dropped, absent if not sent yet. */
  readonly answer?: readonly [number | null, number]
}

/** Stores, describes and responds to one delivery after the other. */
function arrive(arriving: readonly Arriving[], lenientEnvironments: readonly string[] = []) {
  const rows = arriving.map(
    ({ body = '{}', key = 1, hookId = 'hook', environment = 'sandbox-test', answer }) => {
      const [seq = 0] = database.put([
        captureOf(body, { notificationKey: key, hookId, environment, verdict: 'valid' }),
      ])
      database.describe([], lenientEnvironments)
      if (answer !== undefined)
        database.describe([{ seq, status: answer[0], ms: answer[1] }], lenientEnvironments)
      return seq
    },
  )
  const all = database.list().toReversed()
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
    const all = database.list().toReversed()
    for (const index of [0, 2, 3]) {
      expect(attemptsOf(database.db, all[index]?.id ?? '').map(({ seq }) => seq)).toEqual([1, 3, 4])
    }
    expect(attemptsOf(database.db, all[1]?.id ?? '').map(({ seq }) => seq)).toEqual([2])
  })
})

test('one matching event is the event, several are candidates, zero is neither', () => {
  const { 'card.linked': card, 'transaction.refund': refund } = samplePayloads
  database.put([
    captureOf(JSON.stringify(card)),
    captureOf(JSON.stringify({ ...refund, cleared: true })),
    captureOf('{}'),
    captureOf('{}', { event: 'card.linked', eventSource: 'hook' }),
  ])
  database.describe()
  const found = database.list().toReversed()
  expect(
    found.map(({ event, eventSource, eventCandidates }) => [event, eventSource, eventCandidates]),
  ).toEqual([
    ['card.linked', 'payload', []],
    [null, null, expect.arrayContaining(['transaction.refund'])],
    [null, null, []],
    ['card.linked', 'hook', []],
  ])
})

test("describing keeps the connection's durability, also after a failure", () => {
  const durability = () => database.db.pragma('synchronous', { simple: true })
  expect(durability()).toBe(2)
  arrive([{}])
  expect(durability()).toBe(2)
  const { describe } = new DeliveryDescriber(database.db)
  database.db.exec('ALTER TABLE notifications RENAME TO elsewhere')
  database.put([captureOf('{}', { notificationKey: 3 })])
  expect(() => describe({ answers: [], lenientEnvironments: [] }, describePayload)).toThrow(
    /notifications/,
  )
  expect(durability()).toBe(2)
  expect(database.db.inTransaction).toBe(false)
  expect(getDelivery(database.db, 'latest').seq).toBe(2)
})

describe('deliveries are described', () => {
  const NOTHING_NEW = { answers: [], lenientEnvironments: [] }
  const schemas = () => database.list().map(({ schema }) => schema)

  test('in order, one piece after the other', () => {
    const seqs = database.put(Array.from({ length: 150 }, () => captureOf('not JSON')))
    const { describe: describeNext } = new DeliveryDescriber(database.db)
    const described = Array.from({ length: 4 }, () => describeNext(NOTHING_NEW, describePayload))
    expect(described.flatMap((piece) => piece.seqs)).toEqual(seqs)
    expect(described.map((piece) => piece.seqs.length)).toEqual([64, 64, 22, 0])
    expect(described.at(-1)?.hasMore).toBe(false)
    expect(new Set(schemas())).toEqual(new Set(['not-json']))
  })

  test('after a failed write, all of them', () => {
    const { describe: describeNext } = new DeliveryDescriber(database.db)
    database.put([captureOf('not JSON')])
    database.db.exec('ALTER TABLE details RENAME TO elsewhere')
    expect(() => describeNext(NOTHING_NEW, describePayload)).toThrow(/details/)
    database.put([captureOf('not JSON')])
    database.db.exec('ALTER TABLE elsewhere RENAME TO details')
    expect(describeNext(NOTHING_NEW, describePayload).seqs).toEqual([1, 2])
  })

  test('if one of their payloads makes reading fail, and the error is reported', () => {
    database.put([captureOf('1'), captureOf('not JSON')])
    const { bug, seqs } = new DeliveryDescriber(database.db).describe(
      NOTHING_NEW,
      (event, body) => {
        if (body.length === 1) throw new Error('It broke.')
        return describePayload(event, body)
      },
    )
    expect(seqs).toEqual([1, 2])
    expect(bug).toMatch(/It broke/)
    expect(schemas()).toEqual(['not-json', 'unknown'])
  })
})

const NOTHING: Described = { seqs: [], hasMore: false, bug: null }
const responseTo = (seq: number): AnswerRow => ({ seq, status: 200, ms: 1 })

/** Creates a `describe` that returns these results, then succeeds. */
function follow(calls: readonly (Described | Error)[]) {
  const sent: number[][] = []
  const described: number[] = []
  const logged: string[] = []
  const followUp = new FollowUp({
    describe(answers) {
      const call = calls[sent.length] ?? NOTHING
      sent.push(answers.map(({ seq }) => seq))
      return call instanceof Error ? Promise.reject(call) : Promise.resolve(call)
    },
    onDescribed: (seqs) => described.push(...seqs),
    isBusy: () => false,
    log: {
      info: () => undefined,
      warn: (message) => logged.push(message),
      bug: (error) => String(logged.push((error as Error).message)),
    },
  })
  return { followUp, sent, described, logged }
}

test('deliveries that are stored together are described together, piece by piece until nothing is left', async () => {
  const { followUp, sent, described } = follow([
    { seqs: [1, 2], hasMore: true, bug: null },
    { seqs: [3], hasMore: false, bug: null },
  ])
  followUp.stored()
  followUp.stored()
  followUp.answered(responseTo(1))
  await followUp.settled(10_000)
  expect(sent).toEqual([[1], []])
  expect(described).toEqual([1, 2, 3])
})

test('responses that could not be stored are sent again, in order, and reported once', async () => {
  const full = new Error('database or disk is full')
  const { followUp, sent, logged } = follow([full, full])
  followUp.answered(responseTo(1))
  await followUp.settled(10_000)
  followUp.answered(responseTo(2))
  // Nobody waits for what just failed.
  await followUp.settled(10_000)
  expect(sent).toEqual([[1]])
  await expect.poll(() => sent.length).toBe(3)
  expect(sent).toEqual([[1], [1, 2], [1, 2]])
  expect(logged).toEqual(["Deliveries can't be described for now."])
})

test('closing describes what waits, and a payload that made describing fail is reported', async () => {
  const { followUp, sent, logged } = follow([{ seqs: [1], hasMore: true, bug: 'It broke.' }])
  followUp.stored()
  await followUp.close()
  expect(sent).toEqual([[], []])
  expect(logged).toEqual(['It broke.'])
  followUp.stored()
  expect(sent).toHaveLength(2)
})
