/** `environments`: adding, changing and checking service accounts, with and without Countersign running. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startOtherService, type OtherService } from '../support/other-service.ts'
import { makeTestTls, type TestTls } from '../support/tls.ts'
import { prepareCli, type Cli, type RunOptions } from './cli-fixture.ts'

const KEY = 'sk_test_command_line_0123'
const CLIENT_SECRET = 'client-secret-of-the-line'

let cli: Cli
let tls: TestTls
let service: OtherService
/** For the running Countersign; tests without it use their own folder. */
let served: string
let dataFolder: string
let caFile: string

beforeAll(async () => {
  cli = await prepareCli()
  served = cli.newDataFolder()
  await cli.serve(served)
  tls = await makeTestTls()
  caFile = join(cli.newDataFolder(), '..', 'service-ca.pem')
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
  for (const { name } of (await listed()).slice(2)) await run(['remove', String(name), '--live'])
})

const run = (args: readonly string[], options?: RunOptions) =>
  cli.run(['environments', ...args, '--data', dataFolder], options)
const staging = () => [
  'add',
  'staging',
  '--mode',
  'test',
  '--base-url',
  service.origin,
  '--ca',
  caFile,
]
const bearer = () => [
  ...[
    'add',
    'next',
    '--mode',
    'live',
    '--auth',
    'bearer',
    '--base-url',
    service.origin,
    '--ca',
    caFile,
  ],
  ...[
    '--client-id',
    'client-1',
    '--token-url',
    `${service.origin}/oauth/token`,
    '--auth-header',
    'X-Session',
  ],
]
const listed = async () => (await run(['list', '--json', '--include-secrets'])).json()

describe('add', () => {
  test('adds an account with its key masked', async () => {
    const ran = await run([
      ...staging(),
      '--key',
      KEY,
      '--prefix',
      'acme',
      '--ack',
      '2xx',
      '--timeout',
      '2.5',
      '--json',
    ])
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
    expect((await run([...staging(), '--key', KEY])).code).toBe(3)
  })

  test.each<[string, string[], RunOptions]>([
    ['standard input', ['--key', '-'], { stdin: `${KEY}\n` }],
    ['a file', ['--key-file', 'key.txt'], {}],
    ['the variable', [], { env: { COUNTERSIGN_KEY: KEY } }],
  ])('reads the key from %s', async (_where, args, options) => {
    await writeFile(join(cli.newDataFolder(), '..', 'key.txt'), `${KEY}\r\n`)
    expect(await run([...staging(), ...args], options)).toMatchObject({ code: 0, stderr: '' })
    expect((await listed()).at(-1)).toMatchObject({ key: KEY })
  })

  test('reads client ID and secret for bearer authentication', async () => {
    const args = [
      'environments',
      ...bearer(),
      '--client-secret',
      '-',
      '--json',
      '--data',
      dataFolder,
    ]
    const ran = await cli.runProcess(args, { stdin: CLIENT_SECRET })
    expect(ran.json()).toMatchObject([{ name: 'next', mode: 'live', auth: 'bearer', key: '…line' }])
    expect((await listed()).at(-1)).toMatchObject({ key: CLIENT_SECRET })
  })

  test.each<[string, () => string[], RegExp]>([
    [
      'a token field without bearer',
      () => [...staging(), '--key', KEY, '--token-field', 'x'],
      /--token-field.*--auth bearer/,
    ],
    [
      'an extra field without =',
      () => [...bearer(), '--client-secret', 'x', '--token-request-field', 'scope'],
      /name=value/,
    ],
    ['a public key', () => [...staging(), '--key', 'pk_test_0123456789'], /public key.*5\.1/],
    ['no key', () => staging(), /COUNTERSIGN_KEY/],
    [
      'two keys',
      () => [...staging(), '--key', KEY, '--key-file', 'key.txt'],
      /either --key or --key-file/,
    ],
    [
      'a key with bearer',
      () => [...bearer(), '--client-secret', CLIENT_SECRET, '--key', KEY],
      /--key is for service-key/,
    ],
    [
      'a client without bearer',
      () => [...staging(), '--key', KEY, '--client-id', 'x'],
      /--client-id.*--auth bearer/,
    ],
    ['an invalid timeout', () => [...staging(), '--key', KEY, '--timeout', 'long'], /seconds/],
  ])('rejects %s', async (_what, args, reason) => {
    const ran = await run(args())
    expect(ran).toMatchObject({ code: 2, text: '' })
    expect(ran.stderr).toMatch(reason)
    expect(ran.stderr).not.toContain(KEY)
  })

  test('exits with 3 if the CA file is missing', async () => {
    const ran = await run([
      'add',
      'x',
      '--mode',
      'test',
      '--base-url',
      service.origin,
      '--key',
      KEY,
      '--ca',
      'nowhere.pem',
    ])
    expect(ran.code).toBe(3)
    expect(ran.stderr).toContain('nowhere.pem')
    expect(await listed()).toHaveLength(2)
  })
})

