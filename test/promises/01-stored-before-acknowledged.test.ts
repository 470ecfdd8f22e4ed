/** Promise 1: a 200 means that the bytes are committed with `synchronous=FULL`. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestCore } from '../support/test-core.ts'
import { createDeliverer } from '../support/deliver.ts'
import { killRounds } from '../support/kill-rounds.ts'
import { chooseSeed } from '../support/seeded-random.ts'
import { openTestStore, captureOf } from '../support/test-store.ts'

test('killed at random under load from 16 connections, it loses nothing that it acknowledged', { timeout: 300_000 }, async () => {
  const seed = chooseSeed()
  const rounds = 25
  const result = await killRounds({ rounds, seed })
  expect(result, `SEED=${seed}`).toMatchObject({ lost: [], integrity: 'ok' })
  expect(result.acknowledged, `SEED=${seed}`).toBeGreaterThanOrEqual(rounds)
})

test('the writer runs with synchronous=FULL after its first write, where WAL mode would have dropped it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-durable-'))
  const store = await openTestStore(folder)
  try {
    await store.capture(captureOf('first'))
    expect(await store.write('durability', null)).toEqual({ journalMode: 'wal', synchronous: 2 })
  } finally {
    await store.close()
  }
  // A file that exists is the other case in which the mode is dropped.
  const again = await openTestStore(folder)
  try {
    await again.capture(captureOf('second'))
    expect(await again.write('durability', null)).toEqual({ journalMode: 'wal', synchronous: 2 })
  } finally {
    await again.close()
    await rm(folder, { recursive: true })
  }
})

test('what was acknowledged before an orderly stop is there after the next start', async () => {
  const first = await startTestCore()
  const deliverer = createDeliverer(first.caFile)
  const { status } = await deliverer.send(`${first.receiver}/kept`, { body: '{"kept":true}', headers: [['X-Case', 'Kept']] })
  expect(status).toBe(200)
  const before = await first.client.call('deliveries.get', { id: 'latest' })
  deliverer.close()
  await first.stop()
  const second = await startTestCore({ dataFolder: first.dataFolder })
  expect(await second.client.call('deliveries.get', { id: 'latest' })).toEqual(before)
  await second.dispose()
})
