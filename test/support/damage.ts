/** A data folder whose database can be damaged, and the rows that a repair recovers. */
import { hash } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addHookSecret, insertHook } from '../../src/core/store/hooks.ts'
import { insertReplay } from '../../src/core/store/replays.ts'
import { openForReading, openForWriting } from '../../src/core/store/open.ts'
import { repairDatabase, type RepairReport } from '../../src/core/store/repair.ts'
import { databaseFileOf, type ReadableDb } from '../../src/core/store/database.ts'
import { setMarks } from '../../src/core/store/marks.ts'
import { putEnvironment } from '../../src/core/store/environments.ts'
import { packSends, prepareSends } from '../../src/core/store/record-sends.ts'
import type { SeededRandom } from './seeded-random.ts'
import { endedSend, jobOf } from './stored-replay.ts'
import { openTestDatabase } from './test-database.ts'
import { captureOf } from './test-store.ts'

export interface StoredRows {
  readonly deliveries: ReadonlyMap<string, string>
  readonly others: ReadonlyMap<string, readonly string[]>
}

const OTHERS = [
  'hooks',
  'hook_secrets',
  'environments',
  'settings',
  'marks',
  'sends',
  'replay_jobs',
  'sandbox_objects',
]

/** Fills a folder with deliveries; every twentieth has a body of several pages. */
export function fillFolderToDamage(folder: string, random: SeededRandom, count: number): void {
  const { db, put } = openTestDatabase(folder)
  for (const name of ['sandbox-test', 'card-offers'])
    putEnvironment(db, {
      name,
      mode: 'test',
      baseUrl: 'https://service.example',
      prefix: 'service',
      auth: 'service-key',
      ack: '200',
      publicKey: null,
      key: null,
      connection: '{}',
      createdAt: 1,
    })
  for (let number = 0; number < 12; number++) {
    const id = `hook-${number}`
    insertHook(db, {
      id,
      remoteId: null,
      kind: null,
      event: 'transaction.auth',
      url: `https://127.0.0.1:4783/h/${number}`,
      programId: null,
      offerId: null,
      headerNames: [],
      sealedHeaders: null,
      environment: number % 2 === 0 ? 'card-offers' : 'sandbox-test',
      status: 'active',
      answering: '{}',
      record: null,
      createdAt: number,
      secrets: [{ backend: 'file', sealed: random.bytes(48) }],
    })
    addHookSecret(db, {
      hookId: id,
      secret: { backend: 'file', sealed: random.bytes(48) },
      createdAt: 2,
    })
  }
  const seqs: number[] = []
  for (let done = 0; done < count; done += 200) {
    const batch = Array.from({ length: Math.min(200, count - done) }, (_, index) => {
      const size =
        (done + index) % 20 === 0 ? random.integer(5_000, 30_000) : random.integer(0, 900)
      return captureOf(random.bytes(size), {
        headers: JSON.stringify([['X-Number', String(done + index)]]),
      })
    })
    seqs.push(...put(batch))
  }
  for (let index = 0; index < seqs.length; index += 7)
    setMarks(db, {
      seqs: [seqs[index]!],
      change: { pinned: true, note: `Note ${index}` },
    })
  insertReplay(db, jobOf('replay', seqs))
  const sends = seqs.map((deliverySeq, index) =>
    endedSend({ replayId: 'replay', position: index + 1, deliverySeq, body: random.bytes(300) }),
  )
  prepareSends(db)(packSends(sends, { replayId: 'replay', position: seqs.length, at: 1 }))
  for (let number = 0; number < 60; number++) {
    db.prepare('INSERT INTO settings VALUES (?, ?)').run(
      `setting-${number}`,
      `"${'x'.repeat(number * 5)}"`,
    )
    db.prepare('INSERT INTO sandbox_objects (kind, id, mode, data) VALUES (?, ?, ?, ?)').run(
      'card',
      `card-${number}`,
      'test',
      '{}',
    )
  }
  db.close()
}

export function readAll(file: string): StoredRows {
  const db = openForReading(file)
  try {
    const deliveries = db
      .prepare<[], { id: string; row: string; bytes: Buffer | null }>(
        `SELECT d.id, json_array(d.received_at, d.path, d.headers, d.body_size, d.body_sha256, d.truncated, d.verdict) AS row, b.bytes
         FROM deliveries d LEFT JOIN bodies b ON b.seq = d.seq`,
      )
      .all()
    return {
      deliveries: new Map(
        deliveries.map(({ id, row, bytes }) => [
          id,
          `${row} ${bytes === null ? 'none' : hash('sha256', bytes, 'hex')}`,
        ]),
      ),
      others: new Map(OTHERS.map((table) => [table, rowsOf(db, table)])),
    }
  } finally {
    db.close()
  }
}

function rowsOf(db: ReadableDb, table: string): string[] {
  return (db.prepare(`SELECT * FROM ${table}`).all() as object[])
    .map((row) => JSON.stringify(row))
    .toSorted()
}

export interface Recovered {
  readonly report: RepairReport
  readonly after: StoredRows
  readonly integrity: string
}

export function recoverDamaged(folder: string, damage: (file: string) => void): Recovered {
  const copy = mkdtempSync(join(tmpdir(), 'countersign-damaged-'))
  try {
    cpSync(folder, copy, { recursive: true })
    const file = databaseFileOf(copy)
    damage(file)
    const report = repairDatabase(copy)
    const db = openForWriting(file)
    const integrity = String(db.pragma('integrity_check', { simple: true }))
    db.close()
    return { report, after: readAll(file), integrity }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}