describe('an existing environment', () => {
  beforeEach(async () => {
    expect((await run([...staging(), '--key', KEY])).code).toBe(0)
  })

  test('is checked with one harmless call', async () => {
    const ran = await run(['check', 'staging', '--json'])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const [check] = ran.json()
    expect(check).toMatchObject({
      name: 'staging',
      outcome: 'ok',
      status: 404,
      body: expect.stringContaining('NOWHERE'),
    })
    expect(check?.['learned']).toHaveLength(2)
    expect(service.called(/./)).toMatchObject([
      { method: 'DELETE', headers: { 'service-key': KEY } },
    ])
    expect((await run(['check', 'staging'])).text).toMatch(
      /^ok {2}staging\n {2}Sent: DELETE https:\/\/\S+\/v1\/hooks\/[\w-]+\n {2}Connected to the service\.\n[^]*Response: 404/,
    )
  })

  test('exits with 1 if the check fails', async () => {
    await run(['update', 'staging', '--key', 'sk_test_another_0123'])
    expect(await run(['check', 'staging'])).toMatchObject({
      code: 1,
      text: expect.stringContaining('401'),
    })
    await service.close()
    const away = await run(['check', 'staging', '--json'])
    expect(away.code).toBe(1)
    expect(away.json()).toMatchObject([{ outcome: 'failed', status: null, body: null }])
  })

  test.each([
    [['update', 'staging'], 2, /Nothing to change/],
    [['update', 'staging', '--key', 'pk_test_0123456789'], 2, /public key/],
    [['update', 'staging', '--auth', 'bearer'], 2, /client ID/],
    [['update', 'staging', '--mode', 'live'], 2, /Unknown option --mode/],
    [['update', 'production', '--prefix', 'x'], 3, /Available:/],
    [['update', 'sandbox-test', '--key', KEY], 3, /sandbox's own.*except its prefix/],
    [['remove', 'sandbox-live'], 3, /sandbox's own/],
    [['remove', 'production'], 3, /Available:/],
  ])('%j exits with %i', async (args, code, reason) => {
    const ran = await run(args)
    expect(ran).toMatchObject({ code, text: '' })
    expect(ran.stderr).toMatch(reason)
  })
})

test("the sandbox's prefix can be changed and reset", async () => {
  for (const prefix of ['acme', 'service'])
    expect(
      (await run(['update', 'sandbox-test', '--prefix', prefix, '--json'])).json(),
    ).toMatchObject([{ name: 'sandbox-test', prefix }])
})

test('bearer authentication works, and an error shows no secret', async () => {
  await run([...bearer(), '--client-secret', CLIENT_SECRET])
  expect((await run(['check', 'next', '--live', '--json'])).json()).toMatchObject([
    { outcome: 'ok', status: 404 },
  ])
  await run(['update', 'next', '--live', '--client-secret', 'wrong-client-secret'])
  const refused = await run(['check', 'next', '--live'])
  expect(refused.code).toBe(1)
  expect(refused.text).toContain('403')
  expect(refused.text).not.toContain('wrong-client-secret')
})

describe('without Countersign running', () => {
  beforeEach(async () => {
    dataFolder = cli.newDataFolder()
    const ran = await run([...staging(), '--key', '-'], { stdin: `${KEY}\n` })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
  })

  test('the command sets the current environment, changes and checks it; checking the sandbox exits with 3', async () => {
    expect((await run(['update', 'staging', '--ack', '2xx', '--json'])).json()).toMatchObject([
      { ack: '2xx', current: false },
    ])
    expect((await run(['check', 'staging'])).code).toBe(0)
    const sandbox = await run(['check'])
    expect(sandbox).toMatchObject({ code: 3, text: '' })
    expect(sandbox.stderr).toContain('countersign serve')
    expect((await run(['use', 'staging'])).code).toBe(0)
    expect((await listed()).at(-1)).toMatchObject({ name: 'staging', current: true, key: KEY })
    expect((await run(['update', 'staging', '--auth', 'bearer'])).code).toBe(2)
  })

  test('removes an environment without hooks', async () => {
    const hook = [
      '--event',
      'card.linked',
      '--url',
      'https://example.com/',
      '--secret',
      's',
      '--environment',
      'staging',
    ]
    expect((await cli.run(['hooks', 'import', ...hook, '--data', dataFolder])).code).toBe(0)
    const refused = await run(['remove', 'staging'])
    expect(refused.code).toBe(3)
    expect(refused.stderr).toContain('still has 1 hook')
    await run(['add', 'other', '--mode', 'live', '--base-url', service.origin, '--key', KEY])
    expect((await run(['remove', 'other', '--live', '--json'])).json()).toEqual([{ name: 'other' }])
    await run(['add', 'third', '--mode', 'test', '--base-url', service.origin, '--key', KEY])
    expect(await run(['remove', 'third'])).toMatchObject({ code: 0, text: 'third', stderr: '' })
    expect(await listed()).toHaveLength(3)
  })
})
