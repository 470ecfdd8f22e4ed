import { afterAll, beforeAll, expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { createApiClient, type ApiClient } from '../../../test/support/sandbox-client.ts'
import { bugs, startTestSandbox } from '../../../test/support/test-sandbox.ts'
import { makeTestTls } from '../../../test/support/tls.ts'
import type { Sandbox } from './sandbox.ts'

const clock = createManualClock()
let sandbox: Sandbox
let api: ApiClient

beforeAll(async () => {
  const tls = await makeTestTls()
  sandbox = await startTestSandbox(tls, { clock })
  api = createApiClient(sandbox.url, tls, 'unused')
})
afterAll(async () => {
  await api.close()
  await sandbox.close()
  expect(bugs).toEqual([])
})

const hook = { event: 'brand.consent', url: 'https://hooks.example/' }
const live = { client_id: 'pk_live_1', client_secret: 'sk_live_1' }

function ask(body: unknown) {
  return api.call('POST', '/v2/token', { key: null, body })
}

function make(value: string, name = 'Authentication') {
  return api.call('POST', '/v1/hooks', { key: null, body: hook, headers: [[name, value]] })
}

test('client id and secret give a JWT, which authenticates for its mode', async () => {
  const { status, body } = await ask(live)
  expect(status).toBe(200)
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3_600 })
  const token = String(body['access_token'])
  const claims = JSON.parse(
    Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
  ) as Record<string, unknown>
  expect(claims).toMatchObject({ mode: 'live', exp: Math.floor(clock.now() / 1_000) + 3_600 })
  expect(await make(`Bearer ${token}`)).toMatchObject({ status: 201, body: { live: true } })
  expect(await make(`Bearer ${token}`, 'Authorization')).toMatchObject({ status: 201 })
})

test('a form is accepted as well as JSON', async () => {
  const type = 'application/x-www-form-urlencoded'
  const raw = new URLSearchParams(live).toString()
  expect((await api.call('POST', '/v2/token', { key: null, raw, type })).status).toBe(200)
  expect((await api.call('POST', '/v1/hooks', { key: 'sk_test_1', raw, type })).status).toBe(415)
})

test('a token expires after an hour, and the refresh token returns another', async () => {
  const { body } = await ask(live)
  await clock.advance(3_600_000)
  expect(await make(`Bearer ${String(body['access_token'])}`)).toMatchObject({
    status: 401,
    body: { error: { message: expect.stringContaining('expired') } },
  })
  const again = await ask({ refresh_token: body['refresh_token'] })
  expect((await make(`Bearer ${String(again.body['access_token'])}`)).status).toBe(201)
  await clock.advance(86_400_000)
  expect((await ask({ refresh_token: body['refresh_token'] })).status).toBe(401)
})

test('invalid tokens are rejected', async () => {
  const { body } = await ask(live)
  const [header = '', claims = '', signature = ''] = String(body['access_token']).split('.')
  const forged = Buffer.from(
    JSON.stringify({ sub: 'x', mode: 'live', use: 'access', exp: 9_999_999_999 }),
  ).toString('base64url')
  for (const token of [
    'x',
    'a.b.c',
    `${header}.${claims}`,
    `${header}.${claims}.${signature}.x`,
    `${header}.${forged}.${signature}`,
    String(body['refresh_token']),
  ]) {
    expect((await make(`Bearer ${token}`)).status).toBe(401)
  }
  expect((await ask({ refresh_token: body['access_token'] })).status).toBe(401)
})

test('wrong or missing credentials are rejected', async () => {
  expect((await ask({ ...live, client_secret: 'sk_test_1' })).status).toBe(401)
  expect((await ask({ client_id: '', client_secret: '' })).status).toBe(401)
  expect((await ask({})).status).toBe(400)
})
