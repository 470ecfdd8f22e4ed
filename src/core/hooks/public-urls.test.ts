import { createServer, type Server, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen } from '../../../test/support/listen.ts'
import { makeTestTls, type TestTls } from '../../../test/support/tls.ts'
import { findCertificateProblem } from '../outgoing/wire/certificate-check.ts'
import { isNotPublic } from '../service-api/public-addresses.ts'
import { checkReachability, readPublicAddress } from './public-urls.ts'

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  'fd00::1',
  'fe80::1',
  'ff02::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
])('%s is not a public address', (address) => {
  expect(isNotPublic(address)).toBe(true)
})

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '172.15.0.1',
  '172.32.0.1',
  '192.167.1.1',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
  'localhost',
])('%s may be a public address', (address) => {
  expect(isNotPublic(address)).toBe(false)
})

const asked: string[] = []
const deps = {
  findCertificateProblem: (url: string) => {
    asked.push(url)
    return Promise.resolve(url.includes('expired') ? 'The certificate has expired.' : null)
  },
  addressesOf: (host: string) => {
    if (host === 'nowhere.example') return Promise.reject(new Error('ENOTFOUND'))
    return Promise.resolve(
      host === 'inside.example' ? ['93.184.215.14', '10.0.0.7'] : ['93.184.215.14'],
    )
  },
}

test.each([
  ['https://hooks.example/in', []],
  ['https://93.184.215.14/in', []],
  ['https://expired.example/in', ['url-certificate']],
  ['https://inside.example/in', ['url-not-public']],
  ['https://127.0.0.1:4783/in', ['url-not-public']],
  ['https://[::1]/in', ['url-not-public']],
  ['https://nowhere.example/in', ['url-unknown-host']],
  ['no url', []],
])('%s: %j', async (url, rules) => {
  const warnings = await checkReachability(url, deps)
  expect(warnings.map(({ rule }) => rule)).toEqual(rules)
  for (const { field, section, message } of warnings) {
    expect([field, section]).toEqual(['url', '2.1'])
    expect(message).toMatch(/^[A-Z\d[]?.+\.$/i)
  }
})

test('no connection is made if the address is enough to decide', async () => {
  asked.length = 0
  await checkReachability('https://127.0.0.1:1/', deps)
  await checkReachability('https://nowhere.example/', deps)
  expect(asked).toEqual([])
})

let tls: TestTls
let server: Server
let origin: string
const heard: Buffer[] = []

beforeAll(async () => {
  tls = await makeTestTls()
  server = createServer(tls.leaf, (socket: TLSSocket) => {
    socket.on('data', (chunk: Buffer) => heard.push(chunk))
    socket.on('error', () => undefined)
  })
  server.on('tlsClientError', () => undefined)
  const port = await listen(server)
  origin = `https://127.0.0.1:${port}`
})
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve))
})

test('the certificate is checked without a request', async () => {
  expect(await findCertificateProblem(`${origin}/hook`, [tls.caPem])).toBeNull()
  expect(await findCertificateProblem(`${origin}/hook`, [])).toContain("isn't valid")
  expect(heard).toEqual([])
})

test("an endpoint that doesn't respond gives no certificate warning", async () => {
  expect(await findCertificateProblem('https://127.0.0.1:9/', [])).toBeNull()
  expect(await findCertificateProblem('no url', [])).toBeNull()
})

test.each([
  ['https://quiet-lake.tunnel.example', 'https://quiet-lake.tunnel.example'],
  ['https://quiet-lake.tunnel.example//', 'https://quiet-lake.tunnel.example'],
  ['https://Proxy.example:8443/to/me/', 'https://Proxy.example:8443/to/me'],
])('%s is stored as %s', (given, address) => {
  expect(readPublicAddress(given)).toBe(address)
})

test.each([
  ['quiet-lake.tunnel.example', /isn't a valid URL/],
  ['http://quiet-lake.tunnel.example', /only calls HTTPS.*http:\/\//],
  ['https://me:key@x.example', /user name before the host/],
  ['https://x.example/in?a=1', /query or fragment/],
  ['https://x.example/#top', /query or fragment/],
])('%s is rejected with a reason', (given, why) => {
  expect(() => readPublicAddress(given)).toThrow(why)
})
