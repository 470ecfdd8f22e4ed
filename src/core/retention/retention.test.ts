import { fc, test as property } from '@fast-check/vitest'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { storeInFolder } from '../../../test/support/in-folder.ts'
import { createManualClock, type ManualClock } from '../../../test/support/manual-clock.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import type { PayloadOf } from '../../shared/contract/contract.ts'
import { KEEP_ALL, type Retention } from '../../shared/model/retention.ts'
import { readQuery } from '../../shared/query/parse.ts'
import { EVERYTHING } from '../../shared/query/query.ts'
import type { Store } from '../store/store.ts'
import { createEventHub } from '../base/event-hub.ts'
import { times } from '../../../test/support/long-form.ts'
import { Deletions, UNDO_MS } from './deletions.ts'
import { createRetentionService, type RetentionService } from './retention.ts'
import { createRemoval } from './removal.ts'
import { StorageLimits } from './storage-limits.ts'

const DAY = 86_400_000
const quiet = { info: () => undefined, warn: () => undefined, bug: () => '' }
const HOW = { pinned: false, preview: false, final: false } as const

let folder: string
let store: Store
let keeping: RetentionService
let clock: ManualClock
let limits: Retention
let deleted: PayloadOf<'deliveries.deleted'>[]

async function start(
  options: Partial<Parameters<typeof createRetentionService>[0]> = {},
): Promise<void> {
  store = await storeInFolder(folder)
  const hub = createEventHub()
  hub.on('deliveries.deleted', (change) => deleted.push(change))
  keeping = createRetentionService({
    store,
    clock,
    log: quiet,
    limits: () => limits,
    isServing: true,
    hub,
    ...options,
  })
}

async function stop(): Promise<void> {
  await keeping.close()
  await store.close()
}

beforeEach(async () => {
  folder = temporaryFolder()
  clock = createManualClock()
  limits = KEEP_ALL
  deleted = []
  await start()
})
afterEach(async () => {
  await stop()
})

async function put(
  ages: readonly number[],
  body = (index: number) => `{"word":"word${index}"}`,
): Promise<string[]> {
  const captures = ages.map((age, index) =>
    captureOf(body(index), { receivedAt: clock.now() - age * DAY }),
  )
  await Promise.all(captures.map((capture) => store.capture(capture)))
  await store.settled()
  return captures.map(({ row }) => row.id)
}

const putLarge = (count: number) =>
  put(
    Array.from({ length: count }, () => 0),
    () => JSON.stringify('x'.repeat(20_000)),
  )

const find = async (text = '') =>
  store.search.find(readQuery(text, { now: clock.now(), hooks: [] }), {})
const all = (input: Partial<Parameters<RetentionService['remove']>[0]> = {}) =>
  keeping.remove({ query: EVERYTHING, ...HOW, ...input })
const isTakenOut = async (seq: number) =>
  (await store.read('body', { seq, offset: 0, length: 1 })).size === 0

async function applyLimits(asked: Retention): Promise<number> {
  const deps = { store, clock, log: quiet, hub: createEventHub() }
  const removal = createRemoval(deps, () => Number.MAX_SAFE_INTEGER)
  const deletions = new Deletions(deps, removal)
  const retention = new StorageLimits(deps, { deletions, removal, limits: () => asked })
  const count = await retention.apply()
  await removal.drained()
  return count
}

