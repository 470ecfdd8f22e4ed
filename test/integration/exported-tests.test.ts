/**
 * Runs the tests that `export --format test` writes, in Node and Python, against handlers that
 * share no code with the product.
 */
import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TestLanguage } from '../../src/shared/contract/nouns/exchange.ts'
import {
  handlerTest,
  handlerTestFrame,
  type TestedDelivery,
} from '../../src/shared/snippets/handler-test.ts'
import { secretNames } from '../../src/shared/snippets/secret-names.ts'
import { REGISTERED_URL, SECRET, startPythonHandler } from '../support/check-handlers.ts'
import { signatureOf, signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { times } from '../support/long-form.ts'
import { hasPython } from '../support/python.ts'
import { headerOf } from '../support/replay-fixture.ts'
import { samplePayloads } from '../support/sample-payloads.ts'
import { closeAtEnd, rawEndpoint, temporaryFolder } from '../support/temporary-folder.ts'
import type { TestCore } from '../support/test-core.ts'
import { exported } from '../support/export-import.ts'

const modules = join(import.meta.dirname, '../../node_modules')
const bin = (path: string) => join(modules, path)

const runs: Readonly<
  Record<TestLanguage, { readonly file: string; readonly command: readonly string[] }>
> = {
  node: { file: 'webhooks.test.mjs', command: [process.execPath, '--test', '--test-reporter=tap'] },
  python: { file: 'test_webhooks.py', command: ['python3'] },
  vitest: {
    file: 'webhooks.test.js',
    command: [process.execPath, bin('vitest/vitest.mjs'), 'run'],
  },
  jest: { file: 'webhooks.test.js', command: [process.execPath, bin('jest/bin/jest.js')] },
}
const all = Object.keys(runs) as TestLanguage[]
const languages = all.filter((language) => language !== 'python' || hasPython())

interface Outcome {
  readonly code: number
  readonly said: string
}

function runTests(
  language: TestLanguage,
  text: string,
  target: string,
  {
    secrets = { WEBHOOK_SECRET: SECRET },
    command = runs[language].command,
  }: { secrets?: Record<string, string>; command?: readonly string[] } = {},
): Promise<Outcome> {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'package.json'), '{}')
  symlinkSync(modules, join(folder, 'node_modules'), 'junction')
  const { file } = runs[language]
  writeFileSync(join(folder, file), text)
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^NODE_(OPTIONS|TEST_CONTEXT)$|^VITEST/.test(name),
    ),
  )
  const [program = '', ...args] = command
  return new Promise((resolve) => {
    execFile(
      program,
      [...args, file],
      { cwd: folder, env: { ...env, NO_COLOR: '1', ...secrets, HANDLER_URL: target } },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr })
      },
    )
  })
}

async function handler(defect?: string): Promise<string> {
  const { url, close } = await startPythonHandler(defect)
  closeAtEnd(close)
  return url
}

let app: TestCore

async function capture(
  body: string | Uint8Array,
  headers: readonly (readonly [string, string])[] = signedHeaders(SECRET, body, REGISTERED_URL),
): Promise<string> {
  const path = new URL(REGISTERED_URL)
  await app.send(`${app.receiver}${path.pathname}${path.search}`, { body, headers: [...headers] })
  return (await app.call('deliveries.get', { id: 'latest' })).id
}

const testOf = (language: TestLanguage, ids: readonly string[], includeSecrets = false) =>
  exported(app.client, { query: '', ids, includeSecrets, format: 'test', language })

beforeAll(async () => {
  app = await coreInFolder()
  await app.call('hooks.import', { event: 'transaction.auth', url: REGISTERED_URL, secret: SECRET })
})

/**
 * A body that a handler rejects that reads the offer, or that hashes its own JSON instead of the
 * bytes.
 */
const body = JSON.stringify({ ...samplePayloads['transaction.auth'], offer: null }, null, 1)

