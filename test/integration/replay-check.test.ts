/** For a replay to several endpoints, all targets are checked before the first request. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { InputOf } from '../../src/shared/contract/contract.ts'
import { createDeliverer, signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { startRawEndpoint, type RawEndpoint } from '../support/replay-fixture.ts'
import type { TestCore } from '../support/test-core.ts'

let core: TestCore
let endpoint: RawEndpoint
let testId: string
let liveId: string

beforeAll(async () => {
  core = await coreInFolder()
  endpoint = await startRawEndpoint()
  const deliverer = createDeliverer(core.caFile)
  const capture = async (environment: string, secret: string) => {
    const url = `${core.receiver}/h/${environment}`
    await core.client.call('hooks.import', {
      event: 'card.linked',
      url,
      secret,
      environment,
      live: true,
    })
    await deliverer.send(url, { body: '{}', headers: signedHeaders(secret, '{}', url) })
    return (await core.client.call('deliveries.get', { id: 'latest' })).id
  }
  testId = await capture('sandbox-test', 'whsec_test')
  liveId = await capture('sandbox-live', 'whsec_live')
  deliverer.close()
})
afterAll(async () => {
  expect(core.bugs).toEqual([])
  await endpoint.close()
})

const elsewhere = 'http://192.0.2.1/in'
const check = (
  second: InputOf<'replay.check'>['parts'][number],
  more: Partial<InputOf<'replay.check'>> = {},
) =>
  core.client.call('replay.check', {
    parts: [{ ids: [testId], to: endpoint.origin }, second],
    ...more,
  })

test.each<[string, () => ReturnType<typeof check>, object]>([
  [
    "a host that wasn't allowed",
    () => check({ ids: [testId], to: elsewhere }),
    { code: 'TARGET_NOT_ALLOWED', details: { host: '192.0.2.1' } },
  ],
  ['an invalid target', () => check({ ids: [testId], to: 'elsewhere' }), { code: 'INVALID_INPUT' }],
  [
    'an invalid CA certificate',
    () => check({ ids: [testId], targetCa: 'none' }),
    { code: 'INVALID_INPUT' },
  ],
  ['an unknown delivery', () => check({ ids: ['none'] }), { code: 'NOT_FOUND' }],
  [
    'a live environment',
    () => check({ ids: [liveId] }),
    { code: 'CONFIRMATION_REQUIRED', details: { environment: 'sandbox-live' } },
  ],
  [
    'the total count',
    () => check({ ids: [testId] }, { most: 1 }),
    { code: 'CONFIRMATION_REQUIRED', details: { count: 2 } },
  ],
])('%s of the second one is rejected', async (_what, call, refusal) => {
  await expect(call()).rejects.toMatchObject(refusal)
})

test('with consent all targets pass, and nothing is sent', async () => {
  expect(
    await check(
      { ids: [testId, liveId], to: elsewhere },
      { allowHosts: ['192.0.2.1'], live: true, most: 3 },
    ),
  ).toEqual({})
  expect(await check({ ids: [testId] })).toEqual({})
  expect((await core.client.call('replay.jobs', {})).jobs).toEqual([])
  expect(endpoint.connections()).toBe(0)
})
