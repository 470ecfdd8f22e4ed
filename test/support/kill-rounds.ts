/**
 * Proves "stored before acknowledged": a core is loaded over 16 connections and killed without warning, repeatedly on one data
 * folder. Every delivery that got a 200 must be stored, byte for byte. The short form is a test, the long one a soak test.
 */
import { hash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { databaseFileOf, openForReading, type ReadableDb } from '../../src/core/store/open.ts'
import { createDeliverer } from './deliver.ts'
import { createSeededRandom, type SeededRandom } from './seeded-random.ts'
import { serveCore, type ServedCore } from './served-core.ts'

export interface KillRounds {
  readonly rounds: number
  readonly seed: number
  readonly connections?: number
  /** Called after each round. */
  onRound?(round: number, soFar: KillResult): void
}

export interface KillResult {
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
 * Sends distinct bodies over every connection until the core is killed at a random time. It survives at least until the first
 * acknowledgement, because a round without one would prove nothing.
 */
async function loadAndKill(
  core: ServedCore,
  random: SeededRandom,
  round: number,
  connections: number,
): Promise<Load> {
  const deliverer = createDeliverer(core.caFile, connections)
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
    Array.from({ length: connections }, (_, connection) => sender(connection)),
  )
  await Promise.race([firstAcknowledged.then(() => delay(random.integer(0, 150))), senders])
  killed.abort()
  await core.kill()
  await senders
  deliverer.close()
  return { sent, acknowledged }
}

/** Hash of the stored bytes by path, for one round. */
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

/** Runs the rounds in a new folder, then removes it. */
export async function killRounds({
  rounds,
  seed,
  connections = CONNECTIONS,
  onRound,
}: KillRounds): Promise<KillResult> {
  const random = createSeededRandom(seed)
  const folder = await mkdtemp(join(tmpdir(), 'countersign-kill-'))
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
      const { sent, acknowledged } = await loadAndKill(core, random, round, connections)
      // The next core recovers the log automatically, as after a crash. Then the stored deliveries are checked.
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
      onRound?.(round, result)
    }
    return result
  } finally {
    await core.kill()
    await rm(folder, { recursive: true, force: true })
  }
}
