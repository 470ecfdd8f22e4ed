import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hook } from '../../src/shared/model/hook.ts'
import type { Tamper } from '../../src/shared/model/send.ts'
import { allDeliveries, waitForDeliveries } from '../support/read-deliveries.ts'
import { signatureOf, signedHeaders } from '../support/deliver.ts'
import { startEndpoint } from '../support/https-endpoint.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { endOf, headerOf, runReplay, type RawRequest } from '../support/replay-fixture.ts'
import { rawEndpoint, temporaryFolder } from '../support/temporary-folder.ts'
import type { TestCore } from '../support/test-core.ts'
import { makeTestTls, type TestTls } from '../support/tls.ts'

const SECRET = 'whsec_of_the_hook'
const BODY = Buffer.from(
  '{"id":"0b0f7c52-6d4e-4f0c-9a44-2f1de1c7a111","amount":10.00,"amount":10.0,"name":"Café \\u00e9"}\n',
)
const CUSTOM: [string, string][] = [
  ['X-Tenant', 'a'],
  ['x-tenant', 'b'],
  ['Service-Message-Id', 'message-1'],
  ['X-Attempt', '2'],
  ['X-Latin', 'caf\u00e9'],
]

let core: TestCore
let tls: TestTls
let hook: Hook
let id: string

beforeAll(async () => {
  tls = await makeTestTls()
  core = await coreInFolder()
  hook = await core.hook('/h/one?q=1', SECRET)
  const stale = signedHeaders(SECRET, BODY, hook.url, '1700000000000').map(
    ([name, value]): [string, string] => [
      name === 'content-type' ? name : name.toUpperCase(),
      value,
    ],
  )
  await core.send(hook.url, {
    body: BODY,
    headers: [...CUSTOM.slice(0, 2), ...stale, ...CUSTOM.slice(2)],
  })
  id = (await core.latest()).id
})
afterAll(async () => {
  expect(core.bugs).toEqual([])
})

const send = (to: string, more: Partial<Parameters<typeof runReplay>[1]> = {}) =>
  runReplay(core.client, { ids: [id], to, ...more })

describe('an endpoint receives', () => {
  test('the captured request, byte for byte, except host, connection, length, signature and timestamp', async () => {
    const { origin, requests, port } = await rawEndpoint()
    const before = Date.now()
    const { sends } = await send(`${origin}/in?x=%2F&y`)
    expect(sends).toMatchObject([
      { status: 200, error: null, state: 'settled', registeredUrl: hook.url, position: 1 },
    ])
    const [request] = requests
    expect(request?.line).toBe('POST /in?x=%2F&y HTTP/1.1')
    expect(request?.body.equals(BODY)).toBe(true)
    const timestamp = headerOf(request, 'x-service-timestamp') ?? ''
    expect(Number(timestamp)).toBeGreaterThanOrEqual(before)
    expect(Number(timestamp)).toBeLessThanOrEqual(Date.now())
    expect(request?.headers).toEqual([
      `host: 127.0.0.1:${port}`,
      'connection: close',
      'X-Tenant: a',
      'x-tenant: b',
      'content-type: application/json',
      `X-SERVICE-SIGNATURE: ${signatureOf(SECRET, BODY, hook.url, timestamp)}`,
      `X-SERVICE-TIMESTAMP: ${timestamp}`,
      'Service-Message-Id: message-1',
      'X-Attempt: 2',
      'X-Latin: caf\u00e9',
      `content-length: ${BODY.length}`,
    ])
  })

  test('the captured method, and a body only if the captured request had one', async () => {
    await core.send(hook.url, { body: '', headers: signedHeaders(SECRET, '', hook.url) }, 'DELETE')
    const { origin, requests } = await rawEndpoint()
    await runReplay(core.client, { ids: ['latest'], to: `${origin}/` })
    expect(requests).toMatchObject([{ line: 'DELETE / HTTP/1.1', body: Buffer.alloc(0) }])
  })

  /** Whose signature a request has, how old it is in minutes, and whether its body was changed. */
  function found(request: RawRequest | undefined) {
    const signature = headerOf(request, 'x-service-signature')
    const timestamp = headerOf(request, 'x-service-timestamp')
    const { body } = request ?? { body: BODY }
    const signatures: Record<string, Parameters<typeof signatureOf>> = {
      right: [SECRET, body, hook.url, timestamp ?? ''],
      'of the captured body': [SECRET, BODY, hook.url, timestamp ?? ''],
      'over another URL': [SECRET, body, `${hook.url}&other=1`, timestamp ?? ''],
      'with another secret': ['not-the-secret-of-this-hook', body, hook.url, timestamp ?? ''],
    }
    return [
      Object.keys(signatures).find((name) => signatureOf(...signatures[name]!) === signature) ??
        (signature === undefined ? 'none' : 'otherwise'),
      timestamp === undefined ? null : Math.round((Date.now() - Number(timestamp)) / 60_000),
      body.equals(BODY) ? 'same body' : `${body.length - BODY.length} bytes more`,
    ]
  }

  test.each<[Tamper, string, number | null, string?]>([
    ['body', 'of the captured body', 0, '0 bytes more'],
    ['secret', 'with another secret', 0],
    ['stale', 'right', 10],
    ['future', 'right', -10],
    ['single-pass', 'otherwise', 0],
    ['no-signature', 'none', 0],
    ['no-timestamp', 'otherwise', null],
    ['url', 'over another URL', 0],
  ])(
    'a replay tampered with as %s with exactly that problem: signature %s, %s minutes old',
    async (tamper, signature, age, body = 'same body') => {
      const { origin, requests } = await rawEndpoint(() => 401)
      const { replay } = await send(origin, { tamper })
      expect(requests.map(found)).toEqual([[signature, age, body]])
      expect(replay).toMatchObject({ tamper, passed: 1 })
    },
  )
})

