import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { storeInFolder } from '../../../../test/support/in-folder.ts'
import { createManualClock } from '../../../../test/support/manual-clock.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { captureOf } from '../../../../test/support/test-store.ts'
import { KEEP_ALL, type Compaction } from '../../../shared/model/keeping.ts'
import { EVERYTHING } from '../../../shared/query/query.ts'
import { createKeeping, type Keeping } from '../../keeping/keeping.ts'
import { databaseFileOf } from '../open.ts'
import type { Store } from '../store.ts'
import { beginCopy, copyFileOf } from './file-copy.ts'
import { startPutBack } from './put-back.ts'

const DELIVERIES = 300
const KEPT = 100

let folder: string
let file: string
let store: Store
let keeping: Keeping
let onCompacted: (compaction: Compaction) => void

async function open(): Promise<void> {
  store = await storeInFolder(folder)
  keeping = createKeeping({
    store,
    clock: { ...createManualClock(), monotonic: () => performance.now() },
    log: { info: () => undefined, warn: () => undefined, bug: () => '' },
    limits: () => KEEP_ALL,
    isServing: true,
    onMarked: () => undefined,
    onDeleted: () => undefined,
    onRestored: () => undefined,
    onCompacted: (compaction) => {
      onCompacted(compaction)
    },
  })
}

async function close(): Promise<void> {
  await keeping.close()
  await store.close()
}

/** A database from a version that couldn't shrink it in pieces, with deliveries removed. */
beforeEach(async () => {
  onCompacted = () => undefined
  folder = temporaryFolder()
  file = databaseFileOf(folder)
  const old = new Sqlite(file)
  old.pragma('journal_mode = WAL')
  old.exec('CREATE TABLE first (a)')
  old.close()
  await open()
  const captures = Array.from({ length: DELIVERIES }, (_, index) =>
    captureOf(`{"n":${index},"filler":"${'x'.repeat(20_000)}"}`),
  )
  await Promise.all(captures.map((capture) => store.capture(capture)))
  await store.settled()
  await store.write('writeSetting', { name: 'kept', value: '"as it was"' })
  const ids = captures.slice(0, DELIVERIES - KEPT).map(({ row }) => row.id)
  await keeping.mark(ids.slice(0, 1), { note: 'pinned', pinned: true })
  await keeping.remove({ ids, query: EVERYTHING, pinned: false, preview: false, final: true })
})
afterEach(async () => {
  await close()
})

/** The whole content of the database, and whether it is sound. */
function contents(): { readonly all: Record<string, unknown>; readonly incremental: boolean } {
  const db = new Sqlite(file, { readonly: true })
  try {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    const schema = db.prepare<[], { type: string; name: string; sql: string }>(
      'SELECT type, name, sql FROM sqlite_schema ORDER BY name',
    )
    const all = Object.fromEntries(
      schema
        .all()
        .map(({ type, name, sql }) => [
          name,
          [sql, type === 'table' ? db.prepare(`SELECT * FROM "${name}"`).all() : []],
        ]),
    )
    const version = db.pragma('user_version', { simple: true })
    return {
      all: { ...all, version },
      incremental: db.pragma('auto_vacuum', { simple: true }) === 2,
    }
  } finally {
    db.close()
  }
}

test('an older file is rewritten completely, with progress, and is smaller', async () => {
  const told: Compaction[] = []
  onCompacted = (compaction) => told.push(compaction)
  const before = contents()
  const { database, free } = await keeping.storage()
  expect([before.incremental, free > 3_000_000]).toEqual([false, true])
  const done = await keeping.compactor.run()
  expect(done).toMatchObject({ state: 'done', whole: true, done: 1, problem: null })
  expect(done.freed).toBeGreaterThan(3_000_000)
  expect(contents()).toEqual({ ...before, incremental: true })
  const after = await keeping.storage()
  expect([after.free, after.database + done.freed, after.log]).toEqual([0, database, 0])
  expect(told.slice(1).every(({ state, whole }) => state === 'done' || whole)).toBe(true)
  expect(existsSync(copyFileOf(file))).toBe(false)
  // From now on in pieces; new data goes where it did before.
  const more = Array.from({ length: 200 }, () => captureOf(`{"filler":"${'y'.repeat(20_000)}"}`))
  expect((await Promise.all(more.map((capture) => store.capture(capture))))[0]).toBe(DELIVERIES + 1)
  await store.settled()
  const ids = more.slice(0, 150).map(({ row }) => row.id)
  await keeping.remove({ ids, query: EVERYTHING, pinned: false, preview: false, final: true })
  expect(await keeping.compactor.run()).toMatchObject({ state: 'done', whole: false })
  // Connections that had the older file open follow the newer one: its pages know their place.
  expect((contents().all['bodies'] as [string, unknown[]])[1]).toHaveLength(KEPT + 1 + 50)
})

