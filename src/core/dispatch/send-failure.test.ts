import { createServer as createPlainServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTestTls, type TestTls } from '../../../test/support/tls.ts'
import { createGuard } from './guarded-sender.ts'
import { describeFailure } from './send-failure.ts'
import type { Sender } from './sender.ts'

const servers: Server[] = []
let sender: Sender
let tls: TestTls

async function portOf(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

beforeAll(async () => {
  tls = await makeTestTls()
  const clock = { now: () => Date.now(), monotonic: () => performance.now(), sleep: () => Promise.resolve() }
  const resolve = () => Promise.resolve([])
  const guard = createGuard({ clock, resolve, caPem: null, ownPorts: () => new Set() })
  sender = guard.createSender({ policy: guard.policyFor([]), targetCa: null, keepAlive: false })
})
afterAll(async () => {
  await sender.close()
  for (const server of servers) server.close()
})

function send(scheme: 'http' | 'https', port: number, body = '{"a":1}') {
  return sender.send({ url: `${scheme}://127.0.0.1:${port}/in`, headers: [], body: Buffer.from(body) })
}

test.each([
  ['CERT_HAS_EXPIRED', 'certificate has expired', /does not verify \(it has expired\)\. Renew it/],
  ['CERT_NOT_YET_VALID', 'certificate is not yet valid', /\(it is not valid yet\)\..*clock/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'Hostname/IP does not match', /\(it is of another name\)\. Make one for this name/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', /\(it is self-signed\)\. Give the authority/],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'unable to verify the first certificate',
    /\(no authority .* signed it\)\. Give the authority/,
  ],
  ['CERT_REVOKED', 'certificate revoked', /\(certificate revoked\)\./],
])('%s: what is the matter with a certificate and what mends it', (code, message, sentence) => {
  const failure = describeFailure(Object.assign(new Error(message), { code }), '127.0.0.1:9443')
  expect(failure).toMatchObject({ kind: 'certificate', message: expect.stringMatching(sentence) as unknown })
})

test('https to a port of plain HTTP: that, and what to write', async () => {
  const port = await portOf(createPlainServer((_, response) => response.end()))
  const { status, failure } = await send('https', port)
  expect([status, failure?.kind]).toEqual([null, 'tls'])
  expect(failure?.message).toMatch(/^127\.0\.0\.1:\d+ does not speak HTTPS: .* Write http:\/\/ in place of https:\/\//)
})

test('https to a port that hangs up in the handshake: nothing was sent, and it may be one of plain HTTP', async () => {
  const port = await portOf(createServer((socket) => socket.once('data', () => socket.destroy())))
  const { failure } = await send('https', port)
  expect(failure).toMatchObject({
    kind: 'tls',
    message: expect.stringMatching(/handshake.*: write http:\/\/ in place/) as unknown,
  })
})

test.each([
  ['a small body', 7],
  ['a large body', 3_000_000],
])('http to a port of HTTPS, %s: it hangs up, and what may be the matter is said', async (_, size) => {
  const port = await portOf(createSecureServer(tls.leaf, (__, response) => response.end()))
  const { status, failure } = await send('http', port, 'x'.repeat(size))
  expect([status, failure?.kind]).toEqual([null, 'dropped'])
  expect(failure?.message).toMatch(/closed the connection.* If that port speaks HTTPS: write https:\/\/ in place of http:\/\//)
})

test('http to a port of HTTPS that says so in an alert of TLS', async () => {
  const alert = Buffer.from([0x15, 3, 1, 0, 2, 2, 0x46])
  const port = await portOf(createServer((socket) => socket.once('data', () => socket.end(alert)).on('error', () => undefined)))
  const { failure } = await send('http', port)
  expect(failure).toMatchObject({
    kind: 'not-http',
    message: expect.stringMatching(/ speaks HTTPS, not plain HTTP\. Write https/) as unknown,
  })
})

test('a handler that hangs up after it has answered is not taken for one of the other scheme', async () => {
  let calls = 0
  const port = await portOf(
    createPlainServer((request, response) => {
      if (++calls === 1) response.end()
      else request.socket.destroy()
    }),
  )
  const [first, second] = [await send('http', port), await send('http', port)]
  expect(first.status).toBe(200)
  expect(second.failure?.message).toMatch(/before its answer was complete\.$/)
})