describe('the stored send', () => {
  test('has the complete response, with the time of each phase', async () => {
    const answer = 'HTTP/1.1 422 No\r\nX-One: a\r\nx-one: b\r\ncontent-length: 9\r\n\r\nnot valid'
    const { origin } = await rawEndpoint(() => answer)
    const { sends } = await send(origin)
    const kept = await core.call('replay.send', { id: sends[0]?.id ?? '' })
    expect(kept).toMatchObject({
      status: 422,
      errorKind: null,
      outcome: 'failed',
      truncated: false,
      deliveryId: id,
    })
    expect(kept.headers).toEqual([
      ['X-One', 'a'],
      ['x-one', 'b'],
      ['content-length', '9'],
    ])
    expect(Buffer.from(kept.base64, 'base64').toString()).toBe('not valid')
    const { connect, wait, body } = kept.phases ?? { connect: -1, wait: -1, body: -1 }
    expect(Math.min(connect, wait, body)).toBeGreaterThanOrEqual(0)
    expect(connect + wait + body).toBeCloseTo(kept.ms ?? 0, 6)
    for (const ms of [kept.ms, connect, wait, body]) expect(String(ms)).toMatch(/^\d+(\.\d)?$/)
    const { sends: ofDelivery } = await core.call('replay.ofDelivery', { id })
    expect(sends).toMatchObject(ofDelivery.slice(0, 1))
  })

  test('is compared with the previous send to the same target with the same tampering', async () => {
    let status = 500
    const { origin } = await rawEndpoint(() => status)
    const outcome = async (to: string, tamper: Tamper | null = null) =>
      (await send(to, { tamper })).sends[0]?.outcome
    const outcomes: unknown[] = []
    for (const next of [500, 500, 200, 200, 500]) {
      status = next
      outcomes.push(await outcome(`${origin}/a`))
    }
    expect(outcomes).toEqual(['failed', 'still-failing', 'fixed', 'still-passing', 'regressed'])
    status = 200
    expect(await outcome(`${origin}/b`)).toBe('passed')
    expect(await outcome(`${origin}/a`, 'secret')).toBe('failed')
    expect(await outcome(`${origin}/a`)).toBe('fixed')
  })

  test("isn't compared with sends signed over another URL or with another hook's secret", async () => {
    const { id: hookId } = await core.hook('/h/signs', 'whsec_of_another')
    const { origin } = await rawEndpoint()
    const outcome = async (more: Partial<Parameters<typeof runReplay>[1]>) =>
      (await send(origin, more)).sends[0]?.outcome
    const signings = [{}, { registeredUrl: 'https://other.example/' }, { hookId }]
    for (const wanted of ['passed', 'still-passing'])
      for (const signing of signings) expect(await outcome(signing)).toBe(wanted)
  })

  test("isn't acknowledged by a 201, unless the environment allows it", async () => {
    const { origin } = await rawEndpoint(() => 201)
    expect((await send(origin)).sends).toMatchObject([{ status: 201, outcome: 'failed' }])
    await core.call('environments.add', {
      name: 'lenient',
      mode: 'test',
      baseUrl: 'https://service.example',
      key: 'sk',
      ack: '2xx',
    })
    const lenient = await core.hook('/h/lenient', SECRET, { environment: 'lenient' })
    expect((await send(`${origin}/lenient`, { hookId: lenient.id })).sends).toMatchObject([
      { status: 201, outcome: 'passed' },
    ])
  })
})

