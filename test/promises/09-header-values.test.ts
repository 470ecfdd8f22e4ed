/**
 * Promise 9 for custom headers: none of their values is stored in clear, neither today nor in rows, free pages, gaps and the log
 * left by an earlier version.
 */
import { copyFileSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { coreInFolder } from '../support/in-folder.ts'
import { plant, plantedBelow } from '../support/planted.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { TestCore } from '../support/test-core.ts'
import { migrate } from '../../src/core/store/migrate.ts'
import { migrations } from '../../src/core/store/migrations/index.ts'
import { databaseFileOf } from '../../src/core/store/open.ts'

/** The schema that stored header values in clear. */
const BEFORE = 130

let folder: string
let app: TestCore | null
beforeEach(() => {
  folder = temporaryFolder()
  app = null
})
afterEach(async () => {
  await app?.stop()
})

async function start(): Promise<TestCore> {
  app = await coreInFolder({ dataFolder: folder })
  return app
}

const hits = (values: readonly string[]) => plantedBelow(folder, values)

async function programOf({ client }: Pick<TestCore, 'client'>): Promise<string> {
  await client.call('sandbox.sample', {})
  return (
    (await client.call('sandbox.objects', { environment: 'sandbox-test', kind: 'program' }))
      .objects[0]?.id ?? ''
  )
}

/** Values that hooks still have, and values replaced or deleted earlier. */
const values = {
  kept: many('kept-', 20),
  record: many('record-', 5),
  sandbox: many('sandbox-', 5),
  gone: many('gone-', 10),
}
const all = Object.values(values).flat()

function many(prefix: string, count: number): string[] {
  return Array.from({ length: count }, () => plant(prefix))
}

/** Writes a database like an earlier version, with values everywhere they can be and its log not written back. */
function writeEarlier(): void {
  const file = join(folder, 'earlier.db')
  const earlier = new Sqlite(file)
  earlier.pragma('auto_vacuum = INCREMENTAL')
  earlier.pragma('journal_mode = WAL')
  migrate(
    earlier,
    migrations.filter(({ version }) => version <= BEFORE),
  )
  const environment = earlier.prepare(
    `INSERT INTO environments (name, mode, base_url, prefix, auth, ack, connection, created_at)
     VALUES ('own', 'test', 'https://service.example', 'service', 'key', '200', '{}', 1)`,
  )
  environment.run()
  const hook = earlier.prepare(
    `INSERT INTO hooks (id, remote_id, kind, event, url, program_id, offer_id, headers, environment, status, answering, record, created_at)
     VALUES (?, 'r', 'brand', 'card.linked', 'https://receiver.example/in', NULL, NULL, ?, 'own', 'active', '{}', ?, 1)`,
  )
  const headers = (...of: readonly string[]) =>
    JSON.stringify(Object.fromEntries(of.map((value, index) => [`X-Own-${index}`, value])))
  // Long values have their own pages, which become free.
  const filler = (text: string) => JSON.stringify({ 'X-Old': text, filler: 'f'.repeat(9_000) })
  for (const [index, value] of values.gone.entries())
    hook.run(`gone-${index}`, index % 2 === 0 ? filler(value) : headers(value), null)
  for (const [index, value] of values.kept.entries()) {
    const record = {
      id: 'r',
      headers: { 'X-Own-0': value },
      note: `sent with ${values.record[index] ?? value}`,
    }
    const own = index < values.record.length ? [value, values.record[index] ?? ''] : [value]
    hook.run(`kept-${String(index).padStart(2, '0')}`, headers(...own), JSON.stringify(record))
  }
  const object = earlier.prepare(
    "INSERT INTO sandbox_objects (kind, id, mode, data) VALUES ('notification', ?, 'test', ?)",
  )
  for (const [index, value] of values.sandbox.entries())
    object.run(
      `notification-${index}`,
      JSON.stringify({ id: `notification-${index}`, headers: { 'X-Own': value } }),
    )
  earlier.pragma('wal_checkpoint(PASSIVE)')
  earlier.prepare("DELETE FROM hooks WHERE id LIKE 'gone-%'").run()
  // Their pages are partly reused, and old rows remain behind the new ones.
  earlier.prepare("INSERT INTO settings (name, value) VALUES ('filler', ?)").run('x'.repeat(5_000))
  earlier.prepare("UPDATE hooks SET status = 'active'").run()
  // Like a killed process: with its log.
  for (const suffix of ['', '-wal'])
    copyFileSync(`${file}${suffix}`, `${databaseFileOf(folder)}${suffix}`)
  earlier.close()
  rmSync(file)
}

test('header values stored in clear by an earlier version are encrypted, and their bytes are gone from every file', async () => {
  writeEarlier()
  expect(new Set((await hits(all)).map((hit) => hit.split(' ')[1])).size).toBe(40)
  const { client } = await start()
  await expect.poll(async () => (await hits(all)).length, { interval: 200 }).toBe(0)
  const { hooks } = await client.call('hooks.list', { environment: 'own' })
  expect(hooks.map(({ headers }) => headers['X-Own-0'])).toEqual(values.kept)
  expect(hooks[0]?.headers['X-Own-1']).toBe(values.record[0])
  expect(hooks[0]?.record).toEqual({
    id: 'r',
    headers: { 'X-Own-0': '[masked]' },
    note: 'sent with [masked]',
  })
  expect(app?.bugs).toEqual([])
  await app?.stop()
  expect(await hits(all)).toEqual([])
  // Done once: the next start rewrites nothing.
  const again = await start()
  expect((await again.client.call('hooks.list', { environment: 'own' })).hooks).toHaveLength(20)
})

test("new header values are encrypted in the hook's record, in the sandbox and in the log", async () => {
  const { client, receiver } = await start()
  const program = await programOf({ client })
  const given = many('today-', 6)
  const url = `${receiver}/h/today`
  const added = await client.call('hooks.add', {
    event: 'transaction.auth',
    url,
    programId: program,
    environment: 'sandbox-test',
    headers: { 'X-First': given[0] ?? '', 'X-Second': given[1] ?? '' },
  })
  await client.call('hooks.update', {
    id: added.hook.id,
    headers: { 'X-First': given[2] ?? '', 'X-Third': given[3] ?? '' },
  })
  const updated = (await client.call('hooks.list', { environment: 'sandbox-test' })).hooks.find(
    ({ id }) => id === added.hook.id,
  )
  expect(updated?.headers).toEqual({ 'X-First': given[2], 'X-Third': given[3] })
  expect(await hits(given)).toEqual([])
  // Its deliveries contain them: received data is evidence and stays unchanged.
  await client.call('sandbox.trigger', {
    event: 'transaction.auth',
    environment: 'sandbox-test',
    programId: program,
  })
  await expect
    .poll(
      async () => (await client.call('deliveries.list', { query: 'path:/h/today' })).items.length,
    )
    .toBe(1)
  const { items } = await client.call('deliveries.list', { query: 'path:/h/today' })
  expect(items[0]?.headers.map(([, value]) => value)).toContain(given[2])
  await app?.stop()
  // The sandbox still sends them after a restart.
  const again = await start()
  await again.client.call('sandbox.trigger', {
    event: 'transaction.auth',
    environment: 'sandbox-test',
    programId: program,
  })
  const later = async () =>
    (await again.client.call('deliveries.list', { limit: 1 })).items[0]?.headers.map(
      ([, value]) => value,
    )
  await expect.poll(later).toContain(given[3])
})

test("a computer that can't decrypt header values lists their names, keeps them, and says what to do", async () => {
  const { client, receiver } = await start()
  const secret = 'secret-of-the-hook-0123456789'
  const url = `${receiver}/h/elsewhere`
  const { hook } = await client.call('hooks.add', {
    event: 'transaction.auth',
    url,
    programId: await programOf({ client }),
    environment: 'sandbox-test',
    headers: { 'X-Own': 'a-value' },
  })
  await app?.stop()
  await rm(join(folder, 'vault.key'))
  const other = await start()
  const find = async () =>
    (await other.client.call('hooks.list', {})).hooks.find(({ id }) => id === hook.id)
  expect(await find()).toMatchObject({ headers: { 'X-Own': '' }, secretHint: null })
  const check = {
    target: 'http://127.0.0.1:9/in',
    hookId: hook.id,
    secret,
    only: ['first-delivery'],
  }
  await expect(other.client.call('check.start', check)).rejects.toMatchObject({
    code: 'SECRET_UNREADABLE',
  })
  await expect(
    other.client.call('hooks.update', { id: hook.id, url: `${url}/2` }),
  ).rejects.toMatchObject({
    code: 'SECRET_UNREADABLE',
    message: expect.stringContaining('--header'),
  })
  expect(await find()).toMatchObject({ headers: { 'X-Own': '' } })
})