test('cancelled, it leaves the file unchanged', async () => {
  // Otherwise the totals, which are counted in the background, change meanwhile.
  while (await store.write('countStored', 1_000));
  const before = contents()
  const { used } = await keeping.storage()
  for (const from of [0, 0.5]) {
    const stopping = new AbortController()
    const onProgress = (done: number) => {
      if (done >= from) stopping.abort()
    }
    expect([from, await store.rewrite({ used, signal: stopping.signal, onProgress })]).toEqual([
      from,
      false,
    ])
    expect(contents()).toEqual(before)
    expect(existsSync(copyFileOf(file))).toBe(false)
  }
  onCompacted = ({ state }) => {
    if (state === 'running') keeping.compactor.cancel()
  }
  expect(await keeping.compactor.run()).toMatchObject({ state: 'cancelled', freed: 0 })
})

test('deliveries that arrive meanwhile are stored immediately and are in the new file, whatever was in progress', async () => {
  const { used } = await keeping.storage()
  const came: Promise<number>[] = []
  const onProgress = (done: number) => {
    if ((came.length === 0 && done > 0) || (came.length === 1 && done >= 0.5))
      came.push(store.capture(captureOf('{"late":1}')))
  }
  expect(await store.rewrite({ used, signal: new AbortController().signal, onProgress })).toBe(true)
  expect(await Promise.all(came)).toEqual([DELIVERIES + 1, DELIVERIES + 2])
  await store.settled()
  expect((contents().all['bodies'] as [string, unknown[]])[1]).toHaveLength(KEPT + 1 + 2)
})

test('it stops if deliveries keep arriving, and nothing is lost', async () => {
  const { used } = await keeping.storage()
  const came: Promise<number>[] = []
  const onProgress = (done: number) => {
    if (done > 0) came.push(store.capture(captureOf('{}')))
  }
  const rewritten = store.rewrite({ used, signal: new AbortController().signal, onProgress })
  await expect(rewritten).rejects.toThrow('Deliveries arrived 5 times')
  await Promise.all(came)
  expect(contents().incremental).toBe(false)
  expect(store.total()).toBe(KEPT + 1 + came.length)
})

test('changes by another process since the copy began are never lost', async () => {
  const copy = beginCopy(file)
  const other = new Sqlite(file)
  try {
    while (!copy.step(50).finished);
    other.exec("INSERT INTO settings VALUES ('late', '1')")
    expect(await startPutBack(copy, file).ended).toBe('outdated')
    other.exec('BEGIN IMMEDIATE')
    expect(await startPutBack(copy, file).ended).toBe('busy')
    other.exec('COMMIT')
    expect(other.prepare("SELECT value FROM settings WHERE name = 'late'").pluck().get()).toBe('1')
  } finally {
    other.close()
    copy.drop()
  }
})

test('a kill at any moment leaves the complete database, old or new', async () => {
  const { incremental: _, ...before } = contents()
  await close()
  const script = `
    import { beginCopy } from '${new URL('file-copy.ts', import.meta.url).href}'
    import { startPutBack } from '${new URL('put-back.ts', import.meta.url).href}'
    const [, file, moment] = process.argv
    const endAt = (now) => now === moment && process.kill(process.pid, 'SIGKILL')
    const copy = beginCopy(file)
    while (!copy.step(1).finished) endAt('copying')
    const put = startPutBack(copy, file)
    setInterval(() => put.done() > 0.2 && endAt('putting back'), 1)
    await put.ended
    endAt('over')
  `
  for (const moment of ['copying', 'putting back', 'over']) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, file, moment], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
    const { incremental, ...after } = contents()
    expect([moment, after]).toEqual([moment, before])
    // Put back is one transaction: a kill around its end leaves the old or the new file.
    if (moment !== 'putting back')
      expect([moment, incremental]).toEqual([moment, moment === 'over'])
    expect(existsSync(copyFileOf(file))).toBe(true)
  }
  await open()
  expect(existsSync(copyFileOf(file))).toBe(false)
}, 120_000)