test('an endpoint over HTTPS on this computer may have any certificate, with a notice, unless a CA is given', async () => {
  const secure = await startEndpoint(tls.leaf)
  try {
    const taken = (await send(`${secure.origin}/in`)).sends
    expect(taken).toMatchObject([{ status: 200, certificateProblem: expect.any(String) }])
    const verified = (await send(`${secure.origin}/in`, { targetCa: tls.caPem })).sends
    expect(verified).toMatchObject([{ status: 200, certificateProblem: null }])
    const { caPem: another } = await makeTestTls()
    const refused = (await send(`${secure.origin}/in`, { targetCa: another })).sends
    expect(refused).toMatchObject([{ status: null, errorKind: 'certificate' }])
    expect(secure.calls).toHaveLength(2)
  } finally {
    await secure.close()
  }
})

test("a replay to Countersign's own receiver is sent there by default, names the original, and doesn't count as an attempt", async () => {
  const before = (await allDeliveries(core.client)).length
  for (const tamper of [null, 'no-signature', 'no-timestamp', 'body'] as const)
    expect((await runReplay(core.client, { ids: [id], tamper })).sends).toMatchObject([
      { target: hook.url, status: 200 },
    ])
  const arrived = (await waitForDeliveries(core.client, before + 4)).slice(before)
  expect(
    arrived.map(({ replayOf, attempt, attemptOf, duplicateOf }) => [
      replayOf,
      attempt,
      attemptOf,
      duplicateOf,
    ]),
  ).toEqual(Array.from({ length: 4 }, () => [id, 1, null, null]))
  expect(arrived.map(({ verdict }) => verdict)).toEqual([
    'valid',
    'unsigned',
    'unsigned',
    'invalid',
  ])
  const { rows } = await core.call('deliveries.attempts', { id })
  expect(rows.map((row) => row.id)).toEqual([id])
  await core.deliver({ url: hook.url, secret: SECRET }, BODY)
  expect(await core.latest()).toMatchObject({
    replayOf: null,
  })
})

