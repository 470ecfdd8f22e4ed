/** Promise 9 for custom headers: none of their values is stored in clear. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { coreInFolder } from '../support/in-folder.ts'
import { plant, plantedBelow } from '../support/planted-secrets.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { TestCore } from '../support/test-core.ts'

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

async function programOf(core: TestCore) {
  await core.call('sandbox.sample', {})
  return core.program()
}

function many(prefix: string, count: number): string[] {
  return Array.from({ length: count }, () => plant(prefix))
}

test("header values are encrypted in the hook's record, in the sandbox and in the log", async () => {
  const core = await start()
  const { client, receiver } = core
  const program = await programOf(core)
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
  const core = await start()
  const { client, receiver } = core
  const secret = 'secret-of-the-hook-0123456789'
  const url = `${receiver}/h/elsewhere`
  const { hook } = await client.call('hooks.add', {
    event: 'transaction.auth',
    url,
    programId: await programOf(core),
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
    hookIds: [hook.id],
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
