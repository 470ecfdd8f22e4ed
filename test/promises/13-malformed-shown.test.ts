/**
 * Promise 13: the receiver supports HTTP/1.1 only, and shows each malformed request once, with the
 * reason.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { readFileSync } from 'node:fs'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Registry } from '../../src/core/hooks/registry.ts'
import { createArrivals, createOwnSends } from '../../src/core/outgoing/own-sends.ts'
import { createEventHub } from '../../src/core/base/event-hub.ts'
import { openIdentity } from '../../src/core/receiver/identity.ts'
import { Intake } from '../../src/core/receiver/intake.ts'
import { createProbes } from '../../src/core/receiver/probes.ts'
import { DEFAULT_LIMITS, type ReceiverLimits } from '../../src/core/receiver/receiver-limits.ts'
import { startReceiver } from '../../src/core/receiver/server.ts'
import type { Delivery } from '../../src/shared/model/delivery.ts'
import { EVERYTHING } from '../../src/shared/query/query.ts'
import { createDeliverer } from '../support/deliver.ts'
import { connectPlain, connectRaw, type RawConnection } from '../support/raw-http.ts'
import { storeInFolder } from '../support/in-folder.ts'
import { closeAtEnd, temporaryFolder } from '../support/temporary-folder.ts'
import { testDeps } from '../support/test-core.ts'

/** Long enough for a second, wrong entry of the same connection to appear. */
const SETTLE_MS = 150

/** Opens the receiver with only its store, other limits, and the log of bugs. */
async function openReceiver(limits: Partial<ReceiverLimits> = {}) {
  const folder = temporaryFolder()
  const { clock, ids, log, randomBytes, bugs } = testDeps(folder)
  const identity = await openIdentity({ dataFolder: folder, clock, log, randomBytes })
  closeAtEnd(identity.close)
  const store = await storeInFolder(folder, { log })
  const registry = new Registry()
  const { take } = new Intake({
    registry,
    store,
    hub: createEventHub(),
    ids,
    log,
    ownSends: createOwnSends(clock),
    arrivals: createArrivals(),
    probes: createProbes(randomBytes),
    answerer: () => null,
    isPaused: () => false,
    flowRunOf: () => null,
  })
  const { close, port, httpPort } = await startReceiver({
    ...{ identity, clock, log, take },
    judgeStream: registry.judgeStream,
    limits: { ...DEFAULT_LIMITS, ...limits },
    host: '127.0.0.1',
    port: 0,
    httpPort: 0,
  })
  closeAtEnd(close)
  return {
    url: `https://127.0.0.1:${port}`,
    httpUrl: `http://127.0.0.1:${httpPort}`,
    caFile: identity.caFile,
    bugs,
    /** All deliveries, oldest first. */
    async deliveries(): Promise<Delivery[]> {
      await store.settled()
      const seqs = await store.search.find(EVERYTHING, {})
      return (await store.read('deliveriesBySeq', seqs)).toReversed()
    },
  }
}

let receiver: Awaited<ReturnType<typeof openReceiver>>
let before: readonly string[] = []
const open: RawConnection[] = []

async function secure(): Promise<RawConnection> {
  const connection = await connectRaw(receiver.url, receiver.caFile)
  open.push(connection)
  return connection
}

async function plain(url: string): Promise<RawConnection> {
  const connection = await connectPlain(url)
  open.push(connection)
  return connection
}

async function fresh(): Promise<Delivery[]> {
  return (await receiver.deliveries()).filter(({ id }) => !before.includes(id))
}

/** Waits for at least one entry, then until no more follow. */
async function entries(): Promise<Delivery[]> {
  while ((await fresh()).length === 0) await delay(20)
  await delay(SETTLE_MS)
  return fresh()
}

/** Expects exactly one entry, marked malformed with a reason in a sentence. */
async function expectOne(reason: RegExp): Promise<Delivery> {
  const all = await entries()
  expect(all.map(({ malformed }) => malformed?.reason)).toEqual([expect.stringMatching(reason)])
  expect(all[0]?.malformed?.reason).toMatch(/^[A-Z].*[.)]$/)
  return all[0]!
}

function run(
  program: string,
  args: readonly string[],
  input = '',
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(program, args, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr })
    })
    child.stdin?.end(input)
  })
}

