import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { InputOf } from '../../src/shared/contract/contract.ts'
import {
  startEndpoint,
  type Endpoint,
  type EndpointAnswer,
  type ReceivedCall,
} from '../support/https-endpoint.ts'
import { coreInFolder } from '../support/in-folder.ts'
import type { TestCore } from '../support/test-core.ts'
import { makeTestTls, type TestTls } from '../support/tls.ts'

const SECRET = 'client-secret-0123456789'
const HOOK = '0f6c1c52-9d1e-4a58-8a55-000000000001'
const PROGRAM = '5a1a4f0e-4a3b-4f43-9d0f-2f8f0d1f0001'

let tls: TestTls
let app: TestCore
let service: Endpoint
let environments = 0
let lasts = 3_600

beforeAll(async () => {
  tls = await makeTestTls()
  app = await coreInFolder()
})
beforeEach(async () => {
  lasts = 3_600
  service = await startEndpoint(tls.leaf, () => answer)
})
afterEach(async () => {
  expect(app.bugs).toEqual([])
  await service.close()
})

const answer: Exclude<EndpointAnswer, number | string> = (
  { method, url = '', headers },
  response,
) => {
  const reply = (status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const call = service.calls.at(-1)
  if (url === '/session/open') {
    if (headers['content-type'] !== 'application/x-www-form-urlencoded')
      return reply(415, { why: 'forms only' })
    const form = formOf(call)
    const isKnown = form['client_secret'] === SECRET || form['renewal'] === 'renewal-0123456789'
    return isKnown
      ? reply(200, {
          session: {
            ticket: 'ticket-0123456789',
            renewal: 'renewal-0123456789',
            lasts: String(lasts),
          },
        })
      : reply(403, { why: 'unknown client', renewal: form['renewal'], ticket: 'ticket-0123456789' })
  }
  if (headers['authentication'] !== 'Bearer ticket-0123456789')
    return reply(401, { why: 'no ticket' })
  return method === 'POST'
    ? reply(201, { id: HOOK, secretKey: 'hook-secret-0123456789' })
    : reply(200, {})
}

const formOf = (call: ReceivedCall | undefined) =>
  Object.fromEntries(new URLSearchParams(call?.body.toString()))
const sessions = () => service.calls.filter(({ path }) => path === '/session/open')
const paths = () =>
  service.calls
    .filter(({ path }) => path !== '/session/open')
    .map(({ method, path }) => `${method} ${path}`)

const fields = {
  tokenForm: 'form',
  tokenField: 'ticket',
  refreshTokenField: 'renewal',
  expiryField: 'lasts',
} as const

async function add(overrides: Partial<InputOf<'environments.add'>> = {}): Promise<string> {
  const { name } = await app.call('environments.add', {
    name: `form-${++environments}`,
    mode: 'test',
    baseUrl: service.origin,
    auth: 'bearer',
    clientId: 'client-1',
    clientSecret: SECRET,
    tokenUrl: '/session/open',
    caPem: tls.caPem,
    timeoutMs: 20_000,
    ...fields,
    ...overrides,
  })
  return name
}

const register = (environment: string) =>
  app.call('hooks.add', {
    event: 'transaction.auth',
    url: `${app.receiver}/h/form`,
    programId: PROGRAM,
    environment,
  })

describe('a token endpoint that accepts only forms, with other field names', () => {
  test('gets a form with client id and secret, and its token authenticates calls', async () => {
    expect((await register(await add())).hook.status).toBe('active')
    expect(sessions().map(({ body }) => body.toString())).toEqual([
      `client_id=client-1&client_secret=${SECRET}&grant_type=client_credentials`,
    ])
  })

  test('gets extra fields; an empty one leaves grant_type out', async () => {
    await register(
      await add({
        tokenRequestFields: { grant_type: '', scope: 'hooks write', audience: 'a&b=c' },
      }),
    )
    expect(formOf(sessions()[0])).toEqual({
      client_id: 'client-1',
      client_secret: SECRET,
      scope: 'hooks write',
      audience: 'a&b=c',
    })
  })

  test('rejects JSON, and the error shows no secrets', async () => {
    await expect(register(await add({ tokenForm: 'json' }))).rejects.toMatchObject({
      code: 'SERVICE_REFUSED',
      details: {
        status: 415,
        body: '{"why":"forms only"}',
        sent: { body: { client_secret: '[masked]' } },
      },
    })
  })

  test('no error shows an access or refresh token with other names', async () => {
    const error: unknown = await register(
      await add({ clientSecret: 'another-secret-0123456789' }),
    ).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'SERVICE_REFUSED', details: { status: 403 } })
    expect(JSON.stringify(error)).toContain('unknown client')
    expect(JSON.stringify(error)).not.toMatch(/ticket-0123|another-secret/)
  })

  test('keeps its settings when something else changes, and loses them on a reset', async () => {
    const name = await add({ tokenRequestFields: { scope: 'hooks' } })
    const shown = { ...fields, tokenRequestFields: { scope: 'hooks' }, tokenUrl: '/session/open' }
    expect(await app.call('environments.update', { name, timeoutMs: 10_000 })).toMatchObject(shown)
    expect(
      await app.call('environments.update', {
        name,
        tokenField: null,
        tokenForm: 'json',
        tokenRequestFields: {},
      }),
    ).toMatchObject({
      tokenField: null,
      tokenForm: 'json',
      tokenRequestFields: {},
      refreshTokenField: 'renewal',
    })
  })
})

describe('the API version', () => {
  const post = (version: string) => `POST ${version}/programs/${PROGRAM}/hooks`

  test.each<[string, string, Partial<InputOf<'environments.add'>>, string]>([
    ['is v1 by default', '', {}, '/v1'],
    ['may be at the end of the base URL', '/v1/', {}, '/v1'],
    ['is a setting', '', { apiVersion: 'v2.1' }, '/v2.1'],
    ['is a setting that the base URL may repeat', '/v2', { apiVersion: 'v2' }, '/v2'],
  ])('%s: base URL ending in "%s"', async (_what, path, overrides, root) => {
    const name = await add({
      baseUrl: service.origin + path,
      tokenUrl: `${service.origin}/session/open`,
      ...overrides,
    })
    const { hook } = await register(name)
    await app.call('hooks.update', { id: hook.id, headers: {} })
    await app.call('hooks.remove', { id: hook.id })
    expect(paths()).toEqual([
      post(root),
      `PUT ${root}/hooks/${HOOK}`,
      `DELETE ${root}/hooks/${HOOK}`,
    ])
  })
})
