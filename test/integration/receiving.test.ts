import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import { connect } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hook } from '../../src/shared/model/hook.ts'
import { allDeliveries, bodyOf, waitForDeliveries } from '../support/read-deliveries.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { signatureOf, signedHeaders } from '../support/deliver.ts'
import type { TestCore } from '../support/test-core.ts'

const SECRET = 'whsec_the_right_one'
const BODY = JSON.stringify({ id: '0b0f7c52-6d4e-4f0c-9a44-2f1de1c7a111', amount: 12.5 })

let core: TestCore
let hook: Hook
beforeAll(async () => {
  core = await coreInFolder({ threads: true })
  hook = await core.hook('/h/one', SECRET)
})
afterAll(async () => {
  expect(core.bugs).toEqual([])
})

async function deliver(
  headers: readonly (readonly [string, string])[],
  path = '/h/one',
  body: string | Uint8Array = BODY,
) {
  const answer = await core.send(core.receiver + path, { body, headers })
  expect(answer).toMatchObject({ status: 200, body: '' })
  return core.latest()
}

describe('a delivery', () => {
  test('with one bit changed is invalid, and the report shows where the signatures differ', async () => {
    const headers = signedHeaders(SECRET, BODY, hook.url)
    const delivery = await deliver(headers, '/h/one', BODY.replace('12.5', '12.6'))
    expect(delivery).toMatchObject({ verdict: 'invalid', hookId: hook.id, event: null })
    const report = await core.call('deliveries.signature', { id: delivery.id })
    expect(report).toMatchObject({
      verdict: 'invalid',
      url: hook.url,
      hookId: hook.id,
      secretHint: '…_one',
      diagnosis: null,
    })
    expect(report.expected).toBe(
      signatureOf(SECRET, BODY.replace('12.5', '12.6'), hook.url, report.timestamp ?? ''),
    )
    expect(report.firstDifference).toBeGreaterThanOrEqual(0)
  })

  test("gets a response that a page in a browser can't use", async () => {
    const { headers } = await core.send(`${core.receiver}/any`, {
      body: '',
      headers: [['Origin', 'https://evil.example']],
    })
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'content-length': '0' })
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

test('a delivery keeps its verdict at receipt, whatever hooks are added later', async () => {
  const url = `${core.receiver}/h/later`
  const delivery = await deliver(signedHeaders('whsec_later', BODY, url), '/h/later')
  expect(delivery.verdict).toBe('unknown-hook')
  await core.call('hooks.import', { event: 'card.linked', url, secret: 'whsec_later' })
  expect(await core.call('deliveries.get', { id: delivery.id })).toEqual(delivery)
})

test('while paused it responds 503 with Retry-After and stores nothing; resumed, it receives again', async () => {
  const before = (await allDeliveries(core.client)).length
  expect(await core.call('receiver.pause', {})).toMatchObject({ state: 'paused' })
  const refused = await core.send(`${core.receiver}/h/one`, {
    body: BODY,
    headers: signedHeaders(SECRET, BODY, hook.url),
  })
  expect(refused.status).toBe(503)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect((await core.call('app.status', {})).receiver.state).toBe('paused')
  expect(await core.call('receiver.resume', {})).toMatchObject({ state: 'listening' })
  expect(await allDeliveries(core.client)).toHaveLength(before)
  await deliver(signedHeaders(SECRET, BODY, hook.url))
})

test("an idle connection doesn't delay the shutdown", async () => {
  const other = await coreInFolder()
  const { sandbox } = await other.call('app.status', {})
  const sockets = await Promise.all(
    [other.receiver, sandbox!].map(async (url) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      await once(socket, 'connect')
      // The start of a handshake, without the rest.
      socket.write(Buffer.from([0x16]))
      socket.on('error', () => {
        // The receiver disconnects it, and closes.
      })
      return { closed: new Promise<void>((resolve) => socket.once('close', () => resolve())) }
    }),
  )
  await other.stop()
  await expect(Promise.all(sockets.map(({ closed }) => closed))).resolves.toHaveLength(2)
})

test('deliveries are in the order of their times, even if an earlier one takes longer to arrive', async () => {
  const slow = request(`${core.receiver}/slow`, {
    method: 'POST',
    ca: await readFile(core.caFile, 'utf8'),
    headers: { 'content-length': 4 },
  })
  slow.write('12')
  const [socket] = (await once(slow, 'socket')) as [TLSSocket]
  await once(socket, 'secureConnect')
  await deliver([], '/fast')
  slow.end('34')
  await once(slow, 'response')
  const { items } = await core.client.call('deliveries.list', { limit: 2 })
  expect(items.map(({ path }) => path)).toEqual(['/slow', '/fast'])
  const [last = 0, before = 0] = items.map(({ receivedAt }) => Date.parse(receivedAt))
  expect(last).toBeGreaterThanOrEqual(before)
})

test('a restart keeps everything: deliveries, hooks, secrets, ports and the certificate', async () => {
  await waitForDeliveries(core.client, 1)
  const everything = async () => ({
    deliveries: await allDeliveries(core.client),
    hooks: await core.call('hooks.list', {}),
    secret: await core.call('hooks.reveal', { id: hook.id }),
    keys: await core.call('environments.list', { includeSecrets: true }),
    receiver: core.receiver,
    body: await bodyOf(core.client, 'latest'),
    ca: await readFile(core.caFile, 'utf8'),
  })
  const before = await everything()
  await core.stop()
  core = await coreInFolder({ dataFolder: core.dataFolder, threads: true })
  expect(await everything()).toEqual(before)
  expect(await deliver(signedHeaders(SECRET, BODY, hook.url))).toMatchObject({
    verdict: 'valid',
    hookId: hook.id,
  })
})
