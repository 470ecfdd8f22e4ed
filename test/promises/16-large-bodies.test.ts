/**
 * Promise 16: legal but large traffic doesn't exhaust memory. Runs the built `serve` in its own
 * process. The `memory` benchmark does the same with larger loads.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { connectToInstance, type InstanceConnection } from '../../src/core/control/connect.ts'
import { createDeliverer, signedHeaders } from '../support/deliver.ts'
import {
  distinctMembers,
  manyMembers,
  residentMebibytes,
  sendBodies,
  SECRET,
  stallBodies,
} from '../support/large-bodies.ts'
import { times } from '../support/long-form.ts'
import { statusIn } from '../support/raw-http.ts'
import { serveCore, type ServedCore } from '../support/served-core.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/**
 * The promise is 64 MiB, measured by the benchmark. Here a test also meets what earlier ones left,
 * and holds 48 MiB of bodies.
 */
const MOST_GROWTH_MIB = 64 + 48
const SETTLE_MS = times(2_000, 10_000)
const PROCESSED_MS = 2_000
const PATIENCE_MS = times(20_000, 45_000)
/** Bodies sent at once. */
const BODIES = times(2, 6)
const STALLED = 40
const STALLED_BYTES = 5 * 1_048_576
/** Number of bodies that fit into the 48 MiB that large bodies share. */
const FITTING = 9

let folder: string
let core: ServedCore
let connection: InstanceConnection
let atFirst: number | null

beforeAll(async () => {
  folder = temporaryFolder()
  core = await serveCore(folder)
  const found = await connectToInstance(folder)
  if (found === null) throw new Error('The core cannot be reached.')
  connection = found
  const url = `${core.receiver}/h/large`
  await connection.client.call('hooks.import', { event: 'transaction.auth', url, secret: SECRET })
  await delay(SETTLE_MS)
  atFirst = residentMebibytes(core.pid)
})

afterAll(async () => {
  connection.close()
  await core.kill()
})

/**
 * Expects memory to settle. A busy machine frees it later and gets more time; the benchmark keeps
 * to 10 s.
 */
async function expectSettled(): Promise<void> {
  // Whatever arrived is being processed by then.
  await delay(PROCESSED_MS)
  const growth = () => (residentMebibytes(core.pid) ?? 0) - (atFirst ?? 0)
  if (atFirst === null) return
  await expect
    .poll(growth, { timeout: PATIENCE_MS, interval: 1_000 })
    .toBeLessThanOrEqual(MOST_GROWTH_MIB)
  console.log(`memory + ${growth().toFixed(0)} MiB`)
}

test('bodies with half a million members are verified and leave no memory behind', async () => {
  const body = manyMembers(500_000)
  const { statuses } = await sendBodies(
    core,
    Array.from({ length: BODIES }, () => body),
  )
  expect(statuses).toEqual(Array.from({ length: BODIES }, () => 200))
  await expectSettled()
  const { items } = await connection.client.call('deliveries.list', { limit: BODIES })
  for (const { id, verdict, schema, event } of items) {
    expect({ verdict, schema, event }).toEqual({
      verdict: 'valid',
      schema: 'unknown',
      event: 'transaction.auth',
    })
    const report = await connection.client.call('deliveries.schema', { id })
    expect(report.findings.map(({ message }) => message)).toEqual([
      'Too large to check: the body has more than 20,000 members.',
    ])
  }
})

test('bodies with previously unseen keys leave no memory behind', async () => {
  const { statuses } = await sendBodies(
    core,
    Array.from({ length: BODIES }, (_, seed) => distinctMembers(5_000_000, seed)),
  )
  expect(statuses).toEqual(Array.from({ length: BODIES }, () => 200))
  await expectSettled()
})

test('of 40 stalling large bodies, the newest get a 503, and small deliveries get a 200', async () => {
  const oldest = await stallBodies(core, 1, STALLED_BYTES)
  await delay(500)
  const stalled = [...oldest, ...(await stallBodies(core, STALLED - 1, STALLED_BYTES))]
  onTestFinished(() => {
    for (const { socket } of stalled) socket.destroy()
  })
  const deliverer = createDeliverer(core.caFile)
  const url = `${core.receiver}/h/large`
  for (let index = 0; index < 20; index++) {
    const { status } = await deliverer.send(url, {
      body: `{"small":${index}}`,
      headers: signedHeaders(SECRET, `{"small":${index}}`, url),
    })
    expect(status).toBe(200)
  }
  await expectSettled()
  const statuses = stalled.map((one) => statusIn(one.received()))
  expect(statuses.filter((status) => status === 503)).toHaveLength(STALLED - FITTING)
  expect(statuses.filter((status) => status === null)).toHaveLength(FITTING)
  // The oldest one has its place and is stored as soon as it ends.
  stalled[0]!.write('a')
  expect(await stalled[0]!.status()).toBe(200)
  for (const { socket } of stalled) socket.destroy()
  await expectSettled()
  deliverer.close()
})
