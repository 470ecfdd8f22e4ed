import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { connectToInstance } from '../../src/core/control/connect.ts'
import type { Clock } from '../../src/core/base/deps.ts'
import { systemClock } from '../../src/core/base/system-clock.ts'
import type { InputOf } from '../../src/shared/contract/contract.ts'
import type { ForwardTarget } from '../../src/shared/model/forward.ts'
import type { Hook } from '../../src/shared/model/hook.ts'
import type { Send } from '../../src/shared/model/send.ts'
import type { Client } from '../../src/shared/rpc/client.ts'
import { deliverOnce, signatureOf, signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import {
  headerOf,
  runReplay,
  type RawEndpoint,
  type RawRequest,
} from '../support/replay-fixture.ts'
import { serveCore } from '../support/served-core.ts'
import { rawEndpoint, temporaryFolder } from '../support/temporary-folder.ts'
import type { TestCore } from '../support/test-core.ts'
import { samplePayloads } from '../support/sample-payloads.ts'
import { until } from '../support/until.ts'

/**
 * Time runs eight times as fast: the 19 s for a response take two and a half, enough on a busy
 * computer too.
 */
const SPEED = 8
const fastClock: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * SPEED,
  sleep: (ms, signal) => systemClock.sleep(ms / SPEED, signal),
}

const SECRET = 'whsec_forwarded'
let core: TestCore
let client: Client
let refunds: Hook
let cards: Hook

beforeAll(async () => {
  core = await coreInFolder({ threads: true, deps: { clock: fastClock } })
  client = core.client
  const hookAt = (name: string, event: string) =>
    client.call('hooks.import', { event, url: `${core.receiver}/h/${name}`, secret: SECRET })
  refunds = await hookAt('refunds', 'transaction.refund')
  cards = await hookAt('cards', 'card.linked')
})
afterEach(async () => {
  for (const { id } of (await client.call('forward.list', {})).targets)
    await client.call('forward.remove', { id })
})
afterAll(async () => {
  expect(core.bugs).toEqual([])
})

async function add(input: InputOf<'forward.add'>): Promise<ForwardTarget> {
  return (await client.call('forward.add', input)).target
}

async function targetOf(id: string): Promise<ForwardTarget> {
  const found = (await client.call('forward.list', {})).targets.find((target) => target.id === id)
  if (found === undefined) throw new Error('The target is gone.')
  return found
}

const send = (hook: Hook, body: string, headers = signedHeaders(SECRET, body, hook.url)) =>
  core.send(hook.url, { body, headers })

const bodies = ({ requests }: RawEndpoint) => requests.map(({ body }) => body.toString())
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `{"n":${index}}`)

/** Resolves with a target's sends in order, once there are this many and all have finished. */
async function settled(id: string, count: number): Promise<Send[]> {
  const sends = async () =>
    (await client.call('forward.sends', { id, limit: 1_000 })).sends.toReversed()
  const isOver = ({ state }: Send) => state !== 'waiting' && state !== 'under-way'
  const areOver = (all: readonly Send[]) => all.length === count && all.every(isOver)
  return until(client, 'forward.changed', sends, areOver)
}

const queued = (id: string, isRight: (target: ForwardTarget) => boolean) =>
  until(client, 'forward.changed', () => targetOf(id), isRight)

