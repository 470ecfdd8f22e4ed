import { mkdir, rename, rm, rmdir } from 'node:fs/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { BRIEF, databaseInFolder, storeInFolder, THREADS } from '../../../test/support/in-folder.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { captureOf, knownElsewhere, verifiedClaim } from '../../../test/support/test-store.ts'
import { readQuery } from '../../shared/query/parse.ts'
import { EVERYTHING } from '../../shared/query/query.ts'
import { searchFileOf } from './search/open-search.ts'
import type { Store } from './store.ts'
import { createDeliveryCount } from './delivery-count.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

/** Stores and indexes three imported deliveries whose signatures no known hook verifies. */
async function storeClaims(): Promise<void> {
  const store = await storeInFolder(folder)
  for (const body of ['1', '2', '3'])
    await store.capture(
      captureOf(body, { verdict: 'unknown-hook', importedFacts: knownElsewhere() }),
    )
  await store.settled()
  await expect.poll(async () => (await store.status()).search).toEqual({ state: 'ready', left: 0 })
  await store.close()
}

async function foundWith(text: string): Promise<number[]> {
  const store = await storeInFolder(folder)
  await expect.poll(async () => (await store.status()).search).toEqual({ state: 'ready', left: 0 })
  const seqs = await store.search.find(readQuery(text, { now: 0, hooks: [] }), { limit: 10 })
  await store.close()
  return seqs
}