beforeEach(async () => {
  before = (await receiver.deliveries()).map(({ id }) => id)
})
afterEach(async () => {
  for (const { socket, closed } of open.splice(0)) {
    socket.destroy()
    await closed
  }
  expect(receiver.bugs).toEqual([])
})

describe('a client error is a single visible entry', () => {
  beforeAll(async () => {
    receiver = await openReceiver()
  })

  const HEAD = 'POST /h/a HTTP/1.1\r\nHost: a\r\n'

  test('headers over 64 KiB that keep arriving still get the full 431', async () => {
    const connection = await secure()
    connection.write(HEAD)
    for (let index = 0; index < 200; index++) {
      connection.write(`X-Large-${index}: ${'a'.repeat(4_000)}\r\n`)
      await delay(1)
    }
    connection.write('\r\n')
    await connection.closed
    expect(connection.received()).toMatch(/^HTTP\/1\.1 431 [^]*\r\n\r\n$/)
    expect(await expectOne(/64 KiB/)).toMatchObject({ answer: { status: 431 } })
  })

  const BEGUN = `${HEAD}Content-Length: 20\r\n\r\nhello`
  const received = { method: 'POST', path: '/h/a', bodySize: 5, answer: { status: null } }
  const given = {
    headers: [
      ['Host', 'a'],
      ['Content-Length', '20'],
    ],
  }
  const announced = /stopped after 5 bytes \(20 bytes were announced\)/

  test.each([
    ['headers, then the end of the connection', 'end', HEAD.slice(0, 22), /closed in the/, {}],
    ['headers, then a reset', 'reset', HEAD.slice(0, 22), /reset in the middle/, {}],
    ['body, then the end of the connection', 'end', BEGUN, announced, { ...received, ...given }],
    ['body, then a reset', 'reset', BEGUN, /stopped after 5 bytes/, received],
  ] as const)('incomplete %s', async (_name, ending, bytes, reason, entry) => {
    const connection = ending === 'end' ? await secure() : await plain(receiver.httpUrl)
    connection.write(bytes)
    await delay(50)
    if (ending === 'end') connection.socket.end()
    else connection.socket.resetAndDestroy()
    expect(await expectOne(reason)).toMatchObject(entry)
  })

  test("garbage after a good request doesn't affect the good request's response", async () => {
    const connection = await secure()
    connection.write(`${HEAD}Content-Length: 2\r\n\r\nhigarbage\r\n\r\n`)
    expect(await connection.status()).toBe(200)
    const all = await entries()
    expect(all.map(({ malformed }) => malformed === null)).toEqual(
      expect.arrayContaining([false, true]),
    )
    expect(all).toHaveLength(2)
    expect(all.find(({ malformed }) => malformed === null)).toMatchObject({
      path: '/h/a',
      bodySize: 2,
      answer: { status: 200 },
    })
    expect(connection.received()).toMatch(/^HTTP\/1\.1 200 .*HTTP\/1\.1 400 /s)
  })

  test('plain HTTP on the HTTPS port', async () => {
    const connection = await plain(receiver.url)
    connection.write(`${HEAD}\r\n`)
    expect(await expectOne(/Plain HTTP was sent to the HTTPS port/)).toMatchObject({
      answer: { status: null },
    })
    await connection.closed
  })

  test('TLS on the HTTP port', async () => {
    const connection = await plain(receiver.httpUrl)
    connection.write(Buffer.from([0x16, 3, 1, 2, 0, 1]))
    expect(await expectOne(/^TLS handshake on the HTTP port\./)).toMatchObject({
      answer: { status: 400 },
    })
    await connection.closed
  })

  test("a sender that doesn't trust the certificate: openssl", async () => {
    const { port } = new URL(receiver.url)
    await run('openssl', [
      's_client',
      '-connect',
      `127.0.0.1:${port}`,
      '-verify_return_error',
      '-quiet',
    ])
    await expectOne(/doesn't trust the certificate/)
  })

  test("a sender that doesn't trust the certificate: Node", async () => {
    const refused = new Promise<Error>((resolve) => {
      connectTls({ host: '127.0.0.1', port: Number(new URL(receiver.url).port) }).once(
        'error',
        resolve,
      )
    })
    expect((await refused).message).toMatch(/certificate/)
    await expectOne(/doesn't trust the certificate/)
  })

  test('a sender that only speaks HTTP/2', async () => {
    const { port } = new URL(receiver.url)
    await run('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, '-alpn', 'h2'])
    await expectOne(/the receiver supports HTTP\/1\.1/)
  })

  test('HTTP/2 is never negotiated, whatever else is offered', async () => {
    const socket = connectTls({
      host: '127.0.0.1',
      port: Number(new URL(receiver.url).port),
      ca: readFileSync(receiver.caFile),
      ALPNProtocols: ['h2', 'http/1.1'],
    })
    // The ticket shows that the receiver's half of the handshake has ended too: leaving earlier
    // breaks it off.
    await Promise.all([once(socket, 'secureConnect'), once(socket, 'session')])
    expect(socket.alpnProtocol).toBe('http/1.1')
    socket.destroy()
    await delay(SETTLE_MS)
    expect(await fresh()).toEqual([])
  })

  test('HTTP/1.0 is accepted if nothing else is offered', async () => {
    const { port } = new URL(receiver.url)
    const ca = readFileSync(receiver.caFile)
    const socket = connectTls({
      host: '127.0.0.1',
      port: Number(port),
      ca,
      ALPNProtocols: ['http/1.0'],
    })
    socket.write('POST /old HTTP/1.0\r\nContent-Length: 1\r\n\r\nx')
    // The response ends with the connection.
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /)
    expect(socket.alpnProtocol).toBe('http/1.0')
    expect((await fresh()).map(({ path, malformed }) => ({ path, malformed }))).toEqual([
      { path: '/old', malformed: null },
    ])
  })

  test('a silent connection, or one that ends between two requests, gives no entry', async () => {
    const { caFile, url, httpUrl } = receiver
    const silent = [await secure(), await plain(url), await plain(httpUrl)]
    await delay(SETTLE_MS)
    for (const { socket } of silent.slice(0, 2)) socket.end()
    silent[2]?.socket.resetAndDestroy()
    const deliverer = createDeliverer(caFile)
    expect((await deliverer.send(`${url}/kept-alive`, { body: 'x', headers: [] })).status).toBe(200)
    deliverer.close()
    const alive = await plain(httpUrl)
    alive.write(`${HEAD}Content-Length: 0\r\n\r\n`)
    expect(await alive.status()).toBe(200)
    alive.socket.resetAndDestroy()
    await delay(SETTLE_MS)
    expect((await entries()).map(({ path, malformed }) => ({ path, malformed }))).toEqual([
      { path: '/kept-alive', malformed: null },
      { path: '/h/a', malformed: null },
    ])
  })
})

describe('a sender that is too slow', () => {
  beforeAll(async () => {
    receiver = await openReceiver({ headersTimeoutMs: 1_000, requestTimeoutMs: 2_000 })
  })

  test('with its headers gets a 408, in one entry', async () => {
    const connection = await secure()
    connection.write('POST /h/a HTTP/1.1\r\nHos')
    expect(await connection.status()).toBe(408)
    expect(await expectOne(/didn't arrive completely in time/)).toMatchObject({
      answer: { status: 408 },
    })
    await connection.closed
  })

  test('with its body gets a 408, in one entry with its headers and the received part', async () => {
    const connection = await secure()
    connection.write('POST /h/a HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\nhel')
    expect(await connection.status()).toBe(408)
    expect(await expectOne(/didn't arrive completely in time/)).toMatchObject({
      path: '/h/a',
      bodySize: 3,
      answer: { status: 408 },
    })
    await connection.closed
  })

  test('with its handshake is one entry', async () => {
    const connection = await plain(receiver.url)
    connection.write(Buffer.from([0x16, 3, 1, 2, 0, 1]))
    await expectOne(/handshake wasn't completed/)
    await connection.closed
  })

  test('and sends nothing is disconnected, without an entry', async () => {
    const connections = [await secure(), await plain(receiver.url), await plain(receiver.httpUrl)]
    await Promise.all(connections.map(({ closed }) => closed))
    await delay(SETTLE_MS)
    expect(await fresh()).toEqual([])
  })
})
