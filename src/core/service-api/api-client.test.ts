import { afterEach, beforeAll, expect, test } from 'vitest'
import {
  startEndpoint,
  type Endpoint,
  type EndpointAnswer,
} from '../../../test/support/https-endpoint.ts'
import { makeTestTls, type TestTls } from '../../../test/support/tls.ts'

import { ApiClient, type ApiAccount } from './api-client.ts'
import { connectionSchema } from './connection.ts'

const KEY = 'sk_test_client_0123456789'
const fields = {
  event: 'card.linked',
  url: 'https://x.example/h',
  programId: null,
  offerId: null,
  headers: {},
}

let tls: TestTls
const clients: ApiClient[] = []
let endpoint: Endpoint | undefined

beforeAll(async () => {
  tls = await makeTestTls()
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  await endpoint?.close()
})

function clientOf(made: ApiAccount): ApiClient {
  const client = new ApiClient(made, { now: () => 0, monotonic: () => performance.now() })
  clients.push(client)
  return client
}

async function account(
  answer: (call: number) => EndpointAnswer,
  changed: Partial<ApiAccount> = {},
): Promise<ApiAccount> {
  endpoint = await startEndpoint(tls.leaf, answer)
  const connection = connectionSchema.parse({ caPem: tls.caPem, timeoutMs: 180_000 })
  return {
    baseUrl: endpoint.origin,
    prefix: 'service',
    auth: 'service-key',
    secret: KEY,
    connection,
    authorities: [],
    ...changed,
  }
}

const replying =
  (status: number, body = ''): (() => EndpointAnswer) =>
  () =>
  (_, response) => {
    response.writeHead(status).end(body)
  }

test('paths are below the base URL, IDs are encoded, and the header has the prefix', async () => {
  const made = await account(replying(200, '{}'))
  const client = clientOf({ ...made, baseUrl: `${made.baseUrl}/service//`, prefix: 'Acme' })
  await client.createHook(fields)
  await client.createHook({ ...fields, programId: 'a/b' })
  await client.updateHook('c?d', fields)
  await client.deleteHook('e f')
  await client.probe('an-id')
  expect(endpoint?.calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /service/v1/hooks',
    'POST /service/v1/programs/a%2Fb/hooks',
    'PUT /service/v1/hooks/c%3Fd',
    'DELETE /service/v1/hooks/e%20f',
    'DELETE /service/v1/hooks/an-id',
  ])
  for (const { headers } of endpoint?.calls ?? []) {
    expect(headers).toMatchObject({ 'acme-key': KEY, 'content-type': 'application/json' })
  }
})

test("a 401 isn't retried with a key, which never changes", async () => {
  const client = clientOf(await account(replying(401)))
  await expect(client.deleteHook('x')).rejects.toMatchObject({ code: 'SERVICE_REFUSED' })
  expect(endpoint?.calls).toHaveLength(1)
})

test('an update without a response may have been processed, a probe changes nothing', async () => {
  const made = await account(() => 'drop')
  const client = clientOf(made)
  const uncertain = { code: 'SERVICE_UNREACHABLE', details: { kind: 'dropped', uncertain: true } }
  await expect(client.createHook(fields)).rejects.toMatchObject(uncertain)
  await expect(client.deleteHook('x')).rejects.toMatchObject(uncertain)
  await expect(client.probe('x')).rejects.toMatchObject({
    details: { kind: 'dropped', uncertain: false },
  })
  const stranger = clientOf({ ...made, connection: connectionSchema.parse({}) })
  await expect(stranger.createHook(fields)).rejects.toMatchObject({
    details: { kind: 'certificate', uncertain: false },
  })
})