describe('deleting', () => {
  test('can be undone for ten seconds, and is final afterwards', async () => {
    const ids = await put([0, 0, 0])
    const { deletion, count, undoMs } = await keeping.remove({
      ids: ids.slice(0, 2),
      query: EVERYTHING,
      ...HOW,
    })
    expect({ count, undoMs }).toEqual({ count: 2, undoMs: UNDO_MS })
    expect(await find()).toEqual([3])
    expect(store.total()).toBe(1)
    await clock.advance(UNDO_MS - 1)
    expect(await keeping.restore(deletion ?? '')).toBe(2)
    expect(await find()).toEqual([3, 2, 1])
    expect(store.total()).toBe(3)

    const again = await keeping.remove({ ids: ids.slice(0, 1), query: EVERYTHING, ...HOW })
    await clock.advance(UNDO_MS)
    await expect(keeping.restore(again.deletion ?? '')).rejects.toThrow('can no longer be undone')
    await expect.poll(() => isTakenOut(1)).toBe(true)
    expect(await isTakenOut(2)).toBe(false)
  })

  test('changes nothing if one of the IDs is unknown', async () => {
    const ids = await put([0])
    await expect(
      keeping.remove({ ids: [...ids, 'nobody'], query: EVERYTHING, ...HOW }),
    ).rejects.toThrow('Delivery nobody not found')
    await expect(keeping.mark([...ids, 'nobody'], { pinned: true })).rejects.toThrow(
      'Nothing was changed',
    )
    expect(await find('-is:pinned')).toEqual([1])
  })

  test('reports which deliveries were deleted and how many are left', async () => {
    const ids = await put([0, 0])
    await keeping.remove({ ids: ids.slice(1), query: EVERYTHING, ...HOW })
    expect(deleted).toEqual([{ seqs: [2], more: false, total: 1 }])
  })

  test('resolves a final deletion once everything is removed and the search has forgotten it', async () => {
    await put([0, 0])
    await expect
      .poll(async () => (await store.status()).search)
      .toEqual({ state: 'ready', left: 0 })
    expect(await find('word1')).toEqual([2])
    expect(await all({ final: true })).toMatchObject({ count: 2, deletion: null })
    expect(await isTakenOut(1)).toBe(true)
    expect([await find(), await find('word1')]).toEqual([[], []])
    expect(await store.read('removedSeqs', null)).toEqual([])
  })

  test('keeps a half-done deletion hidden after a stop and completes it at the next start', async () => {
    await put([0, 0])
    await all()
    await stop()
    await start()
    expect(await find()).toEqual([])
    expect(store.total()).toBe(0)
    await expect.poll(() => isTakenOut(1)).toBe(true)
    // The seq isn't reused.
    expect(await store.capture(captureOf('{}'))).toBe(3)
    await store.settled()
    expect(await find()).toEqual([3])
  })

  test('forgets at the next start deliveries removed just before a stop', async () => {
    await put([0, 0])
    await store.hide([1], 0)
    const deletable = await store.read('deletable', { before: 1, limit: 1 })
    await store.write('remove', { deletable, budgetMs: 1_000 })
    expect(await store.read('removedSeqs', null)).toEqual([1])
    await stop()
    await start()
    await expect.poll(() => store.read('removedSeqs', null)).toEqual([])
  })
})

