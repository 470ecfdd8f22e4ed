import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { sendDelivery } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { startOtherService, type OtherService } from '../support/other-service.ts'
import { startRawEndpoint } from '../support/replay-fixture.ts'
import type { TestCore } from '../support/test-core.ts'
import { makeTestTls } from '../support/tls.ts'
import { refusal } from '../support/refusal.ts'

const SECRET = 'whsec_removed_for_good_0123456789'

let app: TestCore
let service: OtherService
let count = 0

beforeAll(async () => {
  const tls = await makeTestTls()
  service = await startOtherService(tls)
  app = await coreInFolder()
  const account = { baseUrl: service.origin, caPem: tls.caPem, key: 'sk_test_0123456789' }
  await app.call('environments.add', { name: 'staging', mode: 'test', ...account })
})
afterAll(async () => {
  await service.close()
  expect(app.bugs).toEqual([])
})

async function imported(remoteId?: string) {
  const url = `${app.receiver}/h/purged-${++count}`
  const hook = { event: 'transaction.auth', url, secret: SECRET, environment: 'staging' }
  const { id } = await app.call('hooks.import', {
    ...hook,
    ...(remoteId === undefined ? {} : { remoteId }),
  })
  return { id, url, deliver: () => sendDelivery(app.caFile, { url, secret: SECRET }) }
}

const purge = (id: string) => app.call('hooks.remove', { id, purge: true })

const idsOf = async () =>
  (await app.call('hooks.list', { environment: 'staging' })).hooks.map(({ id }) => id)

test('a delivery, a handler and an unfinished replay each keep a hook, and the error says how to clear them', async () => {
  const { call } = app
  const endpoint = await startRawEndpoint()
  onTestFinished(() => endpoint.close())
  const hook = await imported()
  await hook.deliver()
  await call('handlers.add', { name: 'shop', url: 'http://127.0.0.1:9/', hookId: hook.id })
  const other = await imported()
  await other.deliver()
  const { replay } = await call('replay.start', {
    query: `hook:${other.id}`,
    to: endpoint.origin,
    hookId: hook.id,
    repeat: 50,
    rate: 1,
  })
  const refused = await refusal(purge(hook.id))
  expect([refused.code, refused.message]).toEqual([
    'INVALID_HOOK',
    `This hook is still needed by 1 delivery, the handler shop, and 1 unfinished replay. First delete the deliveries (search for hook:${hook.id}), choose another secret for the handler, and finish or cancel the replay, then remove it.`,
  ])
  expect((await call('hooks.list', {})).hooks.find(({ id }) => id === hook.id)?.status).toBe(
    'active',
  )

  await call('replay.cancel', { replayId: replay.id })
  const [handler] = (await call('handlers.list', {})).handlers
  await call('handlers.remove', { id: handler?.id ?? '' })
  const { deletion } = await call('deliveries.delete', { query: `hook:${hook.id}` })
  expect((await refusal(purge(hook.id))).message).toBe(
    'This hook is still needed by 1 delivery that can be restored. First wait ten seconds, then remove it.',
  )
  await call('deliveries.restore', { deletion: deletion ?? '' })
  await call('deliveries.delete', { query: `hook:${hook.id}`, final: true })
  const removed: string[] = []
  const stop = app.client.on('hooks.removed', ({ id }) => removed.push(id))
  expect(await purge(hook.id)).toMatchObject({ id: hook.id, status: 'deleted' })
  stop()
  expect([removed, await idsOf()]).toEqual([[hook.id], [other.id]])
  // Its secret no longer verifies anything.
  await hook.deliver()
  expect(await call('deliveries.get', { id: 'latest' })).toMatchObject({ verdict: 'unknown-hook' })
})

test('an active hook is deleted at the service first, and stays if the service refuses', async () => {
  const hook = await imported('remote-1')
  service.interrupt({ status: 503, body: '{}' })
  expect((await refusal(purge(hook.id))).code).toBe('SERVICE_REFUSED')
  expect(await idsOf()).toContain(hook.id)
  await purge(hook.id)
  expect(service.called('/v1/hooks/remote-1').map(({ method }) => method)).toEqual([
    'DELETE',
    'DELETE',
  ])
  expect(await idsOf()).not.toContain(hook.id)
})

test('a hook that is gone at the service can be deleted and removed without asking it', async () => {
  const hook = await imported('remote-2')
  service.interrupt({ status: 404, body: '{}' })
  const { status } = await app.call('hooks.remove', { id: hook.id })
  expect(status).toBe('gone')
  await purge(hook.id)
  expect(service.called('/v1/hooks/remote-2')).toHaveLength(1)
})

test('an environment names the hooks in its way and the commands that remove them; then it can be removed', async () => {
  const before = await idsOf()
  const refused = await refusal(app.call('environments.remove', { name: 'staging' }))
  const [id = ''] = before
  expect(before).toHaveLength(1)
  expect([refused.code, refused.message]).toEqual([
    'INVALID_ENVIRONMENT',
    `"staging" still has 1 hook, so it can't be removed. Remove it for good: "countersign hooks remove ${id} --purge" (transaction.auth, active).`,
  ])
  await app.call('deliveries.delete', { query: '', final: true })
  await purge(id)
  await app.call('environments.remove', { name: 'staging' })
  const { environments } = await app.call('environments.list', {})
  expect(environments.map(({ name }) => name)).not.toContain('staging')
})
