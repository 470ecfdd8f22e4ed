/**
 * Promise 14: one altered byte in a row costs at most that row, `doctor` names it, and a repair
 * removes it.
 */
import { cpSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { openForWriting } from '../../src/core/store/open.ts'
import { repairDatabase } from '../../src/core/store/repair.ts'
import type { Client } from '../../src/shared/rpc/client.ts'
import { rightAnswer, startFlowHandler } from '../support/flow-fixture.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { isLongForm, times } from '../support/long-form.ts'
import { overwrite, PAGE_BYTES, pagesOf } from '../support/pages.ts'
import { chooseSeed, createSeededRandom } from '../support/seeded-random.ts'
import { closeAtEnd, temporaryFolder } from '../support/temporary-folder.ts'
import type { TestCore } from '../support/test-core.ts'
import { runReplay } from '../support/replay-fixture.ts'
import { checkEnd, flowEnd } from '../support/until.ts'
import { databaseFileOf } from '../../src/core/store/database.ts'

const SECRET = 'whsec_of_the_handler'
const seed = chooseSeed()
const random = createSeededRandom(seed)

/** A folder with a row in every table that has JSON. */
let whole: string
beforeAll(async () => {
  whole = temporaryFolder()
  const core = await coreInFolder({ dataFolder: whole })
  const { client } = core
  const handler = await startFlowHandler(SECRET, rightAnswer)
  closeAtEnd(handler.close)
  await client.call('handlers.add', { name: 'mine', url: handler.url, secret: SECRET })
  await client.call('sandbox.sample', {})
  const { run: check } = await client.call('check.start', {
    target: '@mine',
    only: ['valid'],
    rate: 10_000,
  })
  await checkEnd(client, check.id)
  const { run } = await client.call('flows.start', {
    name: 'purchase-visa',
    handler: { url: handler.url, secret: SECRET },
  })
  await flowEnd(client, run.id)
  await runReplay(client, { ids: ['latest'], to: '@mine' })
  const { hooks } = await client.call('hooks.list', {})
  await client.call('hooks.answer', { id: hooks[0]?.id ?? '', rule: { status: 204 } })
  const { target } = await client.call('forward.add', { url: handler.url, name: 'target' })
  await client.call('forward.pause', { id: target.id })
  await client.call('settings.set', { bodyLimit: 1_048_576 })
  for (let count = 0; count < 3; count++) await client.call('sandbox.sample', {})
  await core.stop()
})

const READS: readonly ((client: Client) => Promise<unknown>)[] = [
  (client) => client.call('deliveries.list', { limit: 100 }),
  (client) => client.call('deliveries.list', { limit: 100, query: 'header:content-type' }),
  (client) => client.call('deliveries.list', { limit: 100, query: 'visa is:possible' }),
  (client) => client.call('deliveries.suggest', {}),
  (client) => client.call('hooks.list', {}),
  (client) => client.call('environments.list', {}),
  (client) => client.call('handlers.list', {}),
  (client) => client.call('forward.list', {}),
  (client) => client.call('replay.list', {}),
  (client) => client.call('replay.targets', {}),
  (client) => client.call('check.list', {}),
  (client) => client.call('flows.runs', {}),
  (client) => client.call('sandbox.objects', {}),
  (client) => client.call('settings.get', {}),
  (client) => client.call('views.list', {}),
  (client) => client.call('doctor.run', {}),
]

async function readAll(folder: string, where: string): Promise<TestCore> {
  const core = await coreInFolder({ dataFolder: folder })
  for (const read of READS) await expect(read(core.client), where).resolves.toBeDefined()
  const { items } = await core.call('deliveries.list', { limit: 100 })
  for (const { id } of items) await core.call('deliveries.get', { id })
  expect(core.bugs, where).toEqual([])
  return core
}

const rowsCheck = async ({ client }: TestCore) =>
  (await client.call('doctor.run', {})).checks.find(({ name }) => name === 'rows')

/** Columns with their table and its key. */
const COLUMNS = [
  ['deliveries', 'headers', 'id'],
  ['deliveries', 'event_candidates', 'id'],
  ['responses', 'content', 'key'],
  ['hooks', 'answering', 'id'],
  ['hooks', 'headers', 'id'],
  ['environments', 'connection', 'name'],
  ['sandbox_objects', 'data', 'id'],
  ['handlers', 'checks', 'id'],
  ['forward_targets', 'settings', 'id'],
  ['replay_jobs', 'settings', 'id'],
  ['sends', 'headers', 'seq'],
  ['check_runs', 'run', 'id'],
  ['check_runs', 'findings', 'id'],
  ['flow_runs', 'summary', 'id'],
  ['flow_runs', 'run', 'id'],
  ['settings', 'value', 'name'],
] as const

/** Replaces one character of one row's text: the first, one in the middle, or the last. */
function damage(folder: string, [table, column, key]: (typeof COLUMNS)[number], place: number) {
  const db = openForWriting(databaseFileOf(folder))
  // The sandbox makes its program and its clock again when it starts.
  const others = table === 'sandbox_objects' ? "kind NOT IN ('program', 'clock')" : 'true'
  const rows = db
    .prepare<[], { id: string | number; text: string }>(
      `SELECT ${key} AS id, ${column} AS text FROM ${table}
       WHERE substr(${column}, 1, 1) IN ('[', '{') AND ${others}`,
    )
    .all()
  const { id, text } = random.pick(rows)
  const at = [0, random.integer(1, text.length - 2), text.length - 1][place] ?? 0
  const changed = text.slice(0, at) + random.pick(['\u0001', 'x']) + text.slice(at + 1)
  db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`).run(changed, id)
  db.close()
}

/** In the short form, one byte in every column at once. */
const cases: readonly { readonly columns: readonly (typeof COLUMNS)[number][]; place: number }[] =
  isLongForm
    ? COLUMNS.flatMap((column) => [0, 1, 2].map((place) => ({ columns: [column], place })))
    : [{ columns: COLUMNS, place: 0 }]

test.each(cases)('a damaged byte in $columns fails nothing but its row', async (damaged) => {
  const { columns, place } = damaged
  const folder = temporaryFolder()
  cpSync(whole, folder, { recursive: true })
  for (const column of columns) damage(folder, column, place)
  const where = `SEED=${seed} ${columns.join(' ')} at ${place}`
  const core = await readAll(folder, where)
  const message = (await rowsCheck(core))?.message
  const named = message?.match(/"\w+"/g) ?? []
  for (const [table, column] of columns)
    // A setting that can't be read is its default. A changed letter in the middle may leave valid
    // JSON.
    if (table !== 'settings' && place !== 1) expect(named, where).toContain(`"${column}"`)
  await core.stop()
  repairDatabase(folder)
  const repaired = await readAll(folder, `${where}, repaired`)
  expect(await rowsCheck(repaired), where).toMatchObject({ outcome: 'ok' })
  await repaired.stop()
})

test('20 random bytes in a page of rows are repaired so that everything can be read again', async () => {
  const pages = pagesOf(whole).filter(({ kind, cells }) => kind === 'leaf' && cells > 0)
  for (let round = 0; round < times(2, 60); round++) {
    const folder = temporaryFolder()
    cpSync(whole, folder, { recursive: true })
    const page = random.pick(pages)
    const at = random.integer(0, PAGE_BYTES - 20)
    overwrite(databaseFileOf(folder), random.bytes(20), (page.number - 1) * PAGE_BYTES + at)
    const where = `SEED=${seed} ${page.name} page ${page.number} at ${at}`
    repairDatabase(folder)
    const core = await readAll(folder, where)
    expect(await rowsCheck(core), where).toMatchObject({ outcome: 'ok' })
    await core.stop()
  }
})

test('altered bodies of any size are named, shown with their delivery, and taken by a repair', async () => {
  const folder = temporaryFolder()
  cpSync(whole, folder, { recursive: true })
  const db = openForWriting(databaseFileOf(folder))
  const altered = db
    .prepare<[], { seq: number; id: string }>('SELECT seq, id FROM deliveries ORDER BY seq LIMIT 3')
    .all()
  for (const [index, { seq }] of altered.entries())
    db.prepare('UPDATE bodies SET bytes = zeroblob(?) WHERE seq = ?').run(
      [10, 3_000, 200_000][index],
      seq,
    )
  db.close()
  const core = await readAll(folder, 'altered bodies')
  const message = (await rowsCheck(core))?.message
  for (const { id } of altered) {
    expect((await core.call('deliveries.get', { id })).bodyAltered).toBe(true)
    expect(message).toContain(id)
  }
  expect((await core.latest()).bodyAltered).toBe(false)
  await core.stop()
  expect(repairDatabase(folder).lostBodies).toEqual(altered.map(({ id }) => id))
})
