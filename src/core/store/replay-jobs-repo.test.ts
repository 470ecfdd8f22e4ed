/** How replays are stored: what counts as in progress, what an interrupted job resumes with, and what a cancelled one leaves. */
import { beforeEach, expect, test } from 'vitest'
import { databaseInFolder } from '../../../test/support/in-folder.ts'
import { NEW, sendsOf } from '../../../test/support/stored-replay.ts'
import type { TestDatabase } from '../../../test/support/test-database.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import { NO_EDITS } from '../../shared/model/replay-edits.ts'
import { prepareSends } from './record-sends.ts'
import {
  cancelSends,
  endJob,
  listJobs,
  readJob,
  readSettings,
  addSends,
  insertJob,
  readyJob,
} from './replay-jobs-repo.ts'
import { packSends, type EndedSend } from './sends-batch.ts'
import { sendsOfJob } from './sends-repo.ts'

const ID = 'job'
const COUNT = 6
let database: TestDatabase

beforeEach(() => {
  database = databaseInFolder()
  const seqs = database.put(Array.from({ length: COUNT }, () => captureOf('{}')))
  insertJob(database.db, { ...NEW, id: ID })
  addSends(database.db, sendsOf(ID, seqs))
  readyJob(database.db, { id: ID, at: 1, total: COUNT })
})

const states = () =>
  sendsOfJob(database.db, { jobId: ID, after: 0, limit: 100, show: 'all' }).map(
    ({ state }) => state,
  )
const seqAt = (place: number) =>
  database.db
    .prepare<[string, number], number>('SELECT seq FROM sends WHERE job_id = ? AND position = ?')
    .pluck()
    .get(ID, place) ?? 0

function write(batch: {
  readonly reached?: number
  readonly ended?: readonly number[]
  readonly passed?: boolean
}) {
  const { reached, ended = [], passed = true } = batch
  const settled = (place: number): EndedSend => ({
    seq: seqAt(place),
    state: 'settled',
    startedAt: 1_000 + place,
    registeredUrl: 'https://example.test/in',
    status: passed ? 200 : 500,
    ms: 1,
    phases: null,
    errorKind: null,
    error: null,
    passed,
    forged: false,
    certificateProblem: null,
    headers: [],
    body: new Uint8Array(),
    truncated: false,
    request: null,
  })
  const { outcomes } = prepareSends(database.db)(
    packSends({
      reached: reached === undefined ? [] : [{ jobId: ID, place: reached }],
      begun: [],
      ended: ended.map(settled),
      released: [],
    }),
  )
  return outcomes
}

test("pending sends up to the job's progress are in progress", () => {
  expect(write({ reached: 4 })).toEqual([])
  expect(write({ ended: [1, 3] })).toEqual(['first-pass', 'first-pass'])
  expect(states()).toEqual(['settled', 'under-way', 'settled', 'under-way', 'waiting', 'waiting'])
  expect(readJob(database.db, ID)).toMatchObject({
    reached: 4,
    counts: { total: 6, waiting: 2, underWay: 2, passed: 2 },
  })
})

/** Cancels all pending sends after a place, two at a time; returns the places it continued from. */
function cancelFrom(place: number): number[] {
  const steps: number[] = []
  for (let after: number | null = place; after !== null;) {
    steps.push(after)
    after = cancelSends(database.db, { jobId: ID, after, most: 2 })
  }
  endJob(database.db, { id: ID, state: 'cancelled', counts: readJob(database.db, ID).counts })
  return steps
}

test('pending sends are cancelled in pieces, each after the previous one', () => {
  expect(cancelFrom(1)).toEqual([1, 3, 5, 6])
  expect(states()).toEqual([
    'waiting',
    'cancelled',
    'cancelled',
    'cancelled',
    'cancelled',
    'cancelled',
  ])
  expect(readJob(database.db, ID).state).toBe('cancelled')
})

test("the counts of a finished job are stored with it, and its sends aren't counted again", () => {
  write({ reached: COUNT, ended: [1, 2, 3, 4, 5, 6] })
  const { counts } = readJob(database.db, ID)
  endJob(database.db, { id: ID, state: 'done', counts })
  database.db.exec('DELETE FROM sends')
  expect(readJob(database.db, ID)).toMatchObject({ state: 'done', counts })
  expect(listJobs(database.db, 10)).toMatchObject([
    { id: ID, counts: { total: COUNT, passed: COUNT } },
  ])
})

test('settings that a job was stored without have their defaults', () => {
  const { query: _query, repeat: _repeat, edits: _edits, ...first } = NEW.settings
  expect(readSettings(JSON.stringify(first))).toEqual(NEW.settings)
  expect(readSettings(JSON.stringify({ ...first, edits: { signature: 'keep' } })).edits).toEqual({
    ...NO_EDITS,
    signature: 'keep',
  })
})
