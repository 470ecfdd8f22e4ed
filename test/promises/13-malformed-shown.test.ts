/** Promise 13: the receiver supports HTTP/1.1 only, and shows each malformed request once, with the reason. */
import { execFile } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { readFileSync } from 'node:fs'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Delivery } from '../../src/shared/model/delivery.ts'
import { createDeliverer } from '../support/deliver.ts'
import { connectPlain, connectRaw, type RawConnection } from '../support/raw-http.ts'
import { startTestReceiver, type TestReceiver } from '../support/test-receiver.ts'

/** Long enough for a second, wrong entry of the same connection to appear. */
const SETTLE_MS = 150

let receiver: TestReceiver
/** Entries from before the current test. */
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
async function entries(patienceMs = 30_000): Promise<Delivery[]> {
  const until = performance.now() + patienceMs
  while ((await fresh()).length === 0 && performance.now() < until) await delay(20)
  await delay(SETTLE_MS)
  return fresh()
}

/** Expects exactly one entry, marked malformed with a reason in a sentence. */
async function expectOne(reason: RegExp, patienceMs?: number): Promise<Delivery> {
  const all = await entries(patienceMs)
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
    const child = execFile(program, args, { timeout: 10_000 }, (error, stdout, stderr) => {
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
    receiver = await startTestReceiver()
  })

  const HEAD = 'POST /h/a HTTP/1.1\r\nHost: a\r\n'

  test.each([
    ['headers over 64 KiB', `${HEAD}X-Large: ${'a'.repeat(70_000)}\r\n\r\n`, 431, /64 KiB/],
    ['an unknown version', 'POST /h/a HTTP/0.8\r\nHost: a\r\n\r\n', 400, /version/],
    ['a URL with a space', 'GET https://unfinished/ foo HTTP/1.1\r\n\r\n', 400, /request line/],
    ['garbage instead of HTTP', '\x01\x02\x03garbage\r\n\r\n', 400, /HTTP method/],
    [
      'TLS inside HTTPS',
      '\x16\x03\x01garbage\r\n\r\n',
      400,
      /^TLS handshake inside an HTTPS connection\./,
    ],
    [
      'the preface of HTTP/2',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
      400,
      /HTTP\/2/,
    ],
  ] as const)('%s', async (_name, bytes, status, reason) => {
    const connection = await secure()
    connection.write(bytes)
    expect(await connection.status()).toBe(status)
    const entry = await expectOne(reason)
    expect(entry).toMatchObject({
      method: null,
      path: null,
      verdict: 'unsigned',
      answer: { status },
    })
    expect(entry.bodySize).toBeGreaterThan(0)
    await connection.closed
  })

  test('a request line with HTTP/2.0 is malformed, and its headers and body are kept', async () => {
    const connection = await secure()
    connection.write('POST /h/a HTTP/2.0\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi')
    expect(await connection.status()).toBe(400)
    const entry = await expectOne(/says HTTP\/2\.0; the receiver supports HTTP\/1\.1/)
    expect(entry).toMatchObject({
      method: 'POST',
      path: '/h/a',
      httpVersion: '2.0',
      bodySize: 2,
      answer: { status: 400 },
    })
    await connection.closed
  })

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

  test('incomplete headers, then the end of the connection', async () => {
    const connection = await secure()
    connection.write('POST /h/a HTTP/1.1\r\nHos')
    await delay(50)
    connection.socket.end()
    await expectOne(/closed in the middle/)
  })

  test('incomplete headers, then a reset', async () => {
    const connection = await plain(receiver.httpUrl)
    connection.write('POST /h/a HTTP/1.1\r\nHos')
    await delay(50)
    connection.socket.resetAndDestroy()
    await expectOne(/reset in the middle/)
  })

  test('an incomplete body, then the end of the connection', async () => {
    const connection = await secure()
    connection.write(`${HEAD}Content-Length: 20\r\n\r\nhello`)
    await delay(50)
    connection.socket.end()
    const entry = await expectOne(/stopped after 5 bytes \(20 bytes were announced\)/)
    expect(entry).toMatchObject({
      method: 'POST',
      path: '/h/a',
      bodySize: 5,
      answer: { status: null },
    })
    expect(entry.headers).toEqual([
      ['Host', 'a'],
      ['Content-Length', '20'],
    ])
  })

  test('an incomplete body, then a reset', async () => {
    const connection = await plain(receiver.httpUrl)
    connection.write(`${HEAD}Content-Length: 20\r\n\r\nhello`)
    await delay(50)
    connection.socket.resetAndDestroy()
    expect(await expectOne(/stopped after 5 bytes/)).toMatchObject({
      method: 'POST',
      bodySize: 5,
      answer: { status: null },
    })
  })

  test('a body with broken chunks is one entry with its headers, and gets a 400', async () => {
    const connection = await secure()
    connection.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n`)
    expect(await connection.status()).toBe(400)
    expect(await expectOne(/length of a body chunk/)).toMatchObject({
      path: '/h/a',
      bodySize: 3,
      answer: { status: 400 },
    })
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
    const socket = await new Promise<TLSSocket>((resolve, reject) => {
      const connecting = connectTls(
        {
          host: '127.0.0.1',
          port: Number(new URL(receiver.url).port),
          ca: readFileSync(receiver.caFile),
          ALPNProtocols: ['h2', 'http/1.1'],
        },
        () => {
          resolve(connecting)
        },
      )
      connecting.once('error', reject)
    })
    expect(socket.alpnProtocol).toBe('http/1.1')
    // The receiver's half of the handshake ends here, so leaving now breaks it off.
    await delay(SETTLE_MS)
    socket.destroy()
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
    receiver = await startTestReceiver({ limits: { headersTimeoutMs: 400, requestTimeoutMs: 900 } })
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

describe('500 stalled connections', () => {
  beforeAll(async () => {
    receiver = await startTestReceiver()
  })

  test("don't delay a good delivery", async () => {
    const memoryBefore = process.memoryUsage().rss
    for (let count = 0; count < 250; count++) {
      const connection = await secure()
      // Half of them in the headers, half in the body.
      connection.write(
        count % 2 === 0
          ? 'POST /stalled HTTP/1.1\r\nHos'
          : 'POST /stalled HTTP/1.1\r\nContent-Length: 9\r\n\r\nab',
      )
    }
    for (let count = 0; count < 250; count++) {
      const connection = await plain(receiver.httpUrl)
      if (count % 2 === 0) connection.write('POST /stalled HT')
    }
    const deliverer = createDeliverer(receiver.caFile, 4)
    const times: number[] = []
    const sender = async () => {
      for (let count = 0; count < 100; count++) {
        const startedAt = performance.now()
        const { status } = await deliverer.send(`${receiver.url}/good`, {
          body: '{"good":true}',
          headers: [],
        })
        times.push(performance.now() - startedAt)
        expect(status).toBe(200)
      }
    }
    await Promise.all([sender(), sender(), sender(), sender()])
    deliverer.close()
    const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]
    // The limit is 100 ms, or five times that on a shared machine.
    expect(p99).toBeLessThan(500)
    // Clients and receiver share this process, but the limit of 64 MiB is for the receiver's half.
    expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(2 * 64 * 1_048_576)
  })
})
