import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEndpoint } from '../../../test/support/https-endpoint.ts'
import { listen } from '../../../test/support/listen.ts'
import { connectRaw } from '../../../test/support/raw-http.ts'
import { createApiClient, type ApiClient } from '../../../test/support/sandbox-client.ts'
import { bugs, startTestSandbox } from '../../../test/support/test-sandbox.ts'
import { makeTestTls, type TestTls } from '../../../test/support/tls.ts'
import { loadRecords, memoryStorage, type SandboxStorage } from './records.ts'
import { ensureOffer, ensureProgram } from './programs.ts'
import type { Sandbox } from './sandbox.ts'

let tls: TestTls
let storage: SandboxStorage
let sandbox: Sandbox
let api: ApiClient
let program = ''
let liveProgram = ''

const URL_OF_HOOK = 'https://hooks.example/in?event=a'
const LIVE_OFFER = 'aaaaaaaa-6f1c-4c8e-9f5b-0d6f7f3d9a01'
const OFFER = '6d7e0d0e-6f1c-4c8e-9f5b-0d6f7f3d9a01'
const log = { info: () => {}, warn: () => {}, bug: () => 'ref' }

beforeAll(async () => {
  tls = await makeTestTls()
  storage = memoryStorage()
  const objects = await loadRecords(storage, log)
  program = (await ensureProgram(objects, 'test', 0)).id
  liveProgram = (await ensureProgram(objects, 'live', 0)).id
  await ensureOffer(objects, 'test', 0, OFFER, program)
  await ensureOffer(objects, 'live', 0, LIVE_OFFER, liveProgram)
  sandbox = await startTestSandbox(tls, { storage })
  api = createApiClient(sandbox.url, tls, 'sk_test_1')
})
afterAll(async () => {
  await api.close()
  await sandbox.close()
  expect(bugs).toEqual([])
})

const post = (path: string, body: unknown, key: string | null = 'sk_test_1') =>
  api.call('POST', path, { body, key })
const put = (path: string, body: unknown) => api.call('PUT', path, { body })

async function stored(id: unknown): Promise<unknown> {
  return (await storage.load()).find((record) => record.kind === 'hook' && record.id === id)
}

describe('the four endpoints', () => {
  test('a brand hook needs only event and URL, and its record has the secret', async () => {
    const { status, body } = await post('/v1/hooks', { event: 'brand.consent', url: URL_OF_HOOK })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      event: 'brand.consent',
      url: URL_OF_HOOK,
      programId: null,
      offerId: null,
      headers: {},
      live: false,
    })
    expect(body['secretKey']).toMatch(/^[\w-]{43}$/)
    expect(await stored(body['id'])).toMatchObject({ mode: 'test', secret: body['secretKey'] })
  })

  test('a program hook with headers and an offer', async () => {
    const { status, body } = await post(`/v1/programs/${program}/hooks`, {
      event: 'transaction.auth.qualified',
      url: URL_OF_HOOK,
      headers: { Authorization: 'Bearer x', 'x_y-1': 'ü' },
      offerId: OFFER,
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      programId: program,
      offerId: OFFER,
      headers: { Authorization: 'Bearer x', 'x_y-1': 'ü' },
    })
  })

  test('an update changes the given fields, removes all headers with an empty object, and shows no secret', async () => {
    const made = await post(`/v1/programs/${program}/hooks`, {
      event: 'card.linked',
      url: URL_OF_HOOK,
      headers: { 'x-a': '1' },
    })
    const path = `/v1/hooks/${String(made.body['id'])}`
    const moved = await put(path, {
      programId: program,
      event: 'card.failed',
      url: 'https://other.example/',
    })
    expect(moved.status).toBe(200)
    expect(moved.body).toMatchObject({
      event: 'card.failed',
      url: 'https://other.example/',
      headers: { 'x-a': '1' },
    })
    expect(moved.body).not.toHaveProperty('secretKey')
    const emptied = await put(path, { headers: {} })
    expect(emptied.body).toMatchObject({ event: 'card.failed', headers: {} })
    expect(await stored(made.body['id'])).toMatchObject({ secret: made.body['secretKey'] })
  })

  test('hooks are listed without secrets: those of a program, or those without one, in the mode of the key', async () => {
    const listed = async (path: string, key?: string) => {
      const { status, body } = await api.call('GET', path, key === undefined ? {} : { key })
      return [status, body['hooks'] as Record<string, unknown>[]] as const
    }
    const [, before] = await listed('/v1/hooks')
    const ofBrand = { body: { event: 'brand.consent', url: URL_OF_HOOK } }
    const ofProgram = { body: { event: 'card.linked', url: URL_OF_HOOK } }
    const { secretKey, ...brand } = (await api.call('POST', '/v1/hooks', ofBrand)).body
    const made = await api.call('POST', `/v1/programs/${program}/hooks`, ofProgram)
    expect(await listed('/v1/hooks')).toEqual([200, [...before, brand]])
    const [status, hooks] = await listed(`/v1/programs/${program}/hooks`)
    expect([status, hooks.at(-1)?.['id']]).toEqual([200, made.body['id']])
    expect(JSON.stringify(hooks)).not.toContain('secretKey')
    expect(typeof secretKey).toBe('string')
    expect(await listed(`/v1/programs/${liveProgram}/hooks`, 'sk_live_1')).toEqual([200, []])
    expect(await api.call('GET', `/v1/programs/${liveProgram}/hooks`)).toMatchObject({
      status: 404,
      body: { error: { code: 'not-found' } },
    })
    expect((await api.call('GET', '/v1/hooks', { key: 'sk_test_2' })).status).toBe(401)
  })

  test('a deleted hook no longer exists', async () => {
    const made = await post('/v1/hooks', { event: 'brand.consent', url: URL_OF_HOOK })
    const path = `/v1/hooks/${String(made.body['id'])}`
    expect(await api.call('DELETE', path)).toMatchObject({
      status: 200,
      body: { id: made.body['id'], deleted: true },
    })
    expect(await api.call('DELETE', path)).toMatchObject({
      status: 404,
      body: { error: { code: 'not-found' } },
    })
    expect(await stored(made.body['id'])).toBeUndefined()
  })
})

