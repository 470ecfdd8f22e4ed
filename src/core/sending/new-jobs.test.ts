/** Writing a job and its requests: piece by piece, in order, completely or not at all. */
import { beforeAll, expect, test } from 'vitest'
import { storeInFolder } from '../../../test/support/in-folder.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { testDeps } from '../../../test/support/test-core.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import { NO_EDITS } from '../../shared/model/replay-edits.ts'
import type { Store } from '../store/store.ts'
import { systemClock } from '../base/system-clock.ts'
import { createNewJobs, type JobToWrite } from './replay-job.ts'

const PIECE = 2_000
const never = new AbortController().signal
const kind = { id: 'one', hookId: null, environment: null, mode: null }
let folder: string
let store: Store
let seqs: number[]

beforeAll(async () => {
  folder = temporaryFolder()
  store = await storeInFolder(folder)
  seqs = await Promise.all(Array.from({ length: 3 }, () => store.capture(captureOf('{}'))))
})

const jobsOver = (over: Pick<Store, 'read' | 'write'>) =>
  createNewJobs({ store: over, clock: systemClock, log: testDeps(folder).log })

function jobOf(id: string, repeat: number, targets = ['http://127.0.0.1:1/']): JobToWrite {
  return {
    id,
    body: null,
    variant: null,
    onWritten: () => undefined,
    settings: {
      query: null,
      to: null,
      hookId: null,
      handlerId: null,
      registeredUrl: null,
      tamper: null,
      edits: NO_EDITS,
      concurrency: 1,
      rate: null,
      targetCa: null,
      repeat,
    },
    selected: {
      seqs,
      kinds: targets.map(() => kind),
      kindOf: seqs.map((_, place) => place % targets.length),
    },
    targets,
  }
}

const sendsOf = (jobId: string) =>
  store.read('sendsOfJob', { jobId, after: 0, limit: 100_000, show: 'all' })

/** A store that counts the written pieces and announces each one. */
function watched(onPiece: (count: number) => void): Pick<Store, 'read' | 'write'> {
  let pieces = 0
  return {
    read: store.read,
    write: ((name, input, transfer) => {
      if (name === 'addReplaySends') onPiece(++pieces)
      return store.write(name, input, transfer)
    }) as Store['write'],
  }
}

test('requests are written round by round, in the given order, each kind to its target', async () => {
  const sizes: number[] = []
  const repeat = PIECE
  const targets = ['http://127.0.0.1:1/a', 'http://127.0.0.1:1/b']
  const job = await jobsOver(watched((count) => sizes.push(count))).write(
    jobOf('rounds', repeat, targets),
    never,
  )
  expect(job).toMatchObject({
    state: 'running',
    counts: { total: 3 * repeat, waiting: 3 * repeat },
  })
  expect(sizes).toEqual([1, 2, 3])
  const first = await store.read('waitingSends', { jobId: 'rounds', after: 0, limit: 7 })
  expect(first.sends.map((send) => send[2])).toEqual([1, 2, 3, 4, 5, 6, 7])
  const sends = await sendsOf('rounds')
  expect(sends.slice(-4).map(({ position, target }) => [position, target.at(-1)])).toEqual([
    [3 * repeat - 3, 'a'],
    [3 * repeat - 2, 'a'],
    [3 * repeat - 1, 'b'],
    [3 * repeat, 'a'],
  ])
  expect(new Set(sends.map(({ deliveryId }) => deliveryId)).size).toBe(3)
})

test("a start cancelled during the last piece doesn't begin", async () => {
  const aborting = new AbortController()
  const job = { ...jobOf('late', 1), onWritten: () => aborting.abort() }
  await expect(jobsOver(store).write(job, aborting.signal)).rejects.toThrow('abort')
  expect([await sendsOf('late'), await store.read('preparingReplays', null)]).toEqual([[], []])
})

test('incoming deliveries are stored between two pieces', async () => {
  let isStored = false
  let wasStored = false
  const over = watched((count) => {
    if (count === 1) void store.capture(captureOf('{}')).then(() => (isStored = true))
    if (count === 6) wasStored = isStored
  })
  await jobsOver(over).write(jobOf('between', 2 * PIECE), never)
  expect(wasStored).toBe(true)
})

test('leftovers of an ended process are removed, those of a running process are not', async () => {
  const leave = async (id: string, owner: number, at: number) => {
    const { settings, body, variant } = jobOf(id, 1)
    await store.write('insertReplayJob', { id, createdAt: at, owner, settings, body, variant })
    const runs = [{ target: 'http://127.0.0.1:1/', from: 1, seqs: seqs.slice(0, 1) }]
    await store.write('addReplaySends', { jobId: id, at, tamper: null, variant, runs })
  }
  await leave('left', process.ppid, 1)
  await leave('of a number taken over', process.pid, Date.now())
  await leave('alive', process.ppid, Date.now())
  await jobsOver(store).sweep(never)
  expect((await store.read('preparingReplays', null)).map(({ id }) => id)).toEqual(['alive'])
  expect([await sendsOf('left'), (await sendsOf('alive')).length]).toEqual([[], 1])
})
