import { beforeEach, expect, test } from 'vitest'
import { databaseInFolder } from '../../../test/support/in-folder.ts'
import { endedSend, jobOf } from '../../../test/support/stored-replay.ts'
import type { TestDatabase } from '../../../test/support/test-database.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import { openForReading } from './open.ts'
import {
  cancelReplay,
  countSends,
  insertReplay,
  listReplays,
  readReplay,
  releaseReplay,
  resumeReplay,
} from './replays.ts'
import { sendsOfDelivery, sendsOfReplay, type SendsOfReplay } from './sends.ts'
import { packSends, prepareSends, type EndedSend } from './record-sends.ts'
import { readSend } from './stored-send.ts'

const ID = 'first'
const COUNT = 6
let database: TestDatabase
let seqs: number[]

beforeEach(() => {
  database = databaseInFolder()
  seqs = database.put(Array.from({ length: COUNT }, () => captureOf('{}')))
  insertReplay(database.db, jobOf(ID, seqs))
})

const sendsShown = (more: Partial<SendsOfReplay> = {}) =>
  sendsOfReplay(database.db, { replayId: ID, after: 0, limit: 100, show: 'all', ...more })
const states = (more: Partial<SendsOfReplay> = {}) => sendsShown(more).map(({ state }) => state)

/** Records how far a replay has come, and that some of its sends have ended. */
function write(reached: number, positions: readonly number[], more: Partial<EndedSend> = {}) {
  const sends = positions.map((position) =>
    endedSend({ replayId: ID, position, deliverySeq: seqs[(position - 1) % COUNT]!, ...more }),
  )
  return prepareSends(database.db)(packSends(sends, { replayId: ID, position: reached, at: 2 }))
    .progress
}

const counts = (isOver = false) => {
  const replay = readReplay(database.db, ID)
  return countSends(replay, { started: replay.reached, isOver })
}
const resume = (owner = 7, at = 20_000 * owner) => resumeReplay(database.db, { id: ID, owner, at })

test("sends without a record up to the replay's progress are in progress, later ones are pending", () => {
  expect(write(4, [])).toMatchObject({ isCancelled: false, tally: { passed: 0 } })
  expect(write(4, [1, 3])).toMatchObject({ tally: { passed: 2, failed: 0 } })
  expect(states()).toEqual(['settled', 'under-way', 'settled', 'under-way', 'waiting', 'waiting'])
  expect(counts()).toMatchObject({ total: 6, waiting: 2, underWay: 2, passed: 2 })
  expect(states({ after: 1, limit: 2 })).toEqual(['under-way', 'settled'])
  expect(states({ after: 4, limit: 1 })).toEqual(['waiting'])
  expect(readSend(database.db, `${ID}.5`)).toMatchObject({
    state: 'waiting',
    target: 'http://127.0.0.1:1/',
    sent: null,
  })
  expect(() => readSend(database.db, `${ID}.7`)).toThrow('not found')
  expect(() => readSend(database.db, ID)).toThrow('several sends')
})

test('the sends of a replay are read at one moment, even if some end meanwhile', () => {
  const reader = openForReading(database.db.name)
  const prepare = reader.prepare.bind(reader)
  Object.assign(reader, {
    prepare(sql: string) {
      if (sql.includes('replay_plans')) write(COUNT, [1, 3])
      return prepare(sql)
    },
  })
  const input = { replayId: ID, after: 0, limit: COUNT, show: 'all' } as const
  expect(sendsOfReplay(reader, input)).toHaveLength(COUNT)
  reader.close()
})

test('however many sends of a delivery are pending, those that ended are listed', () => {
  const [first = 0] = seqs
  insertReplay(database.db, jobOf('many', Array(40).fill(first)))
  write(3, [1, 2, 3], { replayId: 'many', deliverySeq: first })
  const listed = sendsOfDelivery(database.db, { deliverySeq: first, limit: 10 })
  expect(listed.map(({ state }) => state)).toEqual([
    ...Array(7).fill('waiting'),
    ...Array(3).fill('settled'),
  ])
})

test('an interrupted replay marks sends in progress and repeats them once', () => {
  write(5, [1, 3, 4])
  expect(resume()).toMatchObject({
    stored: { owner: 7, sendCount: 8 },
    seqs: Float64Array.from([1, 2, 3, 4, 5, 6, 2, 5], (position) => seqs[position - 1]!),
  })
  expect(resume(8, 140_001)).toBeNull()
  expect(states()).toEqual([
    ...['settled', 'uncertain', 'settled', 'settled', 'uncertain'],
    ...['waiting', 'waiting', 'waiting'],
  ])
  expect(counts()).toMatchObject({ total: 6, waiting: 3, underWay: 0, passed: 3, uncertain: 2 })
})

test('a cancelled replay lists unsent ones', () => {
  write(3, [1])
  cancelReplay(database.db, ID)
  expect(write(3, [])?.isCancelled).toBe(true)
  expect(counts(true)).toMatchObject({ total: 6, underWay: 0, uncertain: 2, cancelled: 3 })
  expect(resume()).toBeNull()
  expect(states()).toEqual([
    ...['settled', 'uncertain', 'uncertain'],
    ...['cancelled', 'cancelled', 'cancelled'],
  ])
  const unsent = (after: number) =>
    sendsShown({ after, limit: 2, show: 'not-sent' }).map(({ position }) => position)
  expect([unsent(0), unsent(5)]).toEqual([[4, 5], [6]])
  expect(sendsOfDelivery(database.db, { deliverySeq: seqs[5]!, limit: 9 })).toEqual([])
})

test("a removed delivery's send is neither recorded nor listed, and the others keep their positions", () => {
  database.db.prepare('DELETE FROM deliveries WHERE seq = ?').run(seqs[1])
  expect(write(2, [1, 2], { state: 'not-sent' })).toMatchObject({ tally: { notSent: 2 } })
  expect(sendsShown().map(({ position }) => position)).toEqual([1, 3, 4, 5, 6])
})

test("the counts of a finished replay are stored with it, and its sends aren't counted again", () => {
  write(COUNT, [1, 2, 3, 4, 5, 6])
  releaseReplay(database.db, { id: ID, state: 'done' })
  database.db.exec('DELETE FROM sends')
  expect(counts(true)).toMatchObject({ total: COUNT, passed: COUNT, waiting: 0, cancelled: 0 })
  expect(listReplays(database.db, 10)).toMatchObject([{ id: ID, state: 'done', sendCount: COUNT }])
  expect(sendsShown()).toEqual([])
})
