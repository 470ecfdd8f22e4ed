/** Promise 1: a 200 means that the bytes are committed with `synchronous=FULL`. */
import { hash } from 'node:crypto'
import { cp, rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openForReading, openForWriting } from '../../src/core/store/open.ts'
import { createDeliverer, deliverOnce } from '../support/deliver.ts'
import { storeInFolder, THREADS } from '../support/in-folder.ts'
import { times } from '../support/long-form.ts'
import { chooseSeed, createSeededRandom, type SeededRandom } from '../support/seeded-random.ts'
import { serveCore, type ServedCore } from '../support/served-core.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { captureOf } from '../support/test-store.ts'
import { databaseFileOf, type ReadableDb } from '../../src/core/store/database.ts'

interface KillResult {
  readonly sent: number
  readonly acknowledged: number
  /** Paths of acknowledged deliveries that are missing or stored with other bytes. */
  readonly lost: readonly string[]
  /** Stored although the acknowledgement never arrived: harmless, because the sender retries. */
  readonly storedOnly: number
  readonly integrity: string
}

const CONNECTIONS = 16

interface Load {
  readonly sent: ReadonlyMap<string, string>
  readonly acknowledged: ReadonlySet<string>
}

/**
 * Sends distinct bodies over every connection until the core is killed at a random time. It
 * survives at least until the first acknowledgement, because a round without one would prove
 * nothing.
 */
async function loadAndKill(core: ServedCore, random: SeededRandom, round: number): Promise<Load> {
  const deliverer = createDeliverer(core.caFile, CONNECTIONS)
  const sent = new Map<string, string>()
  const acknowledged = new Set<string>()
  const killed = new AbortController()
  const { promise: firstAcknowledged, resolve: acknowledge } = Promise.withResolvers<void>()
  const sender = async (connection: number) => {
    for (let count = 0; !killed.signal.aborted; count++) {
      const path = `/kill/${round}/${connection}/${count}`
      const body = Buffer.concat([Buffer.from(path), random.bytes(random.integer(0, 4_000))])
      sent.set(path, hash('sha256', body, 'hex'))
      try {
        const { status } = await deliverer.send(core.receiver + path, { body, headers: [] })
        if (status !== 200) continue
        acknowledged.add(path)
        acknowledge()
      } catch (error) {
        // Killed during a request: the sender got no response. Any earlier failure is an error.
        if (!killed.signal.aborted) throw error
      }
    }
  }
  const senders = Promise.all(
    Array.from({ length: CONNECTIONS }, (_, connection) => sender(connection)),
  )
  await Promise.race([firstAcknowledged.then(() => delay(random.integer(0, 150))), senders])
  killed.abort()
  await core.kill()
  await senders
  deliverer.close()
  return { sent, acknowledged }
}

function storedOf(
  db: ReadableDb,
  round: number,
): Map<string, { sha256: string; recorded: string }> {
  const rows = db
    .prepare<[string], { path: string; sha256: string; bytes: Buffer }>(
      `SELECT d.path, d.body_sha256 AS sha256, b.bytes FROM deliveries d JOIN bodies b ON b.seq = d.seq WHERE d.path LIKE ?`,
    )
    .all(`/kill/${round}/%`)
  return new Map(
    rows.map(({ path, sha256, bytes }) => [
      path,
      { sha256: hash('sha256', bytes, 'hex'), recorded: sha256 },
    ]),
  )
}

async function killRounds(rounds: number, seed: number): Promise<KillResult> {
  const random = createSeededRandom(seed)
  const folder = temporaryFolder()
  let result: KillResult = {
    sent: 0,
    acknowledged: 0,
    lost: [],
    storedOnly: 0,
    integrity: 'not checked',
  }
  let core = await serveCore(folder)
  try {
    for (let round = 0; round < rounds; round++) {
      const { sent, acknowledged } = await loadAndKill(core, random, round)
      // The next core recovers the log automatically, as after a crash. Then the stored deliveries
      // are checked.
      core = await serveCore(folder)
      const db = openForReading(databaseFileOf(folder))
      const stored = storedOf(db, round)
      const isIntact = (path: string) => {
        const found = stored.get(path)
        return (
          found !== undefined && found.sha256 === sent.get(path) && found.recorded === found.sha256
        )
      }
      const wrong = [...stored.keys()].filter((path) => !isIntact(path))
      const isLast = round === rounds - 1
      result = {
        sent: result.sent + sent.size,
        acknowledged: result.acknowledged + acknowledged.size,
        lost: [...result.lost, ...[...acknowledged].filter((path) => !isIntact(path)), ...wrong],
        storedOnly:
          result.storedOnly + [...stored.keys()].filter((path) => !acknowledged.has(path)).length,
        integrity: isLast
          ? String(db.pragma('integrity_check', { simple: true }))
          : result.integrity,
      }
      db.close()
    }
    return result
  } finally {
    await core.kill()
  }
}

test('killed at random under load from 16 connections, it loses nothing it acknowledged', async () => {
  const seed = chooseSeed()
  const rounds = times(2, 500)
  const result = await killRounds(rounds, seed)
  expect(result, `SEED=${seed}`).toMatchObject({ lost: [], integrity: 'ok' })
  expect(result.acknowledged, `SEED=${seed}`).toBeGreaterThanOrEqual(rounds)
})

test('the writer runs with synchronous=FULL after its first write, although WAL mode would have reset it', async () => {
  const folder = temporaryFolder()
  // A new file and an existing one are the cases in which the mode is reset.
  for (const body of ['first', 'second']) {
    const store = await storeInFolder(folder, THREADS)
    await store.capture(captureOf(body))
    expect(await store.write('durability', null)).toEqual({ journalMode: 'wal', synchronous: 2 })
    await store.close()
  }
})

/** Counts deliveries, environments and settings in the database file without its log. */
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
  try {
    for (let count = 0; count < 3; count++)
      expect(
        await deliverOnce(core.caFile, `${core.receiver}/young`, `{"count":${count}}`),
      ).toMatchObject({ status: 200 })
    await expect.poll(() => storedWithoutLog(folder)).toEqual({ deliveries: 3, environments: 2 })
    await core.kill()
    for (const end of ['-wal', '-shm']) await rm(databaseFileOf(folder) + end, { force: true })
    expect(await storedWithoutLog(folder)).toEqual({ deliveries: 3, environments: 2 })
  } finally {
    await core.kill()
  }
})
