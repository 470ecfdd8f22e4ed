import { createServer as createPlainServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen } from '../../../../test/support/listen.ts'
import { makeTestTls, type TestTls } from '../../../../test/support/tls.ts'
import type { Sender } from './sender.ts'
import type { SendRequest } from './send-request.ts'
import { createGuard } from './guarded-sender.ts'
import { describeFailure } from './send-failure.ts'

const servers: Server[] = []
let sender: Sender
let tls: TestTls

async function portOf(server: Server): Promise<number> {
  servers.push(server)
  return listen(server)
}

beforeAll(async () => {
  tls = await makeTestTls()
  const clock = {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep: () => Promise.resolve(),
  }
  const resolve = () => Promise.resolve([])
  const guard = createGuard({ clock, resolve, caPem: null, ownPorts: () => new Set() })
  sender = guard.createSender({ policy: guard.policyFor([]), targetCa: null, keepAlive: false })
})
afterAll(async () => {
  await sender.close()
  for (const server of servers) server.close()
})

function send(scheme: 'http' | 'https', port: number, body = '{"a":1}') {
  return sender.send({
    url: `${scheme}://127.0.0.1:${port}/in`,
    headers: [],
    body: Buffer.from(body),
  })
}

test.each([
  [
    'CERT_HAS_EXPIRED',
    'certificate has expired',
    /isn't valid \(expired\)\. Renew the certificate/,
  ],
  ['CERT_NOT_YET_VALID', 'certificate is not yet valid', /\(not valid yet\)\..*clock/],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'Hostname/IP does not match',
    /\(issued for another name\)\. Create a certificate for this name/,
  ],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', /\(self-signed\)\. Use a certificate/],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'unable to verify the first certificate',
    /\(signed by an unknown CA\)\. Use a certificate/,
  ],
  ['CERT_REVOKED', 'certificate revoked', /\(certificate revoked\)\./],
])('%s: explains the certificate problem and the fix', (code, message, sentence) => {
  const failure = describeFailure(Object.assign(new Error(message), { code }), '127.0.0.1:9443')
  expect(failure).toMatchObject({
    kind: 'certificate',
    message: expect.stringMatching(sentence),
  })
})

test('https to a plain HTTP port is recognized, with a fix', async () => {
  const port = await portOf(createPlainServer((_, response) => response.end()))
  const { status, failure } = await send('https', port)
  expect([status, failure?.kind]).toEqual([null, 'tls'])
  expect(failure?.message).toMatch(
    /^127\.0\.0\.1:\d+ doesn't speak HTTPS\. .* Use http:\/\/ instead of https:\/\//,
  )
})

test('https to a port that closes during the handshake: nothing was sent, and it may be plain HTTP', async () => {
  const port = await portOf(createServer((socket) => socket.once('data', () => socket.destroy())))
  const { failure } = await send('https', port)
  expect(failure).toMatchObject({
    kind: 'tls',
    message: expect.stringMatching(/handshake.*: use http:\/\/ instead/),
  })
})

test.each([
  ['a small body', 7],
  ['a large body', 3_000_000],
])(
  'http to an HTTPS port, %s: the connection closes, and the message suggests why',
  async (_, size) => {
    const port = await portOf(createSecureServer(tls.leaf, (__, response) => response.end()))
    const { status, failure } = await send('http', port, 'x'.repeat(size))
    expect([status, failure?.kind]).toEqual([null, 'dropped'])
    expect(failure?.message).toMatch(
      /closed the connection.* If the port speaks HTTPS: use https:\/\/ instead of http:\/\//,
    )
  },
)

test('http to an HTTPS port that sends a TLS alert', async () => {
  const alert = Buffer.from([0x15, 3, 1, 0, 2, 2, 0x46])
  const port = await portOf(
    createServer((socket) =>
      socket.once('data', () => socket.end(alert)).on('error', () => undefined),
    ),
  )
  const { failure } = await send('http', port)
  expect(failure).toMatchObject({
    kind: 'not-http',
    message: expect.stringMatching(/ speaks HTTPS, not plain HTTP\. Use https/),
  })
})

/** Responds with these bytes and keeps the connection open. */
async function answering(text: string): Promise<number> {
  return portOf(
    createServer((socket) =>
      socket.on('error', () => undefined).once('data', () => socket.write(text)),
    ),
  )
}

test.each([
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 5\r\n\r\nabc'],
  [
    'a length and chunks',
    'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
  [
    'an invalid header after the length',
    'HTTP/1.1 200 OK\r\ncontent-length: 3\r\nb@d name: 5\r\n\r\nabc',
  ],
])('%s: reported as invalid headers, not as a closed connection', async (_, text) => {
  const { status, failure } = await send('http', await answering(text))
  expect([status, failure?.kind]).toEqual([null, 'not-http'])
  expect(failure?.message).toMatch(
    /aren't valid HTTP\/1\.1: .*Content-Length.* Send one Content-Length/,
  )
  expect(failure?.message).not.toMatch(/closed|HTTPS/)
})

test.each(['099', '000'])(
  'the status %s is reported as invalid, with the valid range',
  async (code) => {
    const { status, failure } = await send(
      'http',
      await answering(`HTTP/1.1 ${code} Odd\r\ncontent-length: 0\r\n\r\n`),
    )
    expect([status, failure?.kind]).toEqual([null, 'not-http'])
    expect(failure?.message).toMatch(
      new RegExp(`returned ${code}, which isn't an HTTP status\\. Return one from 200 to 599`),
    )
  },
)

test('headers above the limit: reported with the limit and a fix', async () => {
  const { failure } = await send(
    'http',
    await answering(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(200_000)}\r\n\r\n`),
  )
  expect(failure?.kind).toBe('not-http')
  expect(failure?.message).toMatch(/more than 16 KiB of headers, the limit\. Send fewer/)
})

test.each<[string, Partial<SendRequest>]>([
  ['a method', { method: 'A B' }],
  ['a header', { headers: [['b d', 'x']] }],
])("%s that can't be sent: nothing was sent, and what to correct", async (_, wrong) => {
  const { failure } = await sender.send({
    url: 'http://127.0.0.1:9/in',
    headers: [],
    body: Buffer.from('{}'),
    ...wrong,
  })
  expect(failure?.message).toMatch(
    /^Nothing was sent to 127\.0\.0\.1:9: .*\(invalid .*\)\. Correct its method, path or headers\.$/,
  )
})

test.each([
  ['EHOSTUNREACH', /^No route to 10\.0\.0\.1:80 .*\. Check the host/],
  ['ETIMEDOUT', /timed out\. Check the host/],
  ['HPE_INVALID_CONSTANT', /isn't HTTP\/1\.1 .*\. Check the port/],
  ['EMFILE', /^The request to 10\.0\.0\.1:80 failed: it went wrong\. Try again/],
])('%s: what to do next', (code, sentence) => {
  expect(
    describeFailure(Object.assign(new Error('it went wrong'), { code }), '10.0.0.1:80').message,
  ).toMatch(sentence)
})

test("a handler that hangs up after an earlier response isn't mistaken for the wrong scheme", async () => {
  let calls = 0
  const port = await portOf(
    createPlainServer((request, response) => {
      if (++calls === 1) response.end()
      else request.socket.destroy()
    }),
  )
  const [first, second] = [await send('http', port), await send('http', port)]
  expect(first.status).toBe(200)
  expect(second.failure?.message).toMatch(/before its response was complete\. Check its log\.$/)
})