/** Runners of JavaScript differ only in their frame, which a mixed export covers. */
describe.each(languages.filter((language) => !/est$/.test(language)))('%s', (language) => {
  test.skipIf(!hasPython())(
    'passes with a correct handler, and fails with one that fails on the delivery',
    async () => {
      const text = await testOf(language, [await capture(body), await capture(body)])
      expect(text).not.toContain(SECRET)
      const good = await runTests(language, text, await handler())
      expect(good).toMatchObject({ code: 0 })
      expect(good.said).toMatch(/^# pass 2$|^Ran 2 tests|Tests.* 2 passed/m)
      for (const [defect, status] of [
        ['requires-offer', 422],
        ['reserialised', 401],
        ['answers-201', 201],
      ] as const) {
        const bad = await runTests(language, text, await handler(defect))
        expect(bad.code, defect).not.toBe(0)
        expect(bad.said).toContain(String(status))
      }
      expect((await runTests(language, text, await handler(), { secrets: {} })).said).toContain(
        "Set WEBHOOK_SECRET_TRANSACTION_AUTH to the hook's secret.",
      )
    },
  )

  test('never contains the hook secret, and header values only with secrets included', async () => {
    const id = await capture(body, [
      ...signedHeaders(SECRET, body, REGISTERED_URL),
      ['X-Own', 'value-of-mine'],
    ])
    for (const includeSecrets of [false, true]) {
      const text = await testOf(language, [id], includeSecrets)
      expect(text).not.toContain(SECRET)
      expect(text.includes('value-of-mine')).toBe(includeSecrets)
      expect(text.includes("'[masked]'")).toBe(!includeSecrets)
    }
  })

  test("has the delivery's own header prefix and body, and no header of the connection", async () => {
    const bytes = Uint8Array.of(0x1f, 0x8b, 0, 255)
    const id = await capture(bytes, [
      ['X-Acme-Signature', 'old'],
      ['x-acme-timestamp', '1'],
      ['Content-Type', 'application/octet-stream'],
    ])
    const endpoint = await rawEndpoint()
    const target = `${endpoint.origin}/in?x=[1]`
    expect(await runTests(language, await testOf(language, [id]), target)).toMatchObject({
      code: 0,
    })
    const [request] = endpoint.requests
    expect(request?.line).toMatch(/^POST \/in\?x=(\[1\]|%5B1%5D) HTTP\/1\.1$/)
    expect(request?.body.equals(bytes)).toBe(true)
    expect(headerOf(request, 'content-type')).toBe('application/octet-stream')
    const timestamp = headerOf(request, 'x-acme-timestamp') ?? ''
    expect(headerOf(request, 'x-acme-signature')).toBe(
      signatureOf(SECRET, bytes, REGISTERED_URL, timestamp),
    )
    expect(Math.abs(Number(timestamp) - Date.now())).toBeLessThan(60_000)
    const names = request?.headers.map((header) => header.replace(/:.*/s, '').toLowerCase()) ?? []
    expect(names.filter((name) => /^x-|^host$|^content-length$/.test(name)).toSorted()).toEqual([
      'content-length',
      'host',
      'x-acme-signature',
      'x-acme-timestamp',
    ])
  })

  test("signs the handler's own URL if no hook matches, and a redirect doesn't acknowledge", async () => {
    await app.send(`${app.receiver}/nobody`, { body: '{}', headers: [] })
    const text = await testOf(language, ['latest'])
    const endpoint = await rawEndpoint()
    expect(await runTests(language, text, `${endpoint.origin}/in`)).toMatchObject({ code: 0 })
    const [request] = endpoint.requests
    expect(headerOf(request, 'x-service-signature')).toBe(
      signatureOf(
        SECRET,
        '{}',
        `${endpoint.origin}/in`,
        headerOf(request, 'x-service-timestamp') ?? '',
      ),
    )
    const moved = await rawEndpoint(
      () => 'HTTP/1.1 302 Found\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n',
    )
    expect((await runTests(language, text, `${moved.origin}/in`)).code).not.toBe(0)
    expect(moved.requests).toHaveLength(1)
  })

  test('leaves out what no test can send again', async () => {
    await app.send(`${app.receiver}/nobody`, { body: '{}', headers: [] }, 'PUT')
    const { begin, end } = handlerTestFrame(language)
    expect(await testOf(language, ['latest'])).toBe(begin + end)
  })

  test('received data stays data, whatever it is', async () => {
    const endpoint = await rawEndpoint()
    const { begin, between, end } = handlerTestFrame(language)
    const deliveries = fc
      .sample(hostileDeliveries, times(60, 600))
      .map((one, seq) => ({ ...one, seq }))
    const tests = deliveries.map((delivery) => handlerTest(language, delivery))
    // Only printable ASCII, so no editor or encoding changes it.
    for (const text of tests) expect(text).toMatch(/^[\n\x20-\x7e]*$/)
    const text = begin + tests.join(between) + end
    const { code, said } = await runTests(language, text, `${endpoint.origin}/in`)
    expect([code, said.replace(/[^]*(?=not ok|Traceback)/, '')]).toEqual([0, expect.anything()])
    const sent = deliveries.map((delivery) => delivery.body)
    expect(endpoint.requests.map((request) => request.body.toString('hex')).toSorted()).toEqual(
      sent.map((bytes) => Buffer.from(bytes).toString('hex')).toSorted(),
    )
    for (const request of endpoint.requests) {
      const [timestamp, signature] = ['timestamp', 'signature'].map((name) =>
        headerOf(request, `x-service-${name}`),
      )
      const fitting = deliveries.filter(
        ({ registeredUrl, body: bytes }) =>
          request.body.equals(bytes) &&
          signatureOf(SECRET, bytes, registeredUrl ?? '', timestamp ?? '') === signature,
      )
      expect(fitting).not.toEqual([])
    }
  })
})

/** Verifies as a handler of several hooks does: by the path, with its secret and registered URL. */
async function handlerOf(hooks: readonly { readonly url: string; readonly secret: string }[]) {
  const isSigned = (bytes: Buffer, timestamp: string, signature: string) =>
    hooks.some(({ url, secret }) => signatureOf(secret, bytes, url, timestamp) === signature)
  const endpoint = await rawEndpoint((request) => {
    const [signature = '', timestamp = ''] = ['signature', 'timestamp'].map(
      (name) => headerOf(request, `x-service-${name}`) ?? '',
    )
    const status = isSigned(request.body, timestamp, signature) ? '200 OK' : '401 Unauthorized'
    return `HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`
  })
  return endpoint.origin
}

describe('a mixed export', () => {
  const hooks = ['transaction.auth', 'card.linked', 'card.failed', 'card.failed'].map(
    (event, place) => ({ event, secret: `secret ${place}`, url: `https://127.0.0.1/h/${place}` }),
  )
  const SECRETS = {
    WEBHOOK_SECRET_TRANSACTION_AUTH: 'secret 0',
    WEBHOOK_SECRET_CARD_LINKED: 'secret 1',
    WEBHOOK_SECRET_CARD_FAILED_SANDBOX_TEST_1: 'secret 2',
    WEBHOOK_SECRET_CARD_FAILED_SANDBOX_TEST_2: 'secret 3',
  }
  let mixed: TestCore

  beforeAll(async () => {
    mixed = await coreInFolder()
    for (const hook of hooks)
      await mixed.call('hooks.import', { ...hook, environment: 'sandbox-test' })
    for (const { event, secret, url } of hooks) {
      const text = JSON.stringify(samplePayloads[event as keyof typeof samplePayloads])
      const path = `${mixed.receiver}${new URL(url).pathname}`
      await mixed.send(path, { body: text, headers: signedHeaders(secret, text, url) })
      await mixed.send(path, { body: text, headers: signedHeaders('wrong', text, url) })
    }
    const refund = JSON.stringify(samplePayloads['transaction.refund'])
    await mixed.send(`${mixed.receiver}/nobody`, { body: refund, headers: [] })
  })

  const exportOf = (query: string, language: TestLanguage) =>
    exported(mixed.client, { query, includeSecrets: false, format: 'test', language })

  test.each(languages)(
    'in %s passes with a correct handler, each hook with its secret',
    async (language) => {
      const text = await exportOf('', language)
      const { code, said } = await runTests(language, text, await handlerOf(hooks), {
        secrets: SECRETS,
      })
      expect([code, said]).toEqual([
        0,
        expect.stringMatching(/^# pass 4$|^Ran 4 tests|Tests.* 4 passed/m),
      ])
      const swapped = { ...SECRETS, WEBHOOK_SECRET_CARD_LINKED: 'secret 0' }
      const bad = await runTests(language, text, await handlerOf(hooks), { secrets: swapped })
      expect([bad.code === 0, bad.said]).toEqual([false, expect.stringContaining('401')])
    },
  )

  test.each([
    ['is:invalid', 4],
    ['verdict:invalid,unsigned', 5],
    ['-is:valid', 5],
    ['is:possible', 1],
    ['event:transaction.refund', 0],
    ['is:valid', 4],
  ])('of %s has %i deliveries', async (query, count) => {
    const text = await exportOf(query, 'node')
    expect(text.match(/^test\(/gm) ?? []).toHaveLength(count)
  })
})

const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    "');process.exit(0);('",
    "')\nprocess.exit(0)\n//",
    '"""\nimport os; os._exit(0)\n"""',
    "'\n    def test_x(self): exit(0)",
    '\\',
    "\\'",
    '${process.exit(0)}',
    '{os._exit(0)}',
    '\u2028process.exit(0)\u2029',
    '\r\nprocess.exit(0)\r\n',
    '*/ process.exit(0) /*',
    '\u202e\u0000\ufeff',
    '<url>$&$1$$',
    '\\N{BULLET}\\x41\\u0041\\101',
    '😀\ud83d\ude00',
  ),
)

const hostileDeliveries: fc.Arbitrary<TestedDelivery> = fc.record({
  event: hostileText,
  seq: fc.constant(0),
  title: hostileText,
  registeredUrl: hostileText,
  secretName: hostileText.map((event) => secretNames([{ event, environment: '' }])[0]!),
  prefix: fc.constant('service'),
  headers: fc.array(
    fc.tuple(fc.constantFrom('x-a', 'X-B', "x-'", 'x"', 'connection'), hostileText),
  ),
  body: fc.oneof(
    fc.uint8Array(),
    hostileText.map((text) => Buffer.from(text)),
  ),
  ack: fc.constantFrom('200' as const, '2xx' as const),
})

test.skipIf(!hasPython('pytest'))('pytest finds the tests', async () => {
  const endpoint = await rawEndpoint()
  const text = await testOf('python', [await capture(body)])
  const command = ['python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider']
  const { code, said } = await runTests('python', text, endpoint.origin, { command })
  expect([code, said]).toEqual([0, expect.stringContaining('1 passed')])
})
