/**
 * A command killed at any moment leaves a database that opens, with whole deliveries; run again, it
 * completes its work.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { openForWriting } from '../../src/core/store/open.ts'
import { cliOfFile } from '../integration/cli-fixture.ts'
import { times } from '../support/long-form.ts'
import { chooseSeed, createSeededRandom } from '../support/seeded-random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { openTestDatabase } from '../support/test-database.ts'
import { captureOf } from '../support/test-store.ts'
import { databaseFileOf } from '../../src/core/store/database.ts'

const cli = cliOfFile()

const COUNT = 2_000
const seed = chooseSeed()
const random = createSeededRandom(seed)
const rounds = times(1, 100)
let full: string
let exported: string
beforeAll(async () => {
  full = temporaryFolder()
  const { db, put, describe } = openTestDatabase(full)
  put(Array.from({ length: COUNT }, (_, index) => captureOf(`{"number":${index}}`)))
  describe()
  db.close()
  exported = join(temporaryFolder(), 'export.jsonl')
  await cli.given({ data: full }).run`export -o ${exported}`
})

/** Kills a command after a random part of the time that it takes. */
async function kill(child: ChildProcess, longestMs: number): Promise<void> {
  const exited = once(child, 'exit')
  await Promise.race([exited, delay(random.integer(0, longestMs))])
  child.kill('SIGKILL')
  await exited
}

/** Ids of the stored deliveries. Every one has its body, and the file is sound. */
function storedIds(folder: string, where: string): Set<string> {
  const db = openForWriting(databaseFileOf(folder))
  expect(db.pragma('integrity_check', { simple: true }), where).toBe('ok')
  expect(
    db
      .prepare('SELECT count(*) FROM bodies WHERE seq NOT IN (SELECT seq FROM deliveries)')
      .pluck()
      .get(),
    where,
  ).toBe(0)
  expect(
    db
      .prepare('SELECT count(*) FROM deliveries WHERE seq NOT IN (SELECT seq FROM bodies)')
      .pluck()
      .get(),
    where,
  ).toBe(0)
  const ids = db
    .prepare<[], string>('SELECT id FROM deliveries WHERE seq NOT IN (SELECT seq FROM deleted)')
    .pluck()
    .all()
  db.close()
  return new Set(ids)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

test('an import', async () => {
  const all = storedIds(full, 'the source')
  const empty = temporaryFolder()
  const longest = await timed(() => cli.given({ data: empty }).runProcess`import ${exported}`)
  for (let round = 0; round < rounds; round++) {
    const folder = temporaryFolder()
    const where = `SEED=${seed} round ${round}`
    await kill(cli.given({ data: folder }).start`import ${exported}`, longest)
    for (const id of storedIds(folder, where)) expect(all.has(id), where).toBe(true)
    const again = await cli.given({ data: folder }).run`import ${exported}`
    expect(again.code, `${where} ${again.stderr}`).toBe(0)
    expect(storedIds(folder, where), where).toEqual(all)
  }
})

test('a deletion of many', async () => {
  const command = ['delete', '--query', 'number', '--yes', '--data']
  const copy = () => {
    const folder = temporaryFolder()
    cpSync(full, folder, { recursive: true })
    return folder
  }
  const first = copy()
  const longest = await timed(() => cli.runProcess`${command} ${first}`)
  for (let round = 0; round < rounds; round++) {
    const folder = copy()
    const where = `SEED=${seed} round ${round}`
    await kill(cli.start`${command} ${folder}`, longest)
    storedIds(folder, where)
    // 1: the killed command had hidden them all.
    expect([0, 1], where).toContain((await cli.run`${command} ${folder}`).code)
    expect(storedIds(folder, where), where).toEqual(new Set())
    expect((await cli.given({ data: folder }).run`deliveries --json`).text, where).toBe('')
  }
})
