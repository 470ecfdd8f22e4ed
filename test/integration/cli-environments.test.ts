import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startOtherService, type OtherService } from '../support/other-service.ts'
import { makeTestTls, type TestTls } from '../support/tls.ts'
import { cliOfFile, type RunOptions } from './cli-fixture.ts'

const cli = cliOfFile()

const KEY = 'sk_test_command_line_0123'
const CLIENT_SECRET = 'client-secret-of-the-line'

let tls: TestTls
let service: OtherService
/** For the running Countersign; tests without it use their own folder. */
let served: string
let dataFolder: string
let caFile: string

beforeAll(async () => {
  served = cli.newDataFolder()
  await cli.serve(served)
  tls = await makeTestTls()
  caFile = join(cli.folder, 'service-ca.pem')
  await writeFile(caFile, tls.caPem)
})

beforeEach(async () => {
  dataFolder = served
  service = await startOtherService(tls, {
    authenticates: (headers) =>
      headers['service-key'] === KEY || headers['x-session'] === 'Bearer token-1-0123456789',
    token: ({ client_secret: secret }) =>
      secret === CLIENT_SECRET
        ? { status: 200, body: { access_token: 'token-1-0123456789' } }
        : { status: 403, body: { fault: `not ${String(secret)}` } },
  })
})
afterEach(async () => {
  await service.close()
  dataFolder = served
  for (const { name } of (await listed()).slice(2)) await run`remove ${String(name)} --live`
})

const given = (options: RunOptions = {}) =>
  cli.given({ command: 'environments', data: dataFolder, ...options })
const run: typeof cli.run = (...typed) => given().run(...typed)
const json: typeof cli.json = (...typed) => given().json(...typed)
const account = () => ['--base-url', service.origin, '--ca', caFile]
const staging = () => ['add', 'staging', '--mode', 'test', ...account()]
const bearer = () => [
  ...'add next --mode live --auth bearer --client-id client-1 --auth-header X-Session'.split(' '),
  ...account(),
  '--token-url',
  `${service.origin}/oauth/token`,
]
const listed = async () => (await run`list --json --include-secrets`).json()

describe('add', () => {
  test('adds an account with its key masked', async () => {
    const ran = await run`${staging()} --key ${KEY} --prefix acme --ack 2xx --timeout 2.5 --json`
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const shown = {
      name: 'staging',
      mode: 'test',
      baseUrl: service.origin,
      prefix: 'acme',
      ack: '2xx',
      current: false,
      key: '…0123',
      caPem: await readFile(caFile, 'utf8'),
      timeoutMs: 2_500,
    }
    expect(ran.json()).toMatchObject([shown])
    expect((await listed()).at(-1)).toMatchObject({ ...shown, key: KEY })
    expect((await run`${staging()} --key ${KEY}`).code).toBe(3)
  })

  test('reads client ID and secret for bearer authentication', async () => {
    const ran = await given({ stdin: CLIENT_SECRET })
      .runProcess`${bearer()} --client-secret - --json`
    expect(ran.json()).toMatchObject([{ name: 'next', mode: 'live', auth: 'bearer', key: '…line' }])
    expect((await listed()).at(-1)).toMatchObject({ key: CLIENT_SECRET })
  })
})

describe('an existing environment', () => {
  beforeEach(async () => {
    expect((await run`${staging()} --key ${KEY}`).code).toBe(0)
  })

  test('is checked with one harmless call', async () => {
    expect(await json`check staging`).toMatchObject([{ name: 'staging', outcome: 'ok' }])
    expect(await run`check staging`).toMatchObject({
      code: 0,
      text: expect.stringMatching(
        /^ok {2}staging\n {2}Sent: DELETE https:\/\/\S+\/v1\/hooks\/[\w-]+\n {2}Connected to the service\.\n[^]*Response: 404/,
      ),
    })
  })

  test('exits with 1 if the check fails', async () => {
    await run`update staging --key sk_test_another_0123`
    expect(await run`check staging`).toMatchObject({
      code: 1,
      text: expect.stringContaining('401'),
    })
  })
})

describe('without Countersign running', () => {
  beforeEach(async () => {
    dataFolder = cli.newDataFolder()
    const ran = await given({ stdin: `${KEY}\n` }).run`${staging()} --key -`
    expect(ran).toMatchObject({ code: 0, stderr: '' })
  })

  test('the command sets the current environment, changes and checks it; checking the sandbox exits with 3', async () => {
    expect(await json`update staging --ack 2xx`).toMatchObject([{ ack: '2xx', current: false }])
    expect((await run`check staging`).code).toBe(0)
    const sandbox = await run`check`
    expect(sandbox).toMatchObject({ code: 3, text: '' })
    expect(sandbox.stderr).toContain('countersign serve')
    expect((await run`use staging`).code).toBe(0)
    expect((await listed()).at(-1)).toMatchObject({ name: 'staging', current: true, key: KEY })
  })
})