describe('the store', () => {
  test('without threads writes and reads the same', async () => {
    const threaded = await storeInFolder(folder, THREADS)
    await threaded.capture(captureOf('by a thread'))
    await threaded.settled(60_000)
    const [row] = await threaded.read('rowsBySeq', [1])
    await threaded.close()
    let threads = 0
    const count = () => threads++
    process.on('worker', count)
    const store = await storeInFolder(folder, BRIEF)
    expect(await store.read('rowsBySeq', [1])).toEqual([row])
    expect(await store.capture(captureOf('here'))).toBe(2)
    expect(await store.write('durability', null)).toEqual({ journalMode: 'wal', synchronous: 2 })
    await store.close()
    process.off('worker', count)
    expect(threads).toBe(0)
    expect(await foundWith('here')).toEqual([2])
  })

  test('counts up to a limit, says whether there may be more, and stops when nobody waits', async () => {
    const store = await storeInFolder(folder)
    await Promise.all(['1', '2', '3'].map((body) => store.capture(captureOf(body))))
    const count = (most: number, signal?: AbortSignal) =>
      store.search.count({ query: EVERYTHING, most, withinMs: 180_000 }, signal)
    expect(await count(3)).toEqual({ count: 3, more: false })
    expect(await count(2)).toEqual({ count: 2, more: true })
    await expect(count(3, AbortSignal.abort())).rejects.toThrow()
    await store.close()
  })

  test("for one command doesn't open its index unless asked to, and finds the same without it", async () => {
    const empty = await storeInFolder(folder, BRIEF)
    expect(await empty.search.find(EVERYTHING, { limit: 2 })).toEqual([])
    await empty.close()
    const serving = await storeInFolder(folder)
    const seqs = await Promise.all(['1', '2', '3'].map((body) => serving.capture(captureOf(body))))
    for (const seq of seqs) serving.answered({ seq, status: 200, ms: 1 })
    await serving.settled()
    const search = async (store: Store) => (await store.status()).search
    await expect.poll(() => search(serving)).toEqual({ state: 'ready', left: 0 })
    await serving.close()

    const brief = await storeInFolder(folder, BRIEF)
    expect(await brief.search.find(EVERYTHING, { limit: 2 })).toEqual([3, 2])
    expect(JSON.parse(await brief.search.page(EVERYTHING, 2))).toMatchObject([
      { seq: 3 },
      { seq: 2 },
    ])
    expect(await search(brief)).toEqual({ state: 'opening', left: 3 })
    await brief.search.forget([1])
    expect(await search(brief)).toEqual({ state: 'opening', left: 3 })
    await brief.close()

    const asked = await storeInFolder(folder, BRIEF)
    await asked.search.open()
    await expect.poll(() => search(asked)).toEqual({ state: 'ready', left: 0 })
    await asked.close()
  })

  test('loses no change of the index, however soon it closes after it', async () => {
    await storeClaims()
    const brief = await storeInFolder(folder, BRIEF)
    await brief.write('putVerdicts', [verifiedClaim(2)])
    brief.search.changed()
    await brief.close()
    expect(await foundWith('verdict:valid')).toEqual([2])
    expect(await foundWith('verdict:unknown-hook')).toEqual([3, 1])
  })

  test("loses no change while the index can't be opened", async () => {
    await storeClaims()
    const file = searchFileOf(folder)
    await rename(file, `${file}.aside`)
    await mkdir(file)
    const store = await storeInFolder(folder)
    const state = async () => (await store.status()).search.state
    await expect.poll(state).toBe('off')
    await store.write('putVerdicts', [verifiedClaim(2)])
    store.search.changed()
    await rmdir(file)
    await rename(`${file}.aside`, file)
    await expect.poll(state).toBe('ready')
    await store.close()
    expect(await foundWith('verdict:valid')).toEqual([2])
  })

  test('reads a body in pieces, to its end and beyond, an empty one too', async () => {
    const store = await storeInFolder(folder)
    await store.capture(captureOf('abcdef'))
    await store.capture(captureOf(''))
    const piece = async (seq: number, offset: number, length: number) => {
      const { bytes, size } = await store.read('body', { seq, offset, length })
      return [Buffer.from(bytes).toString(), size]
    }
    expect(await piece(1, 0, 4)).toEqual(['abcd', 6])
    expect(await piece(1, 4, 4)).toEqual(['ef', 6])
    expect(await piece(1, 6, 4)).toEqual(['', 6])
    expect(await piece(1, 600, 4)).toEqual(['', 6])
    expect(await piece(2, 0, 4)).toEqual(['', 0])
    expect(await piece(3, 0, 4)).toEqual(['', 0])
    await store.close()
  })

  test('makes up for everything an earlier run left undescribed', async () => {
    const count = 10_300
    const database = databaseInFolder()
    database.put(Array.from({ length: count }, () => captureOf('not JSON')))
    database.db.close()
    const store = await storeInFolder(database.folder)
    const last = await store.capture(captureOf('not JSON'))
    expect(last).toBe(count + 1)
    const seqs = Array.from({ length: last }, (_, index) => index + 1)
    while (!(await store.read('isDescribed', null))) await store.settled()
    const rows = await store.read('rowsBySeq', seqs)
    expect(rows.filter(({ schema }) => schema !== 'not-json').map(({ seq }) => seq)).toEqual([])
    await store.close()
    await rm(database.folder, { recursive: true })
  })
})

describe('the number of deliveries', () => {
  test('is an estimate until counted, and counts deletions in between once', async () => {
    const counts = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
    let asked = 0
    const total = createDeliveryCount({
      newest: 1_000,
      initialCount: null,
      count: () => counts[asked++]?.promise ?? Promise.reject(new Error('counted too often')),
    })
    expect(total.now()).toBe(1_000)
    const counted = total.counted()
    total.stored(5)
    await total.hiding(() => Promise.resolve([1, 2, 1_003]))
    // Counted before the first two were hidden, so not usable.
    counts[0]?.resolve(900)
    await expect.poll(() => asked).toBe(2)
    counts[1]?.resolve(898)
    expect(await counted).toBe(898 + 4)
    await total.showing(() => Promise.resolve([2]))
    expect(total.now()).toBe(898 + 4 + 1)
  })

  test('is counted again by the next caller if it failed', async () => {
    let fails = true
    const count = () => (fails ? Promise.reject(new Error('no reader')) : Promise.resolve(7))
    const total = createDeliveryCount({ newest: 10, initialCount: null, count })
    await expect(total.counted()).rejects.toThrow('no reader')
    fails = false
    expect(await total.counted()).toBe(7)
  })
})