describe('authentication', () => {
  const hook = { event: 'brand.consent', url: URL_OF_HOOK }
  test.each([
    ['no key', null, /Missing header service-key/],
    ['the public key', 'pk_test_1', /public key/],
    ["another account's public key", 'pk_of_another', /public key/],
    ['a wrong key', 'sk_test_2', /Unknown key/],
  ])('%s is rejected with the reason', async (_, key, reason) => {
    const { status, body } = await post('/v1/hooks', hook, key)
    expect(status).toBe(401)
    expect(body.error?.message).toMatch(reason)
  })

  test('the key decides the mode; objects of the other mode are not found', async () => {
    const live = await post('/v1/hooks', hook, 'sk_live_1')
    expect(live).toMatchObject({ status: 201, body: { live: true } })
    const path = `/v1/hooks/${String(live.body['id'])}`
    expect((await put(path, hook)).status).toBe(404)
    expect((await api.call('DELETE', path)).status).toBe(404)
    const card = { event: 'card.linked', url: URL_OF_HOOK }
    expect((await post(`/v1/programs/${liveProgram}/hooks`, card)).status).toBe(404)
    expect((await post(`/v1/programs/${program}/hooks`, card, 'sk_live_1')).status).toBe(404)
    expect((await api.call('DELETE', path, { key: 'sk_live_1' })).status).toBe(200)
  })

  test('an offer of the other mode, and an unknown one, is not found', async () => {
    const body = {
      event: 'transaction.auth.qualified',
      url: URL_OF_HOOK,
      offerId: LIVE_OFFER,
    }
    expect((await post(`/v1/programs/${liveProgram}/hooks`, body, 'sk_live_1')).status).toBe(201)
    for (const offerId of [LIVE_OFFER, program])
      expect((await post(`/v1/programs/${program}/hooks`, { ...body, offerId })).status).toBe(404)
  })
})

