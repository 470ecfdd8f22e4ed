/** How replays are stored before they start: all of a job or nothing, its sends in runs. */
import { beforeEach, expect, test } from 'vitest'
import { databaseInFolder } from '../../../test/support/in-folder.ts'
import { NEW, sendsOf } from '../../../test/support/stored-replay.ts'
import type { TestDatabase } from '../../../test/support/test-database.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import {
  listJobs,
  readJob,
  addSends,
  dropJob,
  insertJob,
  preparingJobs,
  readyJob,
} from './replay-jobs-repo.ts'
import { sendsOfJob } from './sends-repo.ts'

const ID = 'job'
let database: TestDatabase

beforeEach(() => {
  database = databaseInFolder()
  insertJob(database.db, { ...NEW, id: ID, createdAt: 7, owner: 5 })
})

const put = (count: number) => database.put(Array.from({ length: count }, () => captureOf('{}')))
const sendsOfIt = () => sendsOfJob(database.db, { jobId: ID, after: 0, limit: 9, show: 'all' })

test('a job exists only when all its sends are stored, and an incomplete one is removed in pieces', () => {
  expect(addSends(database.db, { ...sendsOf(ID, put(3)), at: 8 })).toBe(3)
  expect(listJobs(database.db, 10)).toEqual([])
  expect(() => readJob(database.db, ID)).toThrow(`Replay ${ID} not found.`)
  expect(preparingJobs(database.db)).toEqual([{ id: ID, owner: 5, aliveAt: 8 }])
  expect(dropJob(database.db, { id: ID, most: 2 })).toBe(true)
  expect(preparingJobs(database.db)).toHaveLength(1)
  expect(dropJob(database.db, { id: ID, most: 2 })).toBe(false)
  expect(preparingJobs(database.db)).toEqual([])
  expect(sendsOfIt()).toEqual([])
})

test('deleted deliveries have no send, and the others keep their places', () => {
  const [first = 0, third = 0] = put(2)
  expect(addSends(database.db, sendsOf(ID, [first, 1_000_000, third]))).toBe(2)
  const job = readyJob(database.db, { id: ID, at: 9, total: 2 })
  expect(job).toMatchObject({
    state: 'running',
    aliveAt: 9,
    reached: 0,
    counts: { total: 2, waiting: 2 },
  })
  expect(sendsOfIt().map(({ position }) => position)).toEqual([1, 3])
})

test('runs of sends reach their own targets, one after the other', () => {
  const [first = 0, second = 0, third = 0] = put(3)
  const runs = [
    { target: 'http://127.0.0.1:1/a', from: 1, seqs: [first, second] },
    { target: 'http://127.0.0.1:1/b', from: 3, seqs: [third, first] },
  ]
  expect(addSends(database.db, { ...sendsOf(ID, []), runs })).toBe(4)
  readyJob(database.db, { id: ID, at: 9, total: 4 })
  expect(sendsOfIt().map(({ position, target }) => `${position}${target.at(-1)}`)).toEqual([
    '1a',
    '2a',
    '3b',
    '4b',
  ])
})

test('foreign keys are enforced again once the sends are stored, also after a failure', () => {
  const isHeld = () => database.db.pragma('foreign_keys', { simple: true })
  addSends(database.db, sendsOf(ID, put(1)))
  expect(isHeld()).toBe(1)
  expect(() => addSends(database.db, sendsOf(ID, put(1)))).toThrow('UNIQUE')
  expect(isHeld()).toBe(1)
})

test('nothing of a started job is removed', () => {
  addSends(database.db, sendsOf(ID, put(1)))
  readyJob(database.db, { id: ID, at: 9, total: 1 })
  expect(dropJob(database.db, { id: ID, most: 2 })).toBe(false)
  expect([sendsOfIt().length, readJob(database.db, ID).state]).toEqual([1, 'running'])
})
