import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEndpoint, type Endpoint } from '../../../test/support/https-endpoint.ts'
import { makeTestTls, type TestTls } from '../../../test/support/tls.ts'
import type { Ids } from '../base/deps.ts'
import { systemClock } from '../base/system-clock.ts'
import type { StoredEnvironment } from '../store/environments.ts'
import { createServiceClients, testEnvironment } from './service-clients.ts'

const environmentWith = (caPem: string): StoredEnvironment => ({
  name: 'staging',
  mode: 'test',
  baseUrl: 'https://api.example.com',
  prefix: 'service',
  auth: 'service-key',
  ack: '200',
  publicKey: null,
  key: null,
  connection: JSON.stringify({ caPem, timeoutMs: 180_000 }),
  createdAt: 0,
})

const clients = createServiceClients({
  environments: {
    baseUrlOf: () => endpoint.origin,
    openKey: () => Promise.resolve('sk_test_1'),
  },
  clock: systemClock,
  caPem: null,
})
let tls: TestTls
let answer: { readonly status: number; readonly text: string }
let endpoint: Endpoint
beforeAll(async () => {
  tls = await makeTestTls()
  endpoint = await startEndpoint(tls.leaf, () => (_, response) => {
    response.writeHead(answer.status).end(answer.text)
  })
})
afterAll(async () => {
  await clients.close()
  await endpoint.close()
})

const check = (ids: Ids = { next: () => 'an-id-just-made' }) =>
  testEnvironment(environmentWith(tls.caPem), clients, ids)

test.each([
  [404, '{"error":"unknown hook"}', 'ok'],
  [410, '{}', 'ok'],
  // Any web server returns this for an unknown path, so it says nothing about the key.
  [404, '<html>Not found</html>', 'warning'],
  [404, '', 'warning'],
  [401, '{"error":"who"}', 'failed'],
  [403, 'no', 'failed'],
  [500, 'oops', 'failed'],
  [503, '', 'failed'],
  [200, '{}', 'warning'],
  [204, '', 'warning'],
  [301, '', 'warning'],
  [400, '{"error":"id"}', 'warning'],
])('%i with %j is %s', async (status, text, outcome) => {
  answer = { status, text }
  const result = await check()
  expect(endpoint.calls.splice(0).map(({ method, path }) => `${method} ${path}`)).toEqual([
    'DELETE /v1/hooks/an-id-just-made',
  ])
  expect(result).toMatchObject({
    name: 'staging',
    outcome,
    sent: `DELETE ${endpoint.origin}/v1/hooks/an-id-just-made`,
    status,
    body: text,
  })
  expect(result.learned[0]).toBe('Connected to the service.')
  expect(result.learned).toHaveLength(2)
})

test('an account has one client, a changed account another', async () => {
  const environment = environmentWith(tls.caPem)
  const client = await clients.of(environment)
  expect(await clients.of({ ...environment })).toBe(client)
  expect(await clients.of({ ...environment, prefix: 'acme' })).not.toBe(client)
  expect(await clients.of({ ...environment, connection: '{}' })).not.toBe(client)
})

test('an unreachable service is a result too', async () => {
  const { port } = new URL(endpoint.origin)
  await endpoint.close()
  expect(await check()).toEqual({
    name: 'staging',
    outcome: 'failed',
    sent: `DELETE https://127.0.0.1:${port}/v1/hooks/an-id-just-made`,
    learned: [expect.stringContaining(`127.0.0.1:${port}`)],
    status: null,
    body: null,
  })
  const next = () => {
    throw new TypeError('a bug')
  }
  await expect(check({ next })).rejects.toThrow('a bug')
})
