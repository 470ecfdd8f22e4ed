/**
 * Promise 6: a replay leaves this computer only if you allow it. The connected address decides,
 * however it is spelled and whatever a name resolves to next time. Replay stands for every command:
 * `golden/sends.md` has what each decides.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createGuardedConnector } from '../../src/core/outgoing/wire/guarded-sender.ts'
import { hostOf, isLoopbackAddress, readHost } from '../../src/core/outgoing/wire/loopback.ts'
import { createSender } from '../../src/core/outgoing/wire/sender.ts'
import { sendDelivery } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { runReplay, startRawEndpoint, type RawEndpoint } from '../support/replay-fixture.ts'
import type { TestCore } from '../support/test-core.ts'

let core: TestCore
let endpoint: RawEndpoint
let id: string
beforeAll(async () => {
  core = await coreInFolder()
  endpoint = await startRawEndpoint()
  const url = `${core.receiver}/h/one`
  await core.call('hooks.import', { event: 'card.linked', url, secret: 's' })
  await sendDelivery(core.caFile, { url, secret: 's' })
  id = (await core.latest()).id
})
afterEach(() => {
  endpoint.requests.length = 0
})
afterAll(async () => {
  expect(core.bugs).toEqual([])
  await endpoint.close()
})

/** Spellings of this computer's loopback addresses, which need no consent. */
const here = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7F.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '１２７.０.０.１',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  'localhost',
  'LOCALHOST.',
]

/**
 * Spellings of other computers, or addresses that only look like loopback. Nothing is sent to them;
 * `.invalid` never resolves.
 */
const elsewhere = [
  '192.0.2.1',
  '3221225985',
  '0xc0000201',
  '0300.0.2.1',
  '192.0.513',
  '１９２.０.２.１',
  '192.0.2.1.',
  '[2001:db8::1]',
  '[::ffff:192.0.2.1]',
  '[::ffff:c000:201]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[fe80::1]',
  '[::]',
  '0.0.0.0',
  '0',
  '128.0.0.1',
  '126.255.255.255',
  '10.0.0.1',
  '169.254.169.254',
  'nowhere.invalid',
]

describe('address spellings', () => {
  test.each(here)('%s is this computer and needs no consent', async (host) => {
    const { sends } = await runReplay(core.client, {
      ids: [id],
      to: `http://${host}:${endpoint.port}/`,
    })
    expect(sends).toMatchObject([{ status: 200, error: null }])
    expect(endpoint.requests).toHaveLength(1)
  })

  test.each(elsewhere)("%s isn't, and nothing is sent", async (host) => {
    const to = `http://${host}:${endpoint.port}/`
    const { replays } = await core.call('replay.list', {})
    await expect(runReplay(core.client, { ids: [id], to })).rejects.toMatchObject({
      code: 'TARGET_NOT_ALLOWED',
      message: expect.stringContaining('--allow-host'),
      details: { host: hostOf(new URL(to)) },
    })
    expect((await core.call('replay.list', {})).replays).toEqual(replays)
    expect(endpoint.requests).toHaveLength(0)
  })

  test('the allowed host is read the same way', () => {
    for (const host of [
      '192.0.2.1',
      '3221225985',
      '0xc0000201',
      '192.0.513',
      '１９２.０.２.１',
      '192.0.2.1.',
    ])
      expect(readHost(host)).toBe('192.0.2.1')
    expect(readHost('2001:DB8:0::1')).toBe('2001:db8::1')
    expect(readHost('Hooks.Example.')).toBe('hooks.example')
    for (const none of ['', 'a b', 'a/b', 'a@b', 'a:80', 'http://a'])
      expect(readHost(none)).toBeNull()
  })

  test('addresses are judged by their bits', () => {
    for (const address of [
      '127.0.0.1',
      '127.255.255.254',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
    ])
      expect([address, isLoopbackAddress(address)]).toEqual([address, true])
    for (const address of [
      '126.0.0.1',
      '128.0.0.1',
      '0.0.0.0',
      '::',
      '::2',
      '::ffff:8.8.8.8',
      'fe80::1',
      'localhost',
      '',
    ])
      expect([address, isLoopbackAddress(address)]).toEqual([address, false])
  })
})

describe('a forward target', () => {
  afterEach(async () => {
    for (const target of (await core.call('forward.list', {})).targets)
      await core.call('forward.remove', { id: target.id })
  })

  test("can't be changed to a URL that could not be added", async () => {
    const { target } = await core.call('forward.add', { url: endpoint.origin })
    await expect(
      core.call('forward.update', { id: target.id, url: 'http://192.0.2.1/' }),
    ).rejects.toMatchObject({ code: 'TARGET_NOT_ALLOWED', details: { host: '192.0.2.1' } })
    expect((await core.call('forward.list', {})).targets).toMatchObject([{ url: endpoint.origin }])
  })
})

