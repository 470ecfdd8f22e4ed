/** Promise 2: a full or failing disk responds 503, never 200, and capture resumes automatically. */
import { hash } from 'node:crypto'
import { renameSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StoreStatus } from '../../src/shared/model/status.ts'
import { allDeliveries, bodyOf, countMatches } from '../support/read-deliveries.ts'
import { createDeliverer, deliverOnce } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import type { TestCore } from '../support/test-core.ts'
import { databaseFileOf } from '../../src/core/store/database.ts'

const MEBIBYTE = 1_048_576

/**
 * Sends different bodies until the core has rejected `refusals` of them. Returns the statuses by
 * path.
 */
async function sendUntilFull(core: TestCore, refusals: number) {
  const deliverer = createDeliverer(core.caFile, 8)
  const acknowledged = new Map<string, string>()
  const refused: string[] = []
  const other: number[] = []
  const sender = async (connection: number) => {
    for (let count = 0; refused.length < refusals && count < 2_000; count++) {
      const path = `/full/${connection}/${count}`
      const body = Buffer.alloc(20_000, path)
      const { status } = await deliverer.send(core.receiver + path, { body, headers: [] })
      if (status === 200) acknowledged.set(path, hash('sha256', body, 'hex'))
      else if (status === 503) refused.push(path)
      else other.push(status)
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, connection) => sender(connection)))
  deliverer.close()
  return { acknowledged, refused, other }
}

/** Paths that were acknowledged but are missing or have other bytes. */
async function falselyAcknowledged(
  core: TestCore,
  acknowledged: ReadonlyMap<string, string>,
): Promise<string[]> {
  const stored = new Map(
    (await allDeliveries(core.client)).map((delivery) => [delivery.path, delivery]),
  )
  const wrong: string[] = []
  for (const [path, sha256] of acknowledged) {
    const found = stored.get(path)
    if (
      found === undefined ||
      hash('sha256', await bodyOf(core.client, found.id), 'hex') !== sha256
    )
      wrong.push(path)
  }
  return wrong
}

async function expectRefusal(core: TestCore) {
  const answer = await deliverOnce(core.caFile, `${core.receiver}/refused`, Buffer.alloc(200_000))
  expect(answer.status).toBe(503)
  expect(answer.headers['retry-after']).toMatch(/^\d+$/)
}

describe("a database that can't grow", () => {
  let core: TestCore
  const reported: StoreStatus[] = []
  beforeAll(async () => {
    core = await coreInFolder({ threads: true, options: { maxDatabaseBytes: 2 * MEBIBYTE } })
    core.client.on('store.changed', (status) => reported.push(status))
  })

  test('responds 503, keeps everything it acknowledged, and reports the failure', async () => {
    const { acknowledged, refused, other } = await sendUntilFull(core, 40)
    expect(other).toEqual([])
    expect(refused.length).toBeGreaterThanOrEqual(40)
    expect(acknowledged.size).toBeGreaterThan(10)
    expect(await falselyAcknowledged(core, acknowledged)).toEqual([])
    await expectRefusal(core)
    const { store, receiver } = await core.call('app.status', {})
    expect(store).toMatchObject({
      state: 'failing',
      problem: expect.stringMatching(/disk is full or failing/),
    })
    expect(store.deliveries).toBe((await allDeliveries(core.client)).length)
    expect(receiver.state).toBe('listening')
    expect(reported.map(({ state }) => state)).toContain('failing')
  })

  test('stays readable and undamaged', async () => {
    const [first] = await allDeliveries(core.client)
    expect((await bodyOf(core.client, first?.id ?? '')).length).toBe(20_000)
    expect(await countMatches(core.client, '')).toBeGreaterThan(10)
    const { checks } = await core.call('doctor.run', {})
    expect(checks.find(({ name }) => name === 'database')).toMatchObject({ outcome: 'failed' })
    expect(core.bugs).toEqual([])
  })

  test('opens again with all its data once it can grow', async () => {
    const before = await allDeliveries(core.client)
    await core.stop()
    core = await coreInFolder({ dataFolder: core.dataFolder })
    expect((await allDeliveries(core.client)).map(({ id }) => id)).toEqual(
      before.map(({ id }) => id),
    )
    expect(await deliverOnce(core.caFile, `${core.receiver}/again`, 'again')).toMatchObject({
      status: 200,
    })
    expect((await core.call('app.status', {})).store.state).toBe('ok')
  })
})

test.skipIf(process.platform === 'win32')(
  'deliveries get no 200 while the database file is elsewhere',
  async () => {
    const core = await coreInFolder({})
    const send = async (body: string) =>
      (await deliverOnce(core.caFile, `${core.receiver}/moved`, body)).status
    expect(await send('before')).toBe(200)
    const file = databaseFileOf(core.dataFolder)
    renameSync(file, `${file}.away`)
    expect(await send('while away')).toBe(503)
    const { store } = await core.call('app.status', {})
    expect(store).toMatchObject({
      state: 'failing',
      problem: expect.stringMatching(/database file was deleted or moved/),
    })
    renameSync(`${file}.away`, file)
    expect(await send('after')).toBe(200)
    expect((await core.call('app.status', {})).store.state).toBe('ok')
    expect(core.bugs).toEqual([])
  },
)

const disk = mountSmallDisk(16)

describe.skipIf(disk === null)('a disk filled by another program', () => {
  let core: TestCore
  beforeAll(async () => {
    core = await coreInFolder({ threads: true, dataFolder: disk?.folder ?? '' })
  })
  afterAll(async () => {
    await core.stop()
    disk?.unmount()
  })

  test('responds 503 while the disk is full, stays readable, and resumes by itself', async () => {
    disk?.fillUp()
    const { acknowledged, refused, other } = await sendUntilFull(core, 40)
    expect(other).toEqual([])
    expect(refused.length).toBeGreaterThanOrEqual(40)
    await expectRefusal(core)
    expect((await core.call('app.status', {})).store.state).toBe('failing')
    expect(await falselyAcknowledged(core, acknowledged)).toEqual([])

    disk?.free()
    const resumed = Buffer.alloc(200_000, 2)
    const send = async () =>
      (await deliverOnce(core.caFile, `${core.receiver}/resumed`, resumed)).status
    await expect.poll(send).toBe(200)
    expect((await core.call('app.status', {})).store).toMatchObject({
      state: 'ok',
      problem: null,
    })
    expect((await bodyOf(core.client, 'latest')).equals(resumed)).toBe(true)
  })

  test('deleting while the disk is full makes room for capture, although the other program keeps its part', async () => {
    const body = Buffer.alloc(20_000, 'x')
    for (let count = 0; count < 100; count++)
      await deliverOnce(core.caFile, `${core.receiver}/before/${count}`, body)
    disk?.fillUp()
    await sendUntilFull(core, 8)
    const query = 'path:/before/*'
    const { count } = await core.call('deliveries.delete', { query, final: true })
    expect(count).toBe(100)
    const send = async () =>
      (await deliverOnce(core.caFile, `${core.receiver}/after`, Buffer.alloc(100_000))).status
    await expect.poll(send).toBe(200)
    disk?.free()
  })

  test('deliveries that were acknowledged and described while the disk was full are completed afterwards', async () => {
    const statuses = async () =>
      new Set((await allDeliveries(core.client)).map(({ answer }) => answer.status))
    await expect.poll(statuses).toEqual(new Set([200]))
    expect(core.bugs).toEqual([])
  })
})