describe('a target receives', () => {
  test('the delivery, re-signed over the registered URL, immediately and automatically', async () => {
    const one = await rawEndpoint()
    const { id, name, light } = await add({ url: `${one.origin}/in` })
    expect([name, light]).toEqual([`127.0.0.1:${one.port}`, 'new'])
    const body = '{"amount":10.00}'
    const old = signedHeaders(SECRET, body, refunds.url, String(Date.now() - 60_000))
    await send(refunds, body, [...old, ['X-Tenant', 'a'], ['x-tenant', 'b']])
    const [sent] = await settled(id, 1)
    expect(sent).toMatchObject({
      kind: 'forward',
      status: 200,
      outcome: 'passed',
      registeredUrl: refunds.url,
      replayId: id,
    })
    const [request] = one.requests
    expect([request?.line, request?.body.toString()]).toEqual(['POST /in HTTP/1.1', body])
    const timestamp = headerOf(request, 'x-service-timestamp') ?? ''
    expect(Date.now() - Number(timestamp)).toBeLessThan(30_000)
    expect(headerOf(request, 'x-service-signature')).toBe(
      signatureOf(SECRET, body, refunds.url, timestamp),
    )
    expect(
      request?.headers.filter((header) => header.toLowerCase().startsWith('x-tenant')),
    ).toEqual(['X-Tenant: a', 'x-tenant: b'])
    expect(await targetOf(id)).toMatchObject({ light: 'up', problem: null, passed: 1 })
    const { sends } = await client.call('replay.ofDelivery', { id: sent?.deliveryId ?? '' })
    expect([sent]).toMatchObject(sends)
    // The request is stored, like a replay's.
    const whole = await client.call('replay.send', { id: sent?.id ?? '' })
    expect(whole.request).toMatchObject({
      method: 'POST',
      base64: Buffer.from(body).toString('base64'),
    })
  })

  test("it unchanged if configured so, or if the delivery isn't valid and fresh", async () => {
    const one = await rawEndpoint()
    const two = await rawEndpoint()
    const asReceived = await add({ url: one.origin, sign: 'as-received' })
    const now = await add({ url: two.origin })
    const stale = signedHeaders(SECRET, '{}', refunds.url, '1700000000000')
    const forged = signedHeaders('not the secret', '{}', refunds.url)
    await send(refunds, '{}', stale)
    await send(refunds, '{}', forged)
    await send(refunds, '{}', [])
    await settled(asReceived.id, 3)
    await settled(now.id, 3)
    const proofs = ({ requests }: RawEndpoint) =>
      requests.map((request) => headerOf(request, 'x-service-signature'))
    const received = [stale[1]?.[1], forged[1]?.[1], undefined]
    expect([proofs(one), proofs(two)]).toEqual([received, received])
  })

  test('a forged one once, right if it rejects it and wrong if it accepts it', async () => {
    const [strict, lax] = [await rawEndpoint(() => 401), await rawEndpoint()]
    const targets = [await add({ url: strict.origin }), await add({ url: lax.origin })]
    await send(refunds, '{}', signedHeaders('not the secret', '{}', refunds.url))
    const sends = await Promise.all(targets.map(({ id }) => settled(id, 1)))
    expect(sends.flat().map(({ expected, outcome }) => [expected, outcome])).toEqual([
      ['rejected', 'passed'],
      ['rejected', 'failed'],
    ])
    expect(await targetOf(targets[0]!.id)).toMatchObject({ light: 'up', passed: 1 })
    expect([strict, lax].map(({ requests }) => requests.length)).toEqual([1, 1])
  })

  test('only identified refunds, unless its filter asks for possible ones', async () => {
    const [identified, possible] = [await rawEndpoint(), await rawEndpoint()]
    const first = await add({ url: identified.origin, query: 'event:transaction.refund' })
    const second = await add({
      url: possible.origin,
      query: 'event:transaction.refund is:possible',
    })
    const body = JSON.stringify(samplePayloads['transaction.refund'])
    const forged = `${body}\n`
    await send(refunds, forged, signedHeaders('another secret', forged, refunds.url))
    await settled(second.id, 1)
    await send(refunds, body)
    await settled(first.id, 1)
    expect([identified, possible].map(bodies)).toEqual([[body], [forged]])
  })

  test('the deliveries that its filter matches, once per target; and none from before it was added', async () => {
    await send(cards, '{"before":true}')
    const [refunded, everything, large] = [
      await rawEndpoint(),
      await rawEndpoint(),
      await rawEndpoint(),
    ]
    const targets = [
      await add({ url: refunded.origin, query: 'hook:refunds' }),
      await add({ url: everything.origin }),
      await add({ url: large.origin, query: 'amount:>100' }),
    ]
    await send(refunds, '{"amount":5}')
    await send(cards, '{"amount":500}')
    for (const [index, { id }] of targets.entries()) await settled(id, [1, 2, 1][index] ?? 0)
    expect([refunded, everything, large].map(bodies)).toEqual([
      ['{"amount":5}'],
      ['{"amount":5}', '{"amount":500}'],
      ['{"amount":500}'],
    ])
  })

  test('nothing that we sent ourselves: a target that points back causes no loop', async () => {
    const { id } = await add({ url: cards.url })
    await send(refunds, '{"round":1}')
    const [sent] = await settled(id, 1)
    expect(sent).toMatchObject({ status: 200 })
    await runReplay(client, { ids: [sent?.deliveryId ?? ''] })
    const { items } = await client.call('deliveries.list', { limit: 2 })
    // Both returned to the receiver and were recognized.
    expect(items.map(({ replayOf }) => replayOf)).toEqual([sent?.deliveryId, sent?.deliveryId])
    await send(refunds, '{"round":2}')
    expect(await settled(id, 2)).toHaveLength(2)
  })

  test('no request that it forwarded itself, if it first responds and forwards back later', async () => {
    const one = await rawEndpoint()
    const { id } = await add({ url: one.origin })
    await send(refunds, '{"later":1}')
    const [sent] = await settled(id, 1)
    const [passedOn] = one.requests
    const proof = ['x-service-signature', 'x-service-timestamp'].map((name): [string, string] => [
      name,
      headerOf(passedOn, name) ?? '',
    ])
    await core.send(`${core.receiver}/elsewhere?x=1`, { body: '{"later":1}', headers: proof })
    const { items } = await client.call('deliveries.list', { limit: 1 })
    expect(items[0]).toMatchObject({ replayOf: sent?.deliveryId, verdict: 'valid', attempt: 1 })
    // The service's own retry has a new signature, even with the same body.
    await send(refunds, '{"later":1}')
    await settled(id, 2)
    expect(bodies(one)).toEqual(['{"later":1}', '{"later":1}'])
  })

  test('nothing while it is off; while it is paused, deliveries wait', async () => {
    const one = await rawEndpoint()
    const { id } = await add({ url: one.origin, on: false })
    await send(refunds, '{"off":1}')
    await client.call('forward.update', { id, on: true })
    await client.call('forward.pause', { id })
    await send(refunds, '{"paused":1}')
    expect(await queued(id, ({ queue }) => queue.waiting === 1)).toMatchObject({
      light: 'paused',
      queue: { oldestAt: expect.any(String) },
    })
    expect(one.requests).toHaveLength(0)
    await client.call('forward.resume', { id })
    await settled(id, 1)
    expect(bodies(one)).toEqual(['{"paused":1}'])
  })
})