describe('consent', () => {
  test('is for the named host, once: the next replay needs it again', async () => {
    const to = `http://0.0.0.0:${endpoint.port}/`
    await expect(
      runReplay(core.client, { ids: [id], to, allowHosts: ['192.0.2.1'] }),
    ).rejects.toMatchObject({
      code: 'TARGET_NOT_ALLOWED',
    })
    expect(
      (await runReplay(core.client, { ids: [id], to, allowHosts: ['0'] })).sends,
    ).toMatchObject([{ status: 200 }])
    await expect(runReplay(core.client, { ids: [id], to })).rejects.toMatchObject({
      code: 'TARGET_NOT_ALLOWED',
    })
    expect(endpoint.requests).toHaveLength(1)
  })

  test("is also needed for a hook's registered URL if that is the target", async () => {
    const made = await core.call('hooks.import', {
      event: 'card.failed',
      url: 'https://192.0.2.7/in',
      secret: 's',
    })
    await expect(runReplay(core.client, { ids: [id], hookId: made.id })).rejects.toMatchObject({
      code: 'TARGET_NOT_ALLOWED',
      details: { host: '192.0.2.7' },
    })
  })
})

describe('a name', () => {
  /** Sends to a name that resolves to these addresses one after the other. */
  async function sendTo(
    lookups: readonly (readonly string[])[],
    allowedHosts: readonly string[] = [],
  ) {
    let asked = 0
    const connected: string[] = []
    const sender = createSender({
      authorities: [],
      monotonic: () => performance.now(),
      connector: (build) =>
        createGuardedConnector(
          (options) => (to, done) => {
            connected.push(to.hostname)
            build(options)(to, done)
          },
          {
            policy: {
              allowedHosts: new Set(allowedHosts),
              ownPorts: () => new Set(),
              resolve: () => Promise.resolve(lookups[asked++] ?? []),
            },
            caPem: null,
            timeoutMs: 180_000,
          },
        ),
    })
    const request = {
      url: `http://flips.example:${endpoint.port}/`,
      headers: [],
      body: new Uint8Array(),
    }
    const results = []
    for (const _ of lookups) results.push(await sender.send(request))
    await sender.close()
    return {
      asked,
      connected,
      results: results.map(({ status, failure }) => failure?.kind ?? status),
    }
  }

  test('that switches between this computer and another gets requests only while it is this one', async () => {
    const { results, asked } = await sendTo([['127.0.0.1'], ['192.0.2.1'], ['127.0.0.1']])
    expect(results).toEqual([200, 'not-allowed', 200])
    // Resolved once per connection, and connected to exactly that address.
    expect(asked).toBe(3)
    expect(endpoint.requests).toHaveLength(2)
  })

  test('with addresses here and elsewhere is only connected to here', async () => {
    expect(await sendTo([['192.0.2.1', '127.0.0.1']])).toMatchObject({
      connected: ['127.0.0.1'],
      results: [200],
    })
    expect(await sendTo([['::1', '127.0.0.1']])).toMatchObject({ results: [200] })
  })

  test('that is allowed may be anywhere', async () => {
    expect(await sendTo([['127.0.0.1']], ['flips.example'])).toMatchObject({ results: [200] })
    expect(await sendTo([['0.0.0.0']], ['other.example'])).toMatchObject({
      results: ['not-allowed'],
    })
    expect(await sendTo([['0.0.0.0']], ['flips.example'])).toMatchObject({ results: [200] })
  })
})

test.each(['127.0.0.1', 'localhost', '0.0.0.0'])(
  'our own control port is never a target, as %s',
  async (host) => {
    const { port } = new URL(core.core.control?.url ?? '')
    const to = `http://${host}:${port}/`
    await expect(
      runReplay(core.client, { ids: [id], to, allowHosts: [host] }),
    ).rejects.toMatchObject({
      code: 'TARGET_NOT_ALLOWED',
      message: expect.stringContaining('belongs to Countersign'),
    })
  },
)

test("neither is the host's own port", async () => {
  core.core.blockPort(endpoint.port)
  const other = await startRawEndpoint()
  await expect(runReplay(core.client, { ids: [id], to: endpoint.origin })).rejects.toMatchObject({
    code: 'TARGET_NOT_ALLOWED',
  })
  expect((await runReplay(core.client, { ids: [id], to: other.origin })).sends).toMatchObject([
    { status: 200 },
  ])
  expect(endpoint.requests).toHaveLength(0)
  await other.close()
})
