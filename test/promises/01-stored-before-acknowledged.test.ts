/** Promise 1: a 200 means that the bytes are committed with `synchronous=FULL`. */
import { cp, rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { databaseFileOf, openForReading, openForWriting } from '../../src/core/store/open.ts'
import { createDeliverer } from '../support/deliver.ts'
import { coreInFolder, storeInFolder } from '../support/in-folder.ts'
import { killRounds } from '../support/kill-rounds.ts'
import { chooseSeed } from '../support/seeded-random.ts'
import { serveCore } from '../support/served-core.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { captureOf } from '../support/test-store.ts'

test(
  'killed at random under load from 16 connections, it loses nothing it acknowledged',
  { timeout: 300_000 },
  async () => {
    const seed = chooseSeed()
    const rounds = 25
    const result = await killRounds({ rounds, seed })
    expect(result, `SEED=${seed}`).toMatchObject({ lost: [], integrity: 'ok' })
    expect(result.acknowledged, `SEED=${seed}`).toBeGreaterThanOrEqual(rounds)
  },
)

test('the writer runs with synchronous=FULL after its first write, although WAL mode would have reset it', async () => {
  const folder = temporaryFolder()
  const store = await storeInFolder(folder)
  try {
    await store.capture(captureOf('first'))
    expect(await store.write('durability', null)).toEqual({ journalMode: 'wal', synchronous: 2 })
  } finally {
    await store.close()
  }
  // An existing file is the other case in which the mode is reset.
  const again = await storeInFolder(folder)
  try {
    await again.capture(captureOf('second'))
    expect(await again.write('durability', null)).toEqual({ journalMode: 'wal', synchronous: 2 })
  } finally {
    await again.close()
  }
})

test('deliveries acknowledged before a clean stop are there after the next start', async () => {
  const first = await coreInFolder()
  const deliverer = createDeliverer(first.caFile)
  const { status } = await deliverer.send(`${first.receiver}/kept`, {
    body: '{"kept":true}',
    headers: [['X-Case', 'Kept']],
  })
  expect(status).toBe(200)
  const before = await first.client.call('deliveries.get', { id: 'latest' })
  deliverer.close()
  await first.stop()
  const second = await coreInFolder({ dataFolder: first.dataFolder })
  expect(await second.client.call('deliveries.get', { id: 'latest' })).toEqual(before)
})

/** Number of deliveries, environments and settings in the database file without its log. */
async function storedWithoutLog(
  folder: string,
): Promise<{ deliveries: number; environments: number }> {
  const copy = temporaryFolder()
  await cp(databaseFileOf(folder), databaseFileOf(copy))
  openForWriting(databaseFileOf(copy)).close()
  const db = openForReading(databaseFileOf(copy))
  const count = (table: string) =>
    db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0
  const found = { deliveries: count('deliveries'), environments: count('environments') }
  db.close()
  return found
}

test('a new data folder that was killed keeps everything without its write-ahead log', async () => {
  const folder = temporaryFolder()
  const core = await serveCore(folder)
  const deliverer = createDeliverer(core.caFile)
  try {
    for (let count = 0; count < 3; count++)
      expect(
        await deliverer.send(`${core.receiver}/young`, { body: `{"count":${count}}`, headers: [] }),
      ).toMatchObject({
        status: 200,
      })
    await expect.poll(() => storedWithoutLog(folder)).toEqual({ deliveries: 3, environments: 2 })
    await core.kill()
    for (const end of ['-wal', '-shm']) await rm(databaseFileOf(folder) + end, { force: true })
    expect(await storedWithoutLog(folder)).toEqual({ deliveries: 3, environments: 2 })
  } finally {
    deliverer.close()
    await core.kill()
  }
})
