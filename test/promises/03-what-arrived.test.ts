/**
 * Promise 3: the app shows exactly what arrived: bytes, header order, case and duplicates, even of
 * barely valid requests.
 */
import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Delivery } from '../../src/shared/model/delivery.ts'
import { allDeliveries, bodyOf, waitForDeliveries } from '../support/read-deliveries.ts'
import { createDeliverer, deliverOnce, sendDelivery, signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { times } from '../support/long-form.ts'
import { connectRaw } from '../support/raw-http.ts'
import { chooseSeed, createSeededRandom, type SeededRandom } from '../support/seeded-random.ts'
import type { TestCore } from '../support/test-core.ts'
import { rawRequests } from './raw-requests.ts'

const MEBIBYTE = 1_048_576
const BODIES = times(150, 10_000)
const CONNECTIONS = 16

let core: TestCore
beforeAll(async () => {
  core = await coreInFolder()
})
afterAll(async () => {
  expect(core.bugs).toEqual([])
})

const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, value) => value))

/**
 * Returns a body of random bytes, bytes that a text decoder would change, or all 256 byte values.
 */
function randomBody(random: SeededRandom): Buffer {
  const kind = random.integer(0, 9)
  if (kind === 0) return Buffer.concat([EVERY_BYTE, random.bytes(random.integer(0, 100))])
  if (kind === 1)
    return Buffer.concat([
      Buffer.from('\ufeff{"a":12345678901234567890,"a":1.0}\r\n'),
      random.bytes(3),
    ])
  if (kind === 2) return Buffer.alloc(0)
  return random.bytes(random.integer(0, 4_096))
}

function randomHeaders(random: SeededRandom): [string, string][] {
  return Array.from({ length: random.integer(0, 8) }, (): [string, string] => {
    const name = `x-${random.pick(['alpha', 'beta', 'gamma'])}`
    const spelt = random.pick([name, name.toUpperCase(), name.replace('x-', 'X-')])
    return [spelt, random.bytes(random.integer(1, 20)).toString('base64')]
  })
}

interface Sent {
  readonly headers: readonly (readonly [string, string])[]
  readonly sha256: string
  readonly size: number
}

test('random bodies and their headers are read back as sent', async () => {
  const random = createSeededRandom(chooseSeed())
  const deliverer = createDeliverer(core.caFile, CONNECTIONS)
  const sent = new Map<string, Sent>()
  let next = 0
  const sender = async () => {
    while (next < BODIES) {
      const path = `/random/${next++}`
      // Some large ones, which form their own batch.
      const body =
        next % 200 === 0
          ? random.bytes(next % 1_800 === 0 ? 9 * MEBIBYTE : MEBIBYTE)
          : randomBody(random)
      const headers = randomHeaders(random)
      sent.set(path, { headers, sha256: hash('sha256', body, 'hex'), size: body.length })
      expect((await deliverer.send(core.receiver + path, { body, headers })).status).toBe(200)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, sender))
  deliverer.close()

  const wrong: { path: string | null; what: string }[] = []
  const stored = (await allDeliveries(core.client)).filter(
    ({ path }) => path?.startsWith('/random/') === true,
  )
  for (const delivery of stored) {
    const { path, headers } = delivery
    const expected = sent.get(path ?? '')
    const bytes = await bodyOf(core.client, delivery.id)
    if (hash('sha256', bytes, 'hex') !== expected?.sha256) wrong.push({ path, what: 'bytes' })
    if (delivery.bodySha256 !== expected?.sha256 || delivery.bodySize !== expected.size)
      wrong.push({ path, what: 'hash or size' })
    // The client appends its own headers.
    const given = JSON.stringify(headers.slice(0, expected?.headers.length))
    if (given !== JSON.stringify(expected?.headers)) wrong.push({ path, what: `headers ${given}` })
  }
  expect(wrong, `SEED=${random.seed}`).toEqual([])
  expect(stored.length).toBe(BODIES)
})

test.each(rawRequests.map((request) => [request.name, request] as const))(
  'a byte-exact request: %s',
  async (_name, { bytes, status, stored }) => {
    const [newest] = (await core.call('deliveries.list', { limit: 1 })).items
    const before = newest?.seq ?? 0
    const connection = await connectRaw(core.receiver, core.caFile)
    connection.write(bytes)
    expect(await connection.status()).toBe(status)
    connection.socket.destroy()
    await connection.closed
    const { items } = await core.call('deliveries.list', { after: before })
    expect(items).toHaveLength(1)
    const [delivery] = items as [Delivery]
    expect(delivery.method).toBe(stored.method)
    expect(delivery.path).toBe(stored.path)
    expect(delivery.httpVersion).toBe(stored.httpVersion ?? '1.1')
    if (stored.headers !== undefined) expect(delivery.headers).toEqual(stored.headers)
    if (stored.malformed === undefined) expect(delivery.malformed).toBe(null)
    else expect(delivery.malformed?.reason).toMatch(stored.malformed)
    const kept = (await bodyOf(core.client, delivery.id)).toString('latin1')
    if (stored.body !== undefined) expect(kept).toBe(stored.body)
    // Unreadable input is kept as received.
    else if (stored.method === null)
      expect(bytes.startsWith(kept.slice(0, 20)) && kept.length > 0).toBe(true)
    else expect(kept).toBe('')
    expect(delivery.bodySha256).toBe(
      hash('sha256', kept === '' ? '' : Buffer.from(kept, 'latin1'), 'hex'),
    )
  },
)

describe('a body over the limit', () => {
  const SECRET = 'whsec_over_the_limit'

  test('gets a 413, and the start is kept, with the size, hash and verdict of the full body', async () => {
    const url = `${core.receiver}/h/large`
    const hook = await core.call('hooks.import', {
      event: 'transaction.auth',
      url,
      secret: SECRET,
    })
    const random = createSeededRandom(chooseSeed())
    const body = random.bytes(11 * MEBIBYTE)
    expect(await sendDelivery(core.caFile, { url, secret: SECRET, body })).toBe(413)
    const [delivery] = await waitForDeliveries(core.client, 1, 'is:truncated')
    expect(delivery).toMatchObject({
      truncated: true,
      bodySize: body.length,
      bodySha256: hash('sha256', body, 'hex'),
      verdict: 'valid',
      freshness: 'fresh',
      hookId: hook.id,
      event: 'transaction.auth',
      answer: { status: 413 },
    })
    const kept = await bodyOf(core.client, delivery?.id ?? '')
    expect(kept.equals(body.subarray(0, 10 * MEBIBYTE))).toBe(true)

    // A byte beyond the kept part matters too.
    const changed = Buffer.from(body)
    changed[body.length - 1]! ^= 1
    const signed = signedHeaders(SECRET, body, url)
    expect((await deliverOnce(core.caFile, url, changed, signed)).status).toBe(413)
    expect(await core.latest()).toMatchObject({
      verdict: 'invalid',
      truncated: true,
    })
  })

  test('of exactly the limit is kept whole', async () => {
    const body = Buffer.alloc(10 * MEBIBYTE, 7)
    expect((await deliverOnce(core.caFile, `${core.receiver}/exact`, body)).status).toBe(200)
    const delivery = await core.latest()
    expect(delivery).toMatchObject({
      truncated: false,
      bodySize: body.length,
      bodySha256: hash('sha256', body, 'hex'),
    })
    expect((await bodyOf(core.client, delivery.id)).equals(body)).toBe(true)
  })
})
