import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { connectRaw } from '../support/raw-http.ts'
import { waitForDeliveries } from '../support/read-deliveries.ts'
import { cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()

const SECRET = 'whsec_of_the_trailers'
const BODY = '{"amount":1}'

let trailers: [string, string][]

beforeAll(async () => {
  const app = await coreInFolder({ dataFolder: cli.data })
  const url = `${app.receiver}/h/one`
  await app.call('hooks.import', { event: 'transaction.auth', url, secret: SECRET })
  const [type, ...signature] = signedHeaders(SECRET, BODY, url)
  trailers = [...signature, ['X-Twice', 'one'], ['x-twice', 'two']]
  const connection = await connectRaw(app.receiver, app.caFile)
  const lines = (headers: readonly (readonly [string, string])[]) =>
    headers.map((pair) => `${pair.join(': ')}\r\n`).join('')
  connection.write(
    `POST /h/one HTTP/1.1\r\nHost: a\r\n${lines([type!])}Transfer-Encoding: chunked\r\n\r\n`,
  )
  connection.write(`${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n${lines(trailers)}\r\n`)
  expect(await connection.status()).toBe(200)
  connection.socket.destroy()
  await connection.closed
  await app.stop()
})

test('trailers are kept in their order and case; a signature in one is unsigned, with the reason', async () => {
  const [shown] = (await cli.run`show latest --json --include-secrets`).json()
  expect(shown).toMatchObject({
    trailers,
    verdict: 'unsigned',
    freshness: 'missing',
    signature: { inTrailer: true },
  })
  const { text } = await cli.run`show latest`
  expect(text).toMatch(/\nTrailers\n(.*\n)*X-Twice: one\nx-twice: two\n/)
  expect(text).toContain('The signature and timestamp were sent as trailers, after the body.')
})

test('an export keeps them, masked like headers, and an import reads them', async () => {
  const plain = await cli.run`export --include-secrets`
  expect(plain.json()).toEqual([expect.objectContaining({ trailers })])
  const masked = await cli.run`export`
  expect(masked.text).toContain('["X-Twice","[masked]"]')
  const har = await cli.run`export --format har`
  expect(har.text).toContain('"trailers":[{"name":"x-service-signature"')
  const other = cli.newDataFolder()
  const file = join(other, '..', 'trailers.jsonl')
  writeFileSync(file, plain.text)
  expect((await cli.given({ data: other }).run`import ${file}`).code).toBe(0)
  const [read] = (await cli.given({ data: other }).run`show latest --json --include-secrets`).json()
  expect(read).toMatchObject({ trailers, verdict: 'unsigned', origin: 'imported' })
})

test('a trailer without a colon is reported as a trailer', async () => {
  const app = await coreInFolder()
  const connection = await connectRaw(app.receiver, app.caFile)
  connection.write('POST /h/one HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
  connection.write(`3\r\nabc\r\n0\r\nX-Token\r\n\r\n`)
  await connection.closed
  expect((await waitForDeliveries(app.client, 1))[0]?.malformed).toEqual({
    reason: 'A trailer has an invalid character, or no colon.',
  })
  await app.stop()
})