describe('many deliveries', () => {
  test('of a query are sent oldest first, IDs in the given order, with progress reported', async () => {
    const many = await core.hook('/h/many', SECRET)
    for (let count = 0; count < 30; count++) await core.deliver(many, `{"count":${count}}`)
    const all = (await allDeliveries(core.client, 'path:/h/many')).map((delivery) => delivery.id)
    expect(all).toHaveLength(30)
    const { origin, requests } = await rawEndpoint()
    const progress: number[] = []
    const stop = core.client.on('replay.changed', ({ replay }) => progress.push(replay.passed))
    const { replay, sends } = await runReplay(core.client, { query: 'path:/h/many', to: origin })
    stop()
    expect(
      requests.map(({ body }) => (JSON.parse(body.toString()) as { count: number }).count),
    ).toEqual(Array.from({ length: 30 }, (_, count) => count))
    expect(replay).toMatchObject({
      state: 'done',
      total: 30,
      waiting: 0,
      underWay: 0,
      passed: 30,
      failed: 0,
      uncertain: 0,
      notSent: 0,
    })
    expect(sends.map(({ deliveryId }) => deliveryId)).toEqual(all)
    expect(progress.at(-1)).toBe(30)
    const order = [all[3] ?? '', all[1] ?? '', all[2] ?? '']
    expect(
      (await runReplay(core.client, { ids: order, to: origin })).sends.map(
        ({ deliveryId }) => deliveryId,
      ),
    ).toEqual(order)
  })

  test('of a replay that is cancelled before it starts are neither sent nor stored', async () => {
    const { origin, requests } = await rawEndpoint()
    const { replays: before } = await core.call('replay.list', {})
    const givingUp = new AbortController()
    const started = core.call(
      'replay.start',
      { query: 'path:/h/many', to: origin },
      { signal: givingUp.signal },
    )
    givingUp.abort()
    await expect(started).rejects.toMatchObject({ code: 'CANCELLED' })
    // A later one starts after it would have.
    await runReplay(core.client, { ids: [id], to: origin })
    expect(requests).toHaveLength(1)
    expect((await core.call('replay.list', {})).replays).toHaveLength(before.length + 1)
  })

  test('use as many connections as the concurrency', async () => {
    const { origin, connections } = await rawEndpoint()
    const { replay } = await runReplay(core.client, {
      query: 'path:/h/many',
      to: origin,
      concurrency: 3,
      repeat: 2,
    })
    expect([replay.passed, connections()]).toEqual([60, 3])
  })

  test('respect the rate limit', async () => {
    const { origin } = await rawEndpoint()
    const started = performance.now()
    const { replay } = await runReplay(core.client, {
      query: 'path:/h/many',
      to: origin,
      concurrency: 8,
      rate: 100,
    })
    expect(replay.passed).toBe(30)
    expect(performance.now() - started).toBeGreaterThan(280)
  })

  test('that are cancelled during a shutdown leave none in progress: sends started by then are uncertain', async () => {
    const { origin, requests } = await rawEndpoint(() => null)
    const dataFolder = temporaryFolder()
    const first = await coreInFolder({ dataFolder })
    const cut = await first.hook('/h/cut', SECRET, { event: 'card.linked' })
    await first.deliver({ url: cut.url, secret: SECRET }, BODY)
    const { replay: started } = await first.call('replay.start', {
      ids: ['latest'],
      to: origin,
      repeat: 3,
    })
    await expect.poll(() => requests.length).toBe(1)
    await first.stop()
    const second = await coreInFolder({ dataFolder })
    expect(await endOf(second.client, started.id)).toMatchObject({
      replay: { state: 'interrupted', underWay: 1 },
    })
    const { replay } = await second.call('replay.cancel', { replayId: started.id })
    expect(replay).toMatchObject({
      state: 'cancelled',
      total: 3,
      underWay: 0,
      waiting: 0,
      uncertain: 1,
      cancelled: 2,
    })
    expect((await endOf(second.client, started.id)).sends.map(({ state }) => state)).toEqual([
      'uncertain',
      'cancelled',
      'cancelled',
    ])
  })

  test("that can't be sent are reported one by one, and the others are sent", async () => {
    await core.send(`${core.receiver}/nobody`, { body: 'x', headers: [] })
    const nobody = (await core.latest()).id
    const { origin, requests } = await rawEndpoint()
    const { replay, sends } = await runReplay(core.client, { ids: [nobody, id], to: origin })
    expect(replay).toMatchObject({ state: 'done', notSent: 1, passed: 1 })
    expect(sends[0]).toMatchObject({
      state: 'not-sent',
      status: null,
      error: expect.stringContaining('No hook matches'),
    })
    expect(requests).toHaveLength(1)
    const unsigned = await runReplay(core.client, {
      ids: [nobody],
      to: origin,
      tamper: 'no-signature',
    })
    expect(unsigned.replay.failed).toBe(1)
    expect(requests[1]?.body.toString()).toBe('x')
    await expect(runReplay(core.client, { ids: [nobody] })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    })
  })
})

test.each([
  ['an unknown delivery', { ids: ['latest', 'nothing'] }, 'NOT_FOUND'],
  ['an unknown hook', { ids: ['latest'], hookId: 'nothing' }, 'NOT_FOUND'],
  ['an invalid query', { query: 'is:' }, 'INVALID_QUERY'],
] as const)('%s is rejected before anything is recorded', async (_name, input, code) => {
  const { replays: before } = await core.call('replay.list', {})
  await expect(
    core.call('replay.start', { to: 'http://127.0.0.1:9/', ...input } as never),
  ).rejects.toMatchObject({ code })
  expect((await core.call('replay.list', {})).replays).toEqual(before)
})

test('several targets are checked before the first request, with all their sends counted, and nothing is sent', async () => {
  const { origin, connections } = await rawEndpoint()
  const check = (more: object) =>
    core.call('replay.check', {
      parts: [
        { ids: [id], to: origin },
        { ids: [id, id], ...more },
      ],
      most: 3,
    })
  const { replays: before } = await core.call('replay.list', {})
  await expect(check({ ids: [id, 'nothing'] })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(check({ targetCa: 'x' })).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  await expect(check({ ids: [id, id, id] })).rejects.toMatchObject({
    code: 'CONFIRMATION_REQUIRED',
    details: { count: 4 },
  })
  expect(await check({ to: origin })).toEqual({})
  expect((await core.call('replay.list', {})).replays).toEqual(before)
  expect(connections()).toBe(0)
})