describe('limits', () => {
  test('remove deliveries that have just arrived', async () => {
    await Promise.all([1, 2, 3].map((n) => store.capture(captureOf(`{"n":${n}}`))))
    expect(await applyLimits({ days: null, deliveries: 1, bytes: null })).toBe(2)
    expect([await isTakenOut(1), await isTakenOut(2)]).toEqual([true, true])
  })

  test('by number wait for an exact count of very many deliveries instead of the first estimate', async () => {
    await put([0, 0, 0, 0, 0])
    await all({ query: readQuery('word1 OR word2', { now: clock.now(), hooks: [] }), final: true })
    await stop()
    store = await storeInFolder(folder, { countedAtStart: 0 })
    expect(await applyLimits({ days: null, deliveries: 3, bytes: null })).toBe(0)
    expect(await find()).toEqual([5, 4, 1])
    await store.close()
    await start()
  })

  test('are checked every minute', async () => {
    await put([0.5, 0])
    limits = { ...KEEP_ALL, days: 1 }
    expect(await keeping.preview(limits)).toEqual({ count: 0, least: false })
    await expect.poll(() => clock.waits()).toEqual([60_000])
    await clock.advance(DAY * 0.6)
    await expect
      .poll(async () => {
        await clock.advance(60_000)
        return find()
      })
      .toEqual([2])
  })

  test('by age ignore a clock that is set ahead or back meanwhile', async () => {
    limits = { ...KEEP_ALL, days: 30 }
    await put([29, 0])
    keeping.limitsChanged()
    for (const step of [365 * DAY, -3_650 * DAY, 3_285 * DAY]) {
      clock.step(step)
      await clock.advance(60_000)
      await clock.sleeping()
    }
    expect(await find()).toEqual([2, 1])
    await clock.advance(DAY)
    await expect
      .poll(async () => {
        await clock.advance(60_000)
        return find()
      })
      .toEqual([2])
  })

  test('by size remove the oldest deliveries until the file is within the limit', async () => {
    await putLarge(300)
    const { used } = await keeping.storage()
    limits = { ...KEEP_ALL, bytes: Math.round(used / 2) }
    const { count, least } = await keeping.preview(limits)
    expect(least).toBe(true)
    keeping.limitsChanged()
    await expect.poll(async () => (await keeping.storage()).used).toBeLessThanOrEqual(used / 2)
    await expect.poll(() => deleted.length).toBe(1)
    const left = await find()
    expect(left[0]).toBe(300)
    expect(300 - left.length).toBeGreaterThan(count * 0.5)
    expect(left).toEqual(Array.from({ length: left.length }, (_, index) => 300 - index))
    expect(left.length).toBeGreaterThan(100)
  })
})

const putMebibytes = (count: number) =>
  put(
    Array.from({ length: count }, () => 0),
    () => JSON.stringify('x'.repeat(1_048_576)),
  )

test('free space is returned to the disk after a large deletion, and left for new deliveries after a small one', async () => {
  await putMebibytes(70)
  // A reader can keep the log from being written back to the file.
  const full = (await keeping.storage()).used
  expect(full).toBeGreaterThan(70 * 1_048_576)
  await all({ final: true })
  const { free } = await keeping.storage()
  expect(free).toBe(0)
  await expect
    .poll(async () => (await keeping.storage()).database)
    .toBeLessThan(full - 69 * 1_048_576)
  expect(await store.capture(captureOf('{}'))).toBe(71)

  await putMebibytes(2)
  await all({ final: true })
  expect((await keeping.storage()).free).toBeGreaterThan(1_048_576)
})

property.prop(
  {
    ages: fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 25 }),
    pins: fc.array(fc.nat(24), { maxLength: 6 }),
    days: fc.option(fc.integer({ min: 1, max: 60 })),
    most: fc.option(fc.integer({ min: 1, max: 20 })),
  },
  { numRuns: times(5, 240) },
)(
  'for any stored and pinned deliveries, limits never remove a pin, remove the oldest first, are foretold exactly, and are kept in the end',
  async ({ ages, pins, days, most }) => {
    await all({ pinned: true, final: true })
    expect(store.total()).toBe(0)
    const ids = await put(ages)
    const pinned = new Set(pins.filter((pin) => pin < ids.length).map((pin) => ids[pin] ?? ''))
    if (pinned.size > 0) await keeping.mark([...pinned], { pinned: true })
    const asked: Retention = { days, deliveries: most, bytes: null }
    const { count } = await keeping.preview(asked)
    expect(await applyLimits(asked)).toBe(count)

    const left = new Set((await store.read('deliveriesBySeq', await find())).map(({ id }) => id))
    for (const id of pinned) expect(left.has(id)).toBe(true)
    const free = ids
      .map((id, index) => ({ id, age: ages[index] ?? 0 }))
      .filter(({ id }) => !pinned.has(id))
    const young = free.filter(({ age }) => days === null || age <= days)
    const kept = most === null ? young : young.slice(-most)
    expect(free.filter(({ id }) => left.has(id)).map(({ id }) => id)).toEqual(
      kept.map(({ id }) => id),
    )
    expect(await applyLimits(asked)).toBe(0)
  },
)
