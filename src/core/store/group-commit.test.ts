import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import { createGroupCommit } from './group-commit.ts'
import type { IngestBatch } from './ingest.ts'
import { createPace } from './pace.ts'

interface Committing {
  readonly batch: IngestBatch
  resolve(): void
  reject(error: Error): void
}

function createWriter() {
  const batches: Committing[] = []
  return {
    batches,
    commit: (batch: IngestBatch) =>
      new Promise<void>((resolve, reject) => {
        batches.push({ batch, resolve, reject })
      }),
    async next(): Promise<Committing> {
      for (let tries = 0; tries < 50; tries++) {
        const batch = batches.shift()
        if (batch !== undefined) return batch
        await turn()
      }
      throw new Error('No batch came.')
    },
  }
}

const pathsOf = ({ batch }: Committing) => batch.rows.map(({ path }) => path)
const capture = (path: string, body: string | Uint8Array = path) => captureOf(body, { path })

describe('group commit', () => {
  test('packs everything from one turn into one batch, in order, byte for byte', async () => {
    const writer = createWriter()
    const group = createGroupCommit(7, writer.commit)
    const seqs = Promise.all(
      ['a', 'bb', '', 'dddd'].map((text) => group.capture(capture(`/${text}`, text))),
    )
    const one = await writer.next()
    expect(pathsOf(one)).toEqual(['/a', '/bb', '/', '/dddd'])
    expect(one.batch.rows.map(({ keptBytes }) => keptBytes)).toEqual([1, 2, 0, 4])
    expect(Buffer.from(one.batch.bodies).toString()).toBe('abbdddd')
    one.resolve()
    expect(await seqs).toEqual([7, 8, 9, 10])
  })

  test('acknowledges nothing before the commit, and has one batch in flight', async () => {
    const writer = createWriter()
    const group = createGroupCommit(1, writer.commit)
    const acknowledged: number[] = []
    const first = group.capture(capture('/1')).then((seq) => acknowledged.push(seq))
    const one = await writer.next()
    const second = group.capture(capture('/2')).then((seq) => acknowledged.push(seq))
    const third = group.capture(capture('/3')).then((seq) => acknowledged.push(seq))
    for (let turns = 0; turns < 5; turns++) await turn()
    expect(acknowledged).toEqual([])
    expect(writer.batches).toEqual([])
    expect(group.isIdle()).toBe(false)
    one.resolve()
    await first
    const two = await writer.next()
    expect(acknowledged).toEqual([1])
    expect(pathsOf(two)).toEqual(['/2', '/3'])
    two.resolve()
    await Promise.all([second, third])
    expect(acknowledged).toEqual([1, 2, 3])
  })

  test('a failed batch fails for each of its deliveries, and the next one is tried', async () => {
    const writer = createWriter()
    const group = createGroupCommit(1, writer.commit)
    const failing = Promise.allSettled([group.capture(capture('/1')), group.capture(capture('/2'))])
    const one = await writer.next()
    const next = group.capture(capture('/3'))
    one.reject(new Error('disk full'))
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const two = await writer.next()
    two.resolve()
    expect(await next).toBeGreaterThan(0)
    expect(two.batch.rows.map(({ seq }) => seq)).not.toContain(one.batch.rows[0]?.seq)
  })

  test("a large body is committed separately, and doesn't delay others", async () => {
    const writer = createWriter()
    const group = createGroupCommit(1, writer.commit)
    const all = Promise.all([
      group.capture(capture('/small')),
      group.capture(capture('/large', Buffer.alloc(9 * 1_048_576))),
      group.capture(capture('/small-2')),
    ])
    const paths: (string | null)[][] = []
    for (let count = 0; count < 3; count++) {
      const batch = await writer.next()
      paths.push(pathsOf(batch))
      batch.resolve()
    }
    expect(paths).toEqual([['/small'], ['/large'], ['/small-2']])
    expect(await all).toEqual([1, 2, 3])
  })

  test('a batch has at most a thousand deliveries', async () => {
    const writer = createWriter()
    const group = createGroupCommit(1, writer.commit)
    const all = Promise.all(
      Array.from({ length: 1_500 }, (_, index) => group.capture(capture(`/${index}`, ''))),
    )
    const one = await writer.next()
    expect(one.batch.rows).toHaveLength(1_000)
    one.resolve()
    const two = await writer.next()
    expect(two.batch.rows).toHaveLength(500)
    two.resolve()
    expect(await all).toEqual(Array.from({ length: 1_500 }, (_, index) => index + 1))
  })

  test('is drained when every delivery is stored or rejected', async () => {
    const writer = createWriter()
    const group = createGroupCommit(1, writer.commit)
    await group.drained()
    const failing = group.capture(capture('/1')).catch((error: Error) => error.message)
    let isDrained = false
    const drained = group.drained().then(() => (isDrained = true))
    const one = await writer.next()
    expect(isDrained).toBe(false)
    one.reject(new Error('no'))
    await drained
    expect(await failing).toBe('no')
    expect(group.isIdle()).toBe(true)
  })
})

/** Creates a clock whose sleeps end immediately and advance time; `onSleep` runs within each. */
function createFastClock(onSleep: (slept: number) => void = () => undefined) {
  let now = 0
  return {
    monotonic: () => now,
    sleep(ms: number) {
      now += ms
      onSleep(now)
      return Promise.resolve()
    },
  }
}

test("work behind the receiver doesn't wait while it is calm", async () => {
  const clock = createFastClock()
  const pace = createPace(() => false, clock)
  await pace.rest()
  expect(clock.monotonic()).toBe(0)
})

test('waits while deliveries stream in, but not forever', async () => {
  const clock = createFastClock(() => {
    pace.arrived(1)
  })
  const pace = createPace(() => false, clock)
  pace.arrived(1)
  await pace.rest()
  expect(clock.monotonic()).toBe(500)
})

test('continues soon after the last one, and waits for commits in progress', async () => {
  let busyUntil = 0
  const clock = createFastClock()
  const pace = createPace(() => clock.monotonic() < busyUntil, clock)
  pace.arrived(3)
  await pace.rest()
  expect(clock.monotonic()).toBe(40)
  busyUntil = 140
  await pace.rest()
  expect(clock.monotonic()).toBe(140)
})

test('stopping ends all waiting', async () => {
  const clock = createManualClock()
  const pace = createPace(() => true, clock)
  const waiting = pace.rest()
  expect(clock.waits()).toEqual([10])
  pace.stop()
  await waiting
  await pace.rest()
  expect(clock.waits()).toEqual([])
})
