/**
 * Promise 10: a lost, damaged or outdated search index is rebuilt or caught up automatically while
 * everything else continues.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { searchFileOf } from '../../src/core/store/search/open-search.ts'
import type { Store } from '../../src/core/store/store.ts'
import type { StoreStatus } from '../../src/shared/model/status.ts'
import { readQuery } from '../../src/shared/query/parse.ts'
import { storeInFolder, THREADS } from '../support/in-folder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { captureOf } from '../support/test-store.ts'

const COUNT = 1_500

/** With a complete index, closed; created once. */
let whole: string
let folder: string
let stores: Store[] = []
beforeAll(async () => {
  whole = temporaryFolder()
  const store = await open(whole)
  await capture(store, COUNT)
  await ready(store)
  await shut(store)
})
beforeEach(() => {
  folder = temporaryFolder()
  cpSync(whole, folder, { recursive: true })
})
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()))
  stores = []
})

async function open(dataFolder: string, reported: StoreStatus[] = []): Promise<Store> {
  const store = await storeInFolder(dataFolder, {
    ...THREADS,
    onStatus: (status) => reported.push(status),
  })
  stores.push(store)
  return store
}

async function shut(store: Store): Promise<void> {
  await store.close()
  stores = stores.filter((other) => other !== store)
}

/** Captures deliveries: every third is from a coffee shop, every fifth is invalid. */
async function capture(store: Store, count: number): Promise<void> {
  const from = store.total()
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const number = from + index + 1
      const body = JSON.stringify({
        number,
        name: number % 3 === 0 ? 'The Corner Coffee' : 'Bakery',
      })
      const seq = await store.capture(
        captureOf(body, { verdict: number % 5 === 0 ? 'invalid' : 'valid' }),
      )
      store.answered({ seq, status: 200, ms: 1 })
    }),
  )
  await store.settled()
}

async function ready(store: Store): Promise<void> {
  for (;;) {
    const { state, left } = (await store.status()).search
    if (state === 'ready' && left === 0) return
    await delay(20)
  }
}

const ask = async (store: Store, text: string) =>
  store.search.find(readQuery(text, { now: 0, hooks: [] }), {})

async function expectRight(store: Store): Promise<void> {
  const multiples = (of: number) =>
    Array.from(
      { length: Math.floor(store.total() / of) },
      (_, index) => (index + 1) * of,
    ).toReversed()
  expect(await ask(store, '"corner coffee"')).toEqual(multiples(3))
  expect(await ask(store, 'is:invalid')).toEqual(multiples(5))
  expect(await ask(store, 'coffee is:invalid')).toEqual(multiples(15))
  expect(await ask(store, 'nosuchword')).toEqual([])
}

/** Copies what a crash leaves: the files at this moment, while the store is still open. */
function crashImage(): string {
  const image = join(folder, 'image')
  mkdirSync(image)
  for (const name of ['countersign.db', 'countersign.db-wal', 'search.db', 'search.db-wal'])
    cpSync(join(folder, name), join(image, name))
  return image
}

test('after a crash at any moment, the index continues where it was', async () => {
  const crashed = await open(folder)
  await capture(crashed, 30)
  const image = crashImage()
  const store = await open(image)
  await expectRight(store)
  await capture(store, 60)
  await ready(store)
  await expectRight(store)
  await shut(store)
})

test.each([
  [
    'of another program',
    (file: string) => {
      writeFileSync(file, Buffer.alloc(40_000, 0x7a))
    },
  ],
  [
    'damaged in the middle',
    (file: string) => {
      const bytes = readFileSync(file)
      bytes.fill(0x5a, 4_096 * 4, bytes.length - 4_096)
      writeFileSync(file, bytes)
    },
  ],
  [
    'without one of its tables',
    (file: string) => {
      const search = new Sqlite(file)
      search.exec('DROP TABLE fact_sets')
      search.close()
    },
  ],
] as const)(
  'the file is %s: deliveries arrive, lists and searches are right at once, and the index is rebuilt',
  async (_, damage) => {
    damage(searchFileOf(folder))
    const store = await open(folder)
    await expectRight(store)
    await capture(store, 90)
    await expectRight(store)
    await ready(store)
    await expectRight(store)
    const search = new Sqlite(searchFileOf(folder), { readonly: true })
    expect(search.prepare('SELECT indexed_seq FROM state').pluck().get()).toBe(COUNT + 90)
    search.close()
  },
)

test('damage detected at runtime costs no results', async () => {
  const store = await open(folder)
  const search = new Sqlite(searchFileOf(folder))
  search.unsafeMode(true)
  search.exec('DELETE FROM words_data WHERE id > 10')
  search.close()
  await expectRight(store)
  await capture(store, 30)
  await ready(store)
  await expectRight(store)
})
