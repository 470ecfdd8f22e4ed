/** Repair from the window while Countersign runs: senders get a 503 meanwhile, and connections survive. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import type { Core } from '../../src/core/app/core.ts'
import { createRepairableCore } from '../../src/core/app/repairable-core.ts'
import { databaseFileOf } from '../../src/core/store/open.ts'
import type { RepairState } from '../../src/shared/model/repair.ts'
import { createClient, type Client } from '../../src/shared/rpc/client.ts'
import { createMemoryPair } from '../../src/shared/rpc/transport.ts'
import { fillFolderToDamage, readAll } from '../support/damage.ts'
import { overwrite, PAGE_BYTES, pagesOf } from '../support/pages.ts'
import { createDeliverer } from '../support/deliver.ts'
import { chooseSeed, createSeededRandom } from '../support/seeded-random.ts'
import { closeAtEnd, temporaryFolder } from '../support/temporary-folder.ts'
import { testDeps } from '../support/test-core.ts'

const seed = chooseSeed()
const random = createSeededRandom(seed)
let sound: string
beforeAll(() => {
  sound = temporaryFolder()
  fillFolderToDamage(sound, random, 300)
})

interface Running {
  readonly folder: string
  readonly core: Core
  readonly client: Client
  /** Every state of the repair, as a window receives it. */
  readonly heard: RepairState[]
  readonly bugs: readonly unknown[]
  send(): Promise<number>
}

async function runDamaged(page: number, of = sound): Promise<Running> {
  const folder = temporaryFolder()
  await cp(of, folder, { recursive: true })
  overwrite(databaseFileOf(folder), random.bytes(PAGE_BYTES), (page - 1) * PAGE_BYTES)
  const deps = testDeps(folder)
  const core = await createRepairableCore(deps, {
    serve: { host: '127.0.0.1', receiverPort: 0, sandboxPort: 0 },
  })
  const [near, far] = createMemoryPair()
  const disconnect = core.connect(far)
  closeAtEnd(async () => {
    disconnect()
    await core.close()
  })
  const client = createClient(near)
  const heard: RepairState[] = []
  client.on('repair.changed', (state) => heard.push(state))
  return {
    folder,
    core,
    client,
    heard,
    bugs: deps.bugs,
    async send() {
      const { receiver, caFile } = await core.status()
      const deliverer = createDeliverer(caFile)
      try {
        return (await deliverer.send(`${receiver.url}/h/x`, { body: '{}', headers: [] })).status
      } finally {
        deliverer.close()
      }
    },
  }
}

test("if the database can't be opened, senders get a 503, every command says why, and a repair restores everything", async () => {
  const { folder, client, heard, bugs, send } = await runDamaged(1)
  expect(await client.call('repair.get', {})).toMatchObject({
    phase: 'damaged',
    problem: expect.stringContaining(databaseFileOf(folder)),
  })
  await expect(client.call('hooks.list', {})).rejects.toMatchObject({ code: 'DATABASE_DAMAGED' })
  expect((await client.call('app.status', {})).store.state).toBe('damaged')
  expect(await send()).toBe(503)
  await client.call('repair.start', {})
  await expect.poll(() => heard.at(-1)?.phase).toBe('ended')
  expect(heard.map(({ phase }) => phase)).toContain('running')
  await expect
    .poll(() => client.call('app.status', {}).then(({ store }) => store))
    .toMatchObject({ state: 'ok', deliveries: 300 })
  expect(await client.call('repair.get', {})).toMatchObject({
    phase: 'ended',
    report: { outcome: 'repaired', lostDeliveries: [], lostBodies: [] },
  })
  expect(await send()).toBe(200)
  expect(bugs).toEqual([])
})

test('a core that runs on a damaged database repairs it: 503 meanwhile, and losses in the report', async () => {
  const page = pagesOf(sound).find(({ name, kind }) => name === 'deliveries' && kind === 'leaf')
  const { folder, client, core, heard, send } = await runDamaged(page?.number ?? 0)
  expect((await client.call('app.status', {})).store.state).toBe('damaged')
  expect(await send()).toBe(200)
  const { receiver } = await core.status()
  await client.call('repair.start', {})
  await expect
    .poll(() => heard.some(({ phase }) => phase === 'running'), { interval: 5 })
    .toBe(true)
  const during = await send().catch(() => 503)
  expect([200, 503]).toContain(during)
  await expect
    .poll(() =>
      client.call('app.status', {}).then(
        ({ store }) => store.state,
        () => 'changing',
      ),
    )
    .toBe('ok')
  const { phase, report } = await client.call('repair.get', {})
  expect(phase).toBe('ended')
  const lost = report?.parts.find(({ name }) => name === 'deliveries')?.lost ?? 0
  expect(lost).toBeGreaterThan(0)
  expect(report?.lostDeliveries).toHaveLength(lost)
  expect(readAll(databaseFileOf(folder)).deliveries.size).toBeGreaterThanOrEqual(301 - lost)
  expect(readdirSync(folder).some((name) => name.includes('.damaged-'))).toBe(true)
  // The receiver's URL stays the same.
  expect((await core.status()).receiver.url).toBe(receiver.url)
  expect(await send()).toBe(200)
})

test('a repair that is cancelled midway changes nothing, and the next one repairs', async () => {
  // So many that a repair takes several steps.
  const many = temporaryFolder()
  fillFolderToDamage(many, random, 20_000)
  const page = pagesOf(many).find(({ name, kind }) => name === 'deliveries' && kind === 'leaf')
  const { folder, client, heard, bugs, send } = await runDamaged(page?.number ?? 0, many)
  const names = () =>
    readdirSync(folder).filter((name) => /damaged|repairing|repair-source|swap/.test(name))
  const file = databaseFileOf(folder)
  const damagedPage = () =>
    readFileSync(file).subarray(
      ((page?.number ?? 0) - 1) * PAGE_BYTES,
      (page?.number ?? 0) * PAGE_BYTES,
    )
  const [before, { ino }] = [damagedPage(), statSync(file)]
  await client.call('repair.start', {})
  await expect
    .poll(() => heard.some(({ progress }) => (progress?.rows ?? 0) > 0), {
      interval: 1,
      timeout: 30_000,
    })
    .toBe(true)
  expect(names()).not.toEqual([])
  await client.call('repair.cancel', {})
  await expect.poll(() => heard.at(-1)).toMatchObject({ phase: 'ended' })
  const { report } = await client.call('repair.get', {})
  expect(report, `SEED=${seed}`).toMatchObject({
    outcome: 'cancelled',
    setAside: null,
    parts: [],
  })
  expect(names()).toEqual([])
  expect([statSync(file).ino, damagedPage().equals(before)]).toEqual([ino, true])
  expect((await client.call('app.status', {})).store.state).toBe('damaged')
  expect(await send()).toBe(200)
  await client.call('repair.start', {})
  await expect.poll(() => heard.at(-1)?.report?.outcome).toBe('repaired')
  expect(bugs).toEqual([])
})