describe('a forward target', () => {
  test('with a changed URL receives pending deliveries there; earlier sends keep theirs', async () => {
    const [before, after] = [await rawEndpoint(), await rawEndpoint()]
    const { id } = await add({ url: before.origin })
    await send(refunds, '{"n":1}')
    await settled(id, 1)
    await client.call('forward.pause', { id })
    await send(refunds, '{"n":2}')
    await queued(id, ({ queue }) => queue.waiting === 1)
    await client.call('forward.update', { id, url: after.origin })
    const goingTo = async () =>
      (await client.call('forward.sends', { id })).sends.map(({ state, target }) => [state, target])
    expect(await goingTo()).toEqual([
      ['waiting', after.origin],
      ['settled', before.origin],
    ])
    await client.call('forward.resume', { id })
    await settled(id, 2)
    expect(await goingTo()).toEqual([
      ['settled', after.origin],
      ['settled', before.origin],
    ])
    expect([bodies(before), bodies(after)]).toEqual([['{"n":1}'], ['{"n":2}']])
  })

  test('that is down gets all pending deliveries in order when it is back, and its status shows it meanwhile', async () => {
    const before = await rawEndpoint()
    await before.close()
    const { id } = await add({ url: before.origin })
    for (const body of numbered(5)) await send(refunds, body)
    // All values of one moment: during a retry there is no next one.
    await expect
      .poll(() => targetOf(id))
      .toMatchObject({
        light: 'down',
        problem: expect.stringContaining('Connection refused'),
        nextTryAt: expect.any(String),
        queue: { waiting: 5 },
      })
    const one = await rawEndpoint(() => 200, before.port)
    await client.call('forward.deliver', { id })
    const sends = await settled(id, 5)
    expect(sends.map(({ status, tries }) => [status, tries])).toEqual(
      Array.from({ length: 5 }, () => [200, 0]),
    )
    expect(bodies(one)).toEqual(numbered(5))
    expect(await targetOf(id)).toMatchObject({ light: 'up', problem: null, nextTryAt: null })
  })

  test('behind a proxy that reports it as down counts as down', async () => {
    let status = 503
    const one = await rawEndpoint(() => status)
    const { id } = await add({ url: one.origin })
    await send(refunds, '{"n":0}')
    await queued(id, ({ light, queue }) => light === 'down' && queue.waiting === 1)
    status = 200
    expect(await settled(id, 1)).toMatchObject([{ status: 200 }])
  })

  test('that fails gets each delivery three times, then the next one, and shows its response', async () => {
    const one = await rawEndpoint(({ body }) => (body.toString() === '{"n":1}' ? 500 : 200))
    const { id } = await add({ url: one.origin })
    for (const body of numbered(3)) await send(refunds, body)
    const sends = await settled(id, 3)
    expect(bodies(one)).toEqual(['{"n":0}', '{"n":1}', '{"n":1}', '{"n":1}', '{"n":2}'])
    expect(sends.map(({ status, outcome, tries }) => [status, outcome, tries])).toEqual([
      [200, 'passed', 0],
      [500, 'failed', 2],
      [200, 'passed', 0],
    ])
    expect(await targetOf(id)).toMatchObject({ passed: 2, failed: 1, light: 'up' })
  })

  test("that rejects a delivery delays only that delivery's hook", async () => {
    const one = await rawEndpoint(({ body }) => (body.toString().includes('bad') ? 500 : 200))
    const { id } = await add({ url: one.origin })
    await client.call('forward.pause', { id })
    await send(refunds, '{"bad":1}')
    await send(refunds, '{"after":1}')
    await send(cards, '{"other":1}')
    await queued(id, ({ queue }) => queue.waiting === 3)
    await client.call('forward.resume', { id })
    await settled(id, 3)
    const order = bodies(one)
    expect(order.indexOf('{"after":1}')).toBe(order.lastIndexOf('{"bad":1}') + 1)
    expect(order.indexOf('{"other":1}')).toBeLessThan(order.lastIndexOf('{"bad":1}'))
  })

  test('that is slow gets the deliveries of a hook one after another', async () => {
    const one = await rawEndpoint(() => null)
    const { id } = await add({ url: one.origin, query: 'hook:refunds' })
    for (const body of numbered(3)) await send(refunds, body)
    await expect.poll(() => one.requests.length).toBe(1)
    await queued(id, ({ queue }) => queue.waiting === 2 && queue.underWay === 1)
    expect(one.requests).toHaveLength(1)
    expect((await client.call('forward.drop', { id })).dropped).toBe(2)
    const { sends } = await client.call('forward.sends', { id })
    expect(sends.map(({ state, event }) => [state, event])).toEqual([
      ['cancelled', 'transaction.refund'],
      ['cancelled', 'transaction.refund'],
      ['under-way', 'transaction.refund'],
    ])
  })
})