describe('each violated registration rule is named', () => {
  // The rules themselves are tested in `hook-rules.test.ts`.
  test.each([
    ['brand', 'event-required', { event: undefined }],
    ['program', 'url-https', { url: 'http://hooks.example/' }],
    ['program', 'header-name-unsendable', { headers: { 'keep-ALIVE': '1' } }],
  ])('%s hook: %s', async (kind, rule, change) => {
    const path = kind === 'brand' ? '/v1/hooks' : `/v1/programs/${program}/hooks`
    const right = { event: kind === 'brand' ? 'brand.consent' : 'card.failed', url: URL_OF_HOOK }
    const { status, body } = await post(path, { ...right, ...change })
    expect(status).toBe(422)
    expect(body.error?.findings.map((finding) => finding.rule)).toEqual([rule])
    const section = body.error?.findings[0]?.section ?? '?'
    const isOurs = rule === 'header-name-unsendable'
    expect(section === '').toBe(isOurs)
    expect(body.error?.message).toContain(
      `rule ${rule}, ${isOurs ? "Countersign's rule" : `spec ${section}`}`,
    )
  })

  test('an unverifiable certificate, for a new hook and for a changed URL', async () => {
    const [stranger, trusted] = [await makeTestTls(), await startEndpoint(tls.leaf)]
    const untrusted = await startEndpoint(stranger.leaf)
    const path = `/v1/programs/${program}/hooks`
    const refused = await post(path, { event: 'card.failed', url: `${untrusted.origin}/in` })
    expect([refused.status, refused.body.error?.findings]).toMatchObject([
      422,
      [
        {
          rule: 'url-certificate',
          section: '2.1',
          field: 'url',
          message: expect.stringContaining('--ca'),
        },
      ],
    ])
    const made = await post(path, { event: 'card.failed', url: `${trusted.origin}/in` })
    expect(made.status).toBe(201)
    const hook = `/v1/hooks/${String(made.body['id'])}`
    const moved = await put(hook, { url: `${untrusted.origin}/in` })
    expect(moved.body.error?.findings).toMatchObject([{ rule: 'url-certificate' }])
    expect((await put(hook, { headers: {} })).status).toBe(200)
    expect((await api.call('DELETE', hook)).status).toBe(200)
    expect([...untrusted.calls, ...trusted.calls]).toEqual([])
    await untrusted.close()
    await trusted.close()
  })

  test('a certificate from a CA that the environment trusts is accepted', async () => {
    const stranger = await makeTestTls()
    const endpoint = await startEndpoint(stranger.leaf)
    const trusting = await startTestSandbox(tls, {
      extraCaOf: (mode) => (mode === 'test' ? stranger.caPem : null),
    })
    const client = createApiClient(trusting.url, tls, 'sk_test_1')
    const body = { event: 'brand.consent', url: `${endpoint.origin}/in` }
    expect((await client.call('POST', '/v1/hooks', { body })).status).toBe(201)
    expect((await client.call('POST', '/v1/hooks', { key: 'sk_live_1', body })).status).toBe(422)
    await client.close()
    await trusting.close()
    await endpoint.close()
  })

  test('an update has the same rules, and accepts no offer', async () => {
    const made = await post(`/v1/programs/${program}/hooks`, {
      event: 'card.failed',
      url: URL_OF_HOOK,
    })
    const path = `/v1/hooks/${String(made.body['id'])}`
    const rules = async (body: unknown) =>
      (await put(path, body)).body.error?.findings.map(({ rule }) => rule)
    expect(await rules({ offerId: OFFER })).toEqual(['offer-update'])
    expect(await rules({ event: 'brand.consent' })).toEqual(['event-kind'])
    expect(await rules({ url: 'http://hooks.example', headers: { Host: 'x' } })).toEqual([
      'url-https',
      'header-name-blocked',
    ])
    expect((await put(path, { programId: liveProgram })).status).toBe(404)
  })

  test('at most ten URLs per event and program, however many are sent together', async () => {
    const path = `/v1/programs/${program}/hooks`
    // Others arrive while its certificate is checked.
    const slow = createServer((socket) => void setTimeout(() => socket.destroy(), 40))
    const origin = `https://127.0.0.1:${await listen(slow)}`
    const body = (index: number) => ({ event: 'location.status', url: `${origin}/${index}` })
    const twelve = await Promise.all(
      Array.from({ length: 12 }, (_, index) => post(path, body(index))),
    )
    slow.close()
    expect(twelve.filter(({ status }) => status === 201)).toHaveLength(10)
    const eleventh = await post(path, body(11))
    expect(eleventh.status).toBe(422)
    expect(eleventh.body.error?.findings).toMatchObject([{ rule: 'url-limit', section: '8' }])
  })
})

describe('invalid requests for a hook', () => {
  test.each([
    ['broken JSON', { raw: '{"event":' }, 400, 'invalid-request'],
    ['an array', { raw: '[]' }, 400, 'invalid-request'],
    ['no body', { raw: '' }, 400, 'invalid-request'],
    [
      'another content type',
      { raw: 'event=a', type: 'application/x-www-form-urlencoded' },
      415,
      'unsupported-type',
    ],
    ['a body over the limit', { raw: `"${'a'.repeat(300_000)}"` }, 413, 'body-too-large'],
  ])('%s', async (_, options, status, code) => {
    expect(await api.call('POST', '/v1/hooks', options)).toMatchObject({
      status,
      body: { error: { code } },
    })
  })

  test.each([
    ['a malformed URL', 'GET /% HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'invalid-request'],
    ['no Host header', 'GET /v1/hooks HTTP/1.1\r\n\r\n', 400, 'invalid-request'],
    ['no HTTP', 'hello\r\n\r\n', 400, 'invalid-request'],
    [
      'an unknown expectation',
      'GET /elsewhere HTTP/1.1\r\nhost: x\r\nexpect: tea\r\n\r\n',
      404,
      'not-found',
    ],
    [
      'an ID that is too long',
      `PUT /v1/hooks/${'a'.repeat(101)} HTTP/1.1\r\nhost: x\r\n\r\n`,
      414,
      'url-too-long',
    ],
    [
      'too many bytes of headers',
      `GET /v1/hooks HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers-too-large',
    ],
  ])('%s, which the framework or Node rejects', async (_, request, status, code) => {
    const connection = await connectRaw(sandbox.url, null, { ca: tls.caPem })
    connection.write(request)
    await expect.poll(() => connection.received()).toMatch(/\}$/)
    connection.socket.destroy()
    const [head = '', body = ''] = connection.received().split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(JSON.parse(body)).toEqual({
      error: { code, message: expect.stringMatching(/\.$/), findings: [] },
    })
  })

  test("an endpoint that isn't in the spec", async () => {
    expect(await api.call('GET', '/v1/offers')).toMatchObject({
      status: 404,
      body: { error: { code: 'not-found' } },
    })
  })

  test('an unknown program is not found, and the existing one is named', async () => {
    const { status, body } = await post(`/v1/programs/${OFFER}/hooks`, {
      event: 'card.linked',
      url: URL_OF_HOOK,
    })
    expect(status).toBe(404)
    expect(body.error?.message).toContain(program)
  })
})
