import { expect, test } from 'vitest'
import { accountsInFolder } from '../../../test/support/in-folder.ts'
import { startRawEndpoint } from '../../../test/support/replay-fixture.ts'
import { systemClock } from '../base/system-clock.ts'
import { Admission, type AdmissionRequest } from './admit.ts'
import type { Consent } from '../../shared/model/consent.ts'
import { hookImportSchema } from '../../shared/model/hook.ts'
import { createGuard } from './wire/guarded-sender.ts'
import { resolveWithSystem } from './wire/target-policy.ts'

const PUBLIC = '192.0.2.1'
const lookups: string[] = []
const guard = createGuard({
  clock: systemClock,
  resolve: (name) => {
    lookups.push(name)
    return Promise.resolve([name === 'here.example' || name === 'localhost' ? '127.0.0.1' : PUBLIC])
  },
  caPem: null,
  ownPorts: () => new Set(),
})
const admission = new Admission({ guard, known: null })
const noConsent: Consent = { allowHosts: [], live: false }
const requestTo = (...targets: string[]): AdmissionRequest => ({
  targets,
  targetCa: null,
  signers: {},
  what: 'testing',
})

test('problems with the request come first, and no name is resolved before', async () => {
  const wrong = {
    ...requestTo('none', 'http://away.example/'),
    registeredUrl: 'none',
    targetCa: 'none',
  }
  await expect(admission.admit(wrong, noConsent)).rejects.toMatchObject({
    details: { field: 'registeredUrl' },
  })
  expect(lookups).toEqual([])
  await expect(
    admission.admit({ ...requestTo('none'), targetCa: 'none' }, noConsent),
  ).rejects.toMatchObject({ code: 'INVALID_INPUT', details: { field: 'targetCa' } })
})

test('a live secret needs consent, whatever has it, in any spelling that HMAC reads as the same key', async () => {
  const { environments, hooks } = await accountsInFolder()
  const { liveEnvironments } = new Admission({ guard, known: { environments, hooks } })
  const hookWith = async (secret: string, environment: string) => {
    const url = `https://hooks.example/${environment}`
    const hook = { event: 'card.linked', url, secret, environment }
    return (await hooks.import(hookImportSchema.parse(hook))).id
  }
  const [live, long] = ['whsec_live_0123456789', 'x'.repeat(65)]
  const hookIds = [await hookWith(live, 'sandbox-live'), await hookWith(live, 'sandbox-test')]
  await hookWith(long, 'sandbox-live')
  for (const id of hookIds) expect(liveEnvironments({ hookIds: [id] })).toEqual(['sandbox-live'])
  for (const secret of [live, `${live}\0`, `${live}\0\0\0`, long])
    expect(liveEnvironments({ secrets: [secret] })).toEqual(['sandbox-live'])
  const other = await hookWith('whsec_of_a_test', 'sandbox-test')
  expect(liveEnvironments({ hookIds: [other, 'gone', null], secrets: ['', 'another'] })).toEqual([])
})

test('targets are returned as URLs without duplicates, with the remote hosts among them', async () => {
  const request = requestTo('http://127.0.0.1:1', `http://${PUBLIC}/`, 'http://127.0.0.1:1')
  const { targets, otherHosts } = await admission.admit(request, {
    ...noConsent,
    allowHosts: [PUBLIC, '127.0.0.1'],
  })
  expect([targets.map(({ href }) => href), otherHosts]).toEqual([
    ['http://127.0.0.1:1/', `http://${PUBLIC}/`],
    [PUBLIC],
  ])
})

test('a loopback target may omit the scheme; the error for other hosts says that it is missing', async () => {
  const { targets } = await admission.admit(
    requestTo('localhost:3000/webhooks', '127.0.0.1:1', '[::1]:2'),
    noConsent,
  )
  expect(targets.map(({ href }) => href)).toEqual([
    'http://localhost:3000/webhooks',
    'http://127.0.0.1:1/',
    'http://[::1]:2/',
  ])
  await expect(
    admission.admit(requestTo('away.example/webhooks'), noConsent),
  ).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: '"away.example/webhooks" has no scheme. Start it with https:// or http://.',
  })
})

test("a sender reaches no host that wasn't allowed, neither from an admission nor for a stored target", async () => {
  const endpoint = await startRawEndpoint()
  const admitted = await admission.admit(requestTo(endpoint.origin), noConsent)
  for (const createSender of [admitted.createSender, admission.senderForSaved(() => [], null)]) {
    const sender = createSender({ keepAlive: false })
    const send = (url: string) => sender.send({ url, headers: [], body: new Uint8Array() })
    expect(await send(endpoint.origin)).toMatchObject({ status: 200, failure: null })
    expect(await send(`http://away.example:${endpoint.port}/`)).toMatchObject({
      status: null,
      failure: { kind: 'not-allowed' },
    })
    await sender.close()
  }
  expect(endpoint.requests).toHaveLength(2)
  await endpoint.close()
})

test('names below localhost are this computer, whatever the system resolves', async () => {
  expect(await resolveWithSystem('app.localhost')).toEqual(['127.0.0.1', '::1'])
  await expect(resolveWithSystem('app.localhost.invalid')).rejects.toThrow()
})