describe("the handler's response", () => {
  test("is returned to the service, as the attempt's record shows", async () => {
    const answers = [500, 'HTTP/1.1 200 Fine\r\nX-Handler: yes\r\ncontent-length: 4\r\n\r\ndone']
    const one = await rawEndpoint(() => answers[Math.min(one.requests.length - 1, 1)] ?? 200)
    await client.call('hooks.add', {
      event: 'card.linked',
      programId: await core.program(),
      url: `${core.receiver}/h/answered`,
      environment: 'sandbox-test',
    })
    const { id } = await add({ url: one.origin, query: 'path:/h/answered', answer: 'handler' })
    const { deliveries } = await client.call('sandbox.trigger', { event: 'card.linked' })
    const answeredOne = deliveries.find(({ url }) => url.endsWith('/h/answered'))
    expect(answeredOne?.attempts.map(({ status, acknowledged }) => [status, acknowledged])).toEqual(
      [[500, false]],
    )
    const stored = async () =>
      (await client.call('deliveries.list', { query: 'path:/h/answered' })).items
    await until(client, 'deliveries.changed', stored, ([first]) => first?.answer.status === 500)
    expect(await settled(id, 1)).toMatchObject([{ status: 500, outcome: 'failed' }])
    expect(one.requests).toHaveLength(1)
    const direct = await core.send(`${core.receiver}/h/answered`, { body: '{}', headers: [] })
    expect([direct.status, direct.headers['x-handler'], direct.body]).toEqual([200, 'yes', 'done'])
    await client.call('sandbox.setClock', { action: 'jump', ms: 60_000 })
    const notification = async () =>
      (await client.call('sandbox.notifications', {})).notifications.find(({ url }) =>
        url.endsWith('/h/answered'),
      )
    expect(
      await until(
        client,
        'sandbox.changed',
        notification,
        (found) => found?.state === 'acknowledged',
      ),
    ).toMatchObject({ attempts: [{ status: 500 }, { status: 200 }] })
  })

  test("goes back whole up to the body limit, without its connection's headers; above it, a sentence says so", async () => {
    const size = { now: 0 }
    const one = await rawEndpoint(
      () =>
        `HTTP/1.1 201 Made\r\nConnection: X-Hop, close\r\nX-Hop: 1\r\nX-Kept: 1\r\nContent-Length: ${size.now}\r\n\r\n${'x'.repeat(size.now)}`,
    )
    const { id } = await add({ url: one.origin, query: 'path:/h/large', answer: 'handler' })
    const respond = async (bytes: number) => {
      size.now = bytes
      return core.send(`${core.receiver}/h/large`, { body: `${bytes}`, headers: [] })
    }
    for (const bytes of [0, 65_536, 65_537, 1_000_000]) {
      const { status, body, headers } = await respond(bytes)
      expect([status, body.length, headers['x-hop'], headers['x-kept']]).toEqual([
        201,
        bytes,
        undefined,
        '1',
      ])
    }
    const { bodyLimit } = await client.call('settings.get', {})
    await client.call('settings.set', { bodyLimit: 1_048_576 })
    expect(await respond(1_048_577)).toMatchObject({
      status: 201,
      body: expect.stringContaining('was cut'),
    })
    await client.call('settings.set', { bodyLimit })
    const sends = await settled(id, 5)
    const cut = sends.map(
      async ({ id: sent }) => (await client.call('replay.send', { id: sent })).truncated,
    )
    expect((await Promise.all(cut)).filter(Boolean)).toHaveLength(3)
  })

  test('is 502 if nothing listens, and 504 after 19 s; the service retries, so nothing is queued', async () => {
    const gone = await rawEndpoint()
    await gone.close()
    const down = await add({ url: gone.origin, answer: 'handler' })
    const refused = await send(refunds, '{}')
    expect([refused.status, refused.body]).toEqual([
      502,
      expect.stringContaining('Connection refused'),
    ])
    expect(await settled(down.id, 1)).toMatchObject([
      { status: null, errorKind: 'refused', state: 'settled' },
    ])
    // Each is tried immediately: none waits for the next retry of the others.
    const more = await Promise.all([send(refunds, '{}'), send(cards, '{}'), send(cards, '{}')])
    expect(more.map(({ status }) => status)).toEqual([502, 502, 502])
    expect(await targetOf(down.id)).toMatchObject({
      light: 'down',
      nextTryAt: null,
      queue: { waiting: 0 },
    })
    await client.call('forward.remove', { id: down.id })
    const silent = await rawEndpoint(() => null)
    await add({ url: silent.origin, answer: 'handler' })
    const late = await Promise.all([send(refunds, '{"n":0}'), send(refunds, '{"n":1}')])
    expect(late.map(({ status }) => status)).toEqual([504, 504])
    expect(late[0]?.body).toContain('19 s')
    expect(bodies(silent)).toHaveLength(1)
  })

  test('comes from the first target only; another one gets the delivery afterwards', async () => {
    const [first, second] = [await rawEndpoint(() => 202), await rawEndpoint(() => 500)]
    await add({ url: first.origin, answer: 'handler', query: 'hook:refunds' })
    const behind = await add({ url: second.origin, answer: 'handler' })
    expect((await send(refunds, '{}')).status).toBe(202)
    await settled(behind.id, 1)
    expect([first.requests.length, second.requests.length]).toEqual([1, 3])
    expect((await send(cards, '{}')).status).toBe(500)
    expect(first.requests).toHaveLength(1)
  })
})

