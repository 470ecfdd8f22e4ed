import { createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { listen } from '../../../../test/support/listen.ts'
import { times } from '../../../../test/support/long-form.ts'
import {
  startEndpoint,
  type Endpoint,
  type EndpointAnswer,
} from '../../../../test/support/https-endpoint.ts'
import { makeTestTls, type TestTls } from '../../../../test/support/tls.ts'
import { createSender, type Sender, trustedAuthorities } from './sender.ts'

let tls: TestTls
let sender: Sender
const open: Endpoint[] = []

beforeAll(async () => {
  tls = await makeTestTls()
  sender = createSender({
    authorities: trustedAuthorities([tls.caPem]),
    monotonic: () => performance.now(),
    answerLimit: 1_000,
  })
})
afterEach(async () => {
  for (const endpoint of open.splice(0)) await endpoint.close()
})
afterAll(async () => {
  await sender.close()
})

async function endpoint(answer: EndpointAnswer): Promise<Endpoint> {
  const started = await startEndpoint(tls.leaf, () => answer)
  open.push(started)
  return started
}

function post(
  origin: string,
  rest: { path?: string; timeoutMs?: number; signal?: AbortSignal } = {},
) {
  return sender.send({
    url: `${origin}${rest.path ?? '/in'}`,
    headers: [
      ['X-One', 'a'],
      ['x-one', 'b'],
      ['X-Latin', 'caf\u00e9'],
    ],
    body: Buffer.from('{"a":1}'),
    ...(rest.timeoutMs === undefined ? {} : { timeoutMs: rest.timeoutMs }),
    ...(rest.signal === undefined ? {} : { signal: rest.signal }),
  })
}

test('a response after the limit is a timeout', async () => {
  const { origin } = await endpoint('hang')
  const result = await post(origin, { timeoutMs: 150 })
  expect(result).toMatchObject({ status: null, failure: { kind: 'timeout' } })
  expect(result.ms).toBeGreaterThanOrEqual(140)
})

test("a response that starts in time but doesn't end in time is a timeout too", async () => {
  const { origin } = await endpoint((_, response) => {
    response.writeHead(200)
    response.write('a')
  })
  const result = await post(origin, { timeoutMs: 3_000 })
  expect(result).toMatchObject({ status: 200, failure: { kind: 'timeout' } })
})

test('a host that accepts the connection and says nothing is a timeout: connecting counts', async () => {
  const silent = createServer(() => {})
  const port = await listen(silent)
  const result = await post(`https://127.0.0.1:${port}`, {
    timeoutMs: 150,
  })
  expect(result).toMatchObject({ status: null, failure: { kind: 'timeout' } })
  expect(result.failure?.message).toContain("the TLS handshake didn't finish")
  silent.close()
})

test('the limit is shown to a tenth of a second, whatever was left of it', async () => {
  const { origin } = await endpoint('hang')
  const result = await post(origin, { timeoutMs: 198.98478 })
  // On a busy machine the limit passes during the TLS handshake, which has another message.
  expect(result.failure?.message).toContain('within 0.2 s')
})

/** Sends to a server that responds with these pieces, one after the other was flushed. */
async function postTo(pieces: readonly string[]) {
  const server = createServer((socket) => {
    socket.on('error', () => {}).setNoDelay(true)
    socket.once('data', () => {
      void (async () => {
        for (const piece of pieces) {
          await new Promise((resolve) => socket.write(piece, resolve))
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
        socket.end()
      })()
    })
  })
  const port = await listen(server)
  const result = await post(`http://127.0.0.1:${port}`)
  server.close()
  return result
}

test("an upgrade that wasn't asked for is named", async () => {
  const { failure } = await postTo([
    'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
  ])
  expect(failure?.kind).toBe('not-http')
  expect(failure?.message).toContain('101 Switching Protocols')
})

const INTERIM = 'HTTP/1.1 100 Continue\r\n\r\n'
const FINAL = `HTTP/1.1 200 OK\r\nContent-Length: ${INTERIM.length}\r\n\r\n${INTERIM}`

test.each([
  ['in one piece', [INTERIM + FINAL]],
  ['alone', [INTERIM, FINAL]],
  ['twice, with a header', [`${INTERIM}HTTP/1.1 100 Go on\r\nServer: x\r\n\r\n${FINAL}`]],
  ['after another interim response', [`HTTP/1.1 103 Early Hints\r\n\r\n`, INTERIM, FINAL]],
  ['in pieces of three bytes', (INTERIM + FINAL).match(/[^]{1,3}/g) ?? []],
  ['never', [FINAL]],
])('a 100 before the final response is skipped: %s', async (_, pieces) => {
  const { status, failure, body } = await postTo(pieces)
  expect([failure, status, Buffer.from(body).toString()]).toEqual([null, 200, INTERIM])
})

test('a long response to a request that is still being sent arrives whole', async () => {
  const text = 'x'.repeat(900)
  const server = createServer((socket) => {
    socket
      .on('error', () => {})
      .once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${400 * text.length}\r\n\r\n`)
        socket.on('data', () => socket.write(text))
      })
  })
  const port = await listen(server)
  onTestFinished(() => void server.close())
  async function* pieces() {
    for (let index = 0; index < 400; index++) {
      yield Buffer.from('a')
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const result = await sender.send({
    url: `http://127.0.0.1:${port}/in`,
    headers: [['content-length', '400']],
    body: pieces(),
    answerLimit: 100_000,
  })
  expect(result).toMatchObject({ status: 200, failure: null, truncated: true })
})

/**
 * Starts a handler that sends `piece` again and again until the connection is closed, and how many
 * bytes it wrote.
 */
async function flooding(head: string, piece: string) {
  const written = { bytes: 0 }
  const server = createServer((socket) => {
    const flood = () => {
      const next = written.bytes === 0 ? head + piece : piece
      written.bytes += next.length
      socket.write(next, (error) => error ?? flood())
    }
    socket.on('error', () => {}).once('data', flood)
  })
  const port = await listen(server)
  onTestFinished(() => void server.close())
  return { origin: `http://127.0.0.1:${port}`, written }
}

test.each([
  ['interim responses', '', INTERIM.repeat(1_000), /more than 16 interim responses/],
  ['a status line', 'HTTP/1.1 200 ', 'x'.repeat(25_000), /headers, the limit/],
  ['lines without a header', 'HTTP/1.1 200 OK\r\n', 'a:\r\n'.repeat(6_000), /headers, the limit/],
])(
  'sending ends soon if a handler floods %s, and names the flood',
  async (_, head, piece, message) => {
    for (let index = 0; index < times(3, 300); index++) {
      const { origin, written } = await flooding(head, piece)
      const { status, failure } = await post(origin, { timeoutMs: 20_000 })
      expect([status, failure?.kind]).toEqual([null, 'not-http'])
      expect(failure?.message).toMatch(message)
      // What the system itself keeps of an unread connection is a few megabytes.
      expect(written.bytes).toBeLessThan(16 * 1_048_576)
    }
  },
)

test('a connection that closes after a 100 had no response', async () => {
  expect(await postTo([INTERIM])).toMatchObject({ status: null, failure: { kind: 'dropped' } })
})

test('an invalid URL and an invalid header are failures, not exceptions', async () => {
  expect((await post('no url')).status).toBeNull()
  const result = await sender.send({
    url: 'https://127.0.0.1:9/',
    headers: [['x', 'a\nb']],
    body: Buffer.alloc(0),
  })
  expect(result).toMatchObject({ status: null, failure: { kind: 'other' } })
})

test('a response above the limit is truncated, and not waited for', async () => {
  const { origin } = await endpoint((_, response) => {
    response.writeHead(200)
    response.write('x'.repeat(5_000))
  })
  const result = await post(origin, { timeoutMs: 30_000 })
  expect(result).toMatchObject({ status: 200, failure: null, truncated: true })
  expect(result.body).toHaveLength(1_000)
  expect(result.ms).toBeLessThan(20_000)
})

test('a compressed response is kept as received', async () => {
  const bytes = gzipSync('hello')
  const { origin } = await endpoint((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes)
  })
  expect(Buffer.from((await post(origin)).body).equals(bytes)).toBe(true)
})

test('a request can be cancelled', async () => {
  const { origin, received } = await endpoint('hang')
  const stop = new AbortController()
  const sent = post(origin, { signal: stop.signal })
  await received(1)
  stop.abort()
  expect(await sent).toMatchObject({ status: null, failure: { kind: 'cancelled' } })
})