test('holding deliveries returns 200 immediately, whatever the rule is', async () => {
  await client.call('hooks.answer', { id: refunds.id, rule: { status: 500 } })
  const one = await rawEndpoint(() => null)
  await add({ url: one.origin, answer: 'at-once' })
  expect((await send(refunds, '{}')).status).toBe(200)
  await client.call('hooks.answer', { id: refunds.id, rule: {} })
  await expect.poll(() => one.requests.length).toBe(1)
})

describe('a target', () => {
  test.each([
    ['an invalid query', { url: 'http://127.0.0.1:9/', query: 'is:' }],
    ['a filter by later data', { url: 'http://127.0.0.1:9/', query: '-status:200' }],
    [
      'a response that depends on later data',
      { url: 'http://127.0.0.1:9/', answer: 'handler', query: 'attempt:2' },
    ],
  ] as const)('with %s is rejected', async (_name, input) => {
    await expect(add(input)).rejects.toMatchObject({ code: 'INVALID_QUERY' })
    expect((await client.call('forward.list', {})).targets).toEqual([])
  })

  test('has a unique name, and a deleted one is not found', async () => {
    const { id } = await add({ name: 'Mine', url: 'http://127.0.0.1:9/' })
    await expect(add({ name: 'mine', url: 'http://127.0.0.1:9/' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    })
    expect((await add({ url: 'http://127.0.0.1:9/' })).name).toBe('127.0.0.1:9')
    expect((await add({ url: 'http://127.0.0.1:9/' })).name).toBe('127.0.0.1:9 (2)')
    await client.call('forward.update', { id, name: 'Mine' })
    await client.call('forward.remove', { id })
    await expect(client.call('forward.pause', { id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

test('after a kill and a restart, nothing is lost or out of order, and sends in progress are marked', async () => {
  const folder = temporaryFolder()
  let answers = 3
  const one: RawEndpoint = await rawEndpoint((_: RawRequest, number) =>
    number <= answers ? 200 : null,
  )
  let served = await serveCore(folder)
  try {
    const connect = async () => {
      const connection = await connectToInstance(folder)
      if (connection === null) throw new Error('The core is not there.')
      return connection
    }
    const first = await connect()
    const { target } = await first.client.call('forward.add', { url: one.origin })
    for (const body of numbered(8)) await deliverOnce(served.caFile, `${served.receiver}/h/x`, body)
    await expect.poll(() => one.requests.length).toBe(4)
    await served.kill()
    answers = Number.MAX_SAFE_INTEGER
    served = await serveCore(folder)
    const second = await connect()
    await expect.poll(() => one.requests.length).toBe(9)
    expect(bodies(one)).toEqual([...numbered(4), ...numbered(8).slice(3)])
    const sends = async () => (await second.client.call('forward.sends', { id: target.id })).sends
    const areOver = (all: readonly Send[]) =>
      all.length === 9 && all.every(({ state }) => state === 'settled' || state === 'uncertain')
    const states = (await until(second.client, 'forward.changed', sends, areOver)).map(
      ({ state }) => state,
    )
    expect(states.filter((state) => state === 'uncertain')).toHaveLength(1)
    second.close()
  } finally {
    await served.kill()
  }
})
