/**
 * The library entries of the packed package, imported in an empty project: in each supported Node,
 * by each test runner that is installed, from Python, and by the compiler. The handler under test
 * is that of docs/first-handler.md.
 */
import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, test } from 'vitest'
import { fileOf } from '../support/doc-pages.ts'
import { freePorts } from '../support/free-ports.ts'
import { closeAtEnd, temporaryFolder } from '../support/temporary-folder.ts'
import { exitOf } from './cli-fixture.ts'

const project = resolve(import.meta.dirname, '../..')
const SECRET = 'my-first-secret'
const REGISTERED_URL = 'https://127.0.0.1:4783/h/demo'

let folder: string
let handler: string
let temporary: string

/**
 * Returns the user's environment: nothing of this test run, and its own folder for temporary files.
 */
function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = /^(NODE_OPTIONS|NODE_TEST_CONTEXT|VITEST.*|TEST|DEV|PROD|MODE|npm_.*|COUNTERSIGN_.*)$/
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name))),
    TMPDIR: temporary,
    TEMP: temporary,
    XDG_CACHE_HOME: join(temporary, 'cache'),
    NO_COLOR: '1',
    ...more,
  }
}

async function run(program: string, args: readonly string[], options: SpawnOptions = {}) {
  const child = spawn(program, args, { cwd: folder, env: environment(), ...options, stdio: 'pipe' })
  closeAtEnd(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

const put = (name: string, text: string) => writeFileSync(join(folder, name), text)

function link(name: string): void {
  const path = join(folder, 'node_modules', name)
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(join(project, 'node_modules', name), path, 'junction')
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The process has no output.')
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return line
}

beforeAll(async () => {
  folder = temporaryFolder()
  temporary = temporaryFolder()
  const packed = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: project,
    env: process.env,
  })
  expect(packed.code, packed.output).toBe(0)
  const installed = join(folder, 'node_modules/countersign')
  mkdirSync(installed, { recursive: true })
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  const unpacked = spawnSync('tar', ['xzf', tarball, '-C', installed, '--strip-components=1'], {
    cwd: folder,
  })
  expect(unpacked.status).toBe(0)
  // Its dependencies, which `npm install` would fetch.
  const platform = readdirSync(join(project, 'node_modules')).filter((name) =>
    /^node-(bin-)?(linux|darwin|win)-/.test(name),
  )
  for (const name of [
    'better-sqlite3',
    '@napi-rs',
    '@types/node',
    'jest',
    '@jest/globals',
    'vitest',
    ...platform,
  ])
    link(name)
  const command = join(folder, 'node_modules/.bin/countersign')
  mkdirSync(dirname(command))
  symlinkSync('../countersign/bin/countersign.mjs', command)

  put('package.json', '{ "type": "module" }')
  const [port] = await freePorts(1)
  const onPort = (text: string) => text.replaceAll('3000', String(port))
  put('handler.mjs', onPort(fileOf('docs/first-handler.md', 'handler.mjs')))
  const child = spawn(process.execPath, ['handler.mjs'], {
    cwd: folder,
    env: environment({ WEBHOOK_SECRET: SECRET, WEBHOOK_URL: REGISTERED_URL }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  closeAtEnd(async () => {
    child.kill()
    await exitOf(child)
  })
  await firstLine(child)
  handler = `http://127.0.0.1:${port}/webhooks`
  put('handler.test.mjs', onPort(fileOf('docs/library.md', 'handler.test.mjs')))
})

/**
 * Finds a Node of this major version: this one, the first on the path, or the one that
 * COUNTERSIGN_NODE_20 names.
 */
function nodeOf(major: number): string | undefined {
  const named = process.env[`COUNTERSIGN_NODE_${major}`]
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((one) => join(one, 'node'))
  return [...(named === undefined ? [] : [named]), process.execPath, ...onPath].find((node) =>
    spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.startsWith(`v${major}.`),
  )
}

describe.each([20, 22, 24])('in Node %i', (major) => {
  const node = nodeOf(major)

  test('the tests of docs/library.md pass with node:test', async ({ skip }) => {
    skip(
      node === undefined,
      `Node ${major} isn't installed. Name one in COUNTERSIGN_NODE_${major}.`,
    )
    const { code, output } = await run(node ?? '', ['--test', 'handler.test.mjs'])
    expect(code, output).toBe(0)
    expect(output).toMatch(/pass 6\b/)
  })

  test('each entry is imported, the command starts, and a sandbox that cannot start says why', async ({
    skip,
  }) => {
    skip(
      node === undefined,
      `Node ${major} isn't installed. Name one in COUNTERSIGN_NODE_${major}.`,
    )
    put(
      'entries.mjs',
      `import * as all from 'countersign'
import { diagnose, sign, verify } from 'countersign/signature'
import { eventTypes } from 'countersign/payloads'
import { startSandbox } from 'countersign/testing'
const parts = { secret: 's', url: 'https://example.com', body: '{}' }
const { inner, ...signed } = sign(parts)
console.log(Object.keys(all).join(), eventTypes.length, verify({ ...parts, ...signed }).accepted)
console.log(diagnose({ ...parts, ...signed, signature: inner }).message)
await startSandbox({ handler: 'http://127.0.0.1:1', secret: 's' }).catch(({ message }) => console.log(message))
await startSandbox({ handler: 'http://127.0.0.1:1' }).catch(({ message }) => console.log(message))
await startSandbox({ handler: 'https://shop.example/hooks', secret: 's' }).catch(({ message }) => console.log(message))
`,
    )
    const missing = join(temporary, 'missing')
    const { output } = await run(node ?? '', ['entries.mjs'], {
      env: environment({ TMPDIR: missing, TEMP: missing, XDG_CACHE_HOME: '/dev/null' }),
    })
    expect(output.split('\n')).toEqual([
      'diagnose,eventTypes,headersOf,sign,verify 14 true',
      'Signature hashed once instead of twice.',
      expect.stringMatching(/^File or folder not found: .*missing/),
      'Wrong `secret` (undefined). Pass the secret that your handler verifies with.',
      "`handler` is on another host, shop.example. If it is a test instance, pass allowHost: 'shop.example'.",
      '',
    ])
    const help = await run(node ?? '', ['node_modules/countersign/bin/countersign.mjs', '--help'])
    expect(help).toMatchObject({ code: 0, output: expect.stringContaining('Usage: countersign') })
  })
})

/**
 * Time limits, because both runners end a test after five seconds, which a busy computer needs to
 * start a sandbox.
 */
const LIMITS = ['--testTimeout=180000', '--hookTimeout=180000'] as const

test.each([
  {
    runner: 'vitest',
    words: "{ afterAll as after, beforeAll as before, test } from 'vitest'",
    args: ['node_modules/vitest/vitest.mjs', 'run', '--root', '.', 'handler.spec.mjs', ...LIMITS],
    passed: /Tests +6 passed/,
  },
  {
    runner: 'jest',
    words: "{ afterAll as after, beforeAll as before, test } from '@jest/globals'",
    args: [
      ...['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--no-watchman'],
      LIMITS[0],
      '--config={"testMatch":["<rootDir>/handler.spec.mjs"],"transform":{}}',
    ],
    passed: /Tests: +6 passed/,
  },
])('the same tests pass with $runner', async ({ words, args, passed }) => {
  const text = readFileSync(join(folder, 'handler.test.mjs'), 'utf8')
  put('handler.spec.mjs', text.replace("{ after, before, test } from 'node:test'", words))
  const { code, output } = await run(process.execPath, args)
  expect(code, output).toBe(0)
  expect(output).toMatch(passed)
})

describe('the sandbox of a test', () => {
  /** Output by script: each sandbox starts its own process. */
  const printed: Record<string, string[]> = {}
  beforeAll(async () => {
    put(
      'uses.mjs',
      `import { expectAccepted, expectRejected, startSandbox } from 'countersign/testing'
import { eventTypes } from 'countersign/payloads'
const own = { handler: process.argv[2], secret: '${SECRET}', registeredUrl: '${REGISTERED_URL}' }
const sandbox = await startSandbox(own)
const log = (...words) => console.log(...words)

log('# assertions')
const forged = { ...(await sandbox.deliver('card.linked', { tamper: 'secret' })), tamper: null }
const down = { ...forged, status: null, response: 'connect ECONNREFUSED' }
const passed = { ...forged, status: 200, tamper: 'stale', response: 'ok' }
for (const assertion of [() => expectAccepted(forged), () => expectRejected(down), () => expectRejected(passed)])
  try { assertion() } catch ({ name, code, message }) { log(name, code, message) }
await sandbox.deliver('transaction.auth', { unset: ['nope'] }).catch(({ message }) => log(message))

log('# wrong arguments')
const calls = [
  () => startSandbox(),
  () => startSandbox({ secret: '${SECRET}' }),
  () => startSandbox({ ...own, handler: 'localhost:3911/webhooks' }),
  () => startSandbox({ ...own, registeredUrl: '/webhooks' }),
  () => startSandbox({ ...own, prefix: 'x-acme' }),
  () => startSandbox({ ...own, url: 'https://example.com' }),
  () => sandbox.deliver('card.linked', { tamper: 'bdy' }),
  () => sandbox.deliver('card.linked', { tampr: 'body' }),
  () => sandbox.deliver('card.linked', 'body'),
  () => sandbox.trigger('card.linked', { fault: 'stale' }),
  () => sandbox.trigger('card.linked', { tamper: 'body' }),
  () => expectAccepted([]),
  () => expectRejected(Promise.resolve()),
  () => expectAccepted(),
]
for (const call of calls)
  try { log(await call()) } catch ({ name, message }) { log(name, message) }

log('# events')
for (const event of eventTypes.slice(0, 11)) expectAccepted(await sandbox.deliver(event))
const { payload, body, headers } = await sandbox.deliver('transaction.auth', {
  set: { amount: 10, 'card.lastNumbers': '4444', 'brand.metadata': { tier: 'gold' } },
  unset: ['approvalCode'],
  headers: { 'X-Trace': '1', 'content-type': null },
})
log(payload.amount, payload.card.lastNumbers, payload.brand.metadata.tier, payload.approvalCode, String(body) === JSON.stringify(payload))
log(headers['x-trace'], headers['content-type'])
const other = await sandbox.deliver('card.failed', { body: '[1]' })
log(other.status, String(other.body))
log((await sandbox.trigger('transaction.auth', { fault: 'duplicate' })).map(({ event, status }) => event + ' ' + status).join())
await sandbox.deliver('marketplace.offer.live').catch(({ message }) => log(message))
await sandbox.stop()
await sandbox.stop()
await sandbox.deliver('card.linked').catch(({ message }) => log(message))
`,
    )
    const { code, output } = await run(process.execPath, ['uses.mjs', handler])
    expect(code, output).toBe(0)
    for (const part of output.split(/^# /m).slice(1)) {
      const [name = '', ...lines] = part.trimEnd().split('\n')
      printed[name] = lines
    }
  })

  test('fails with an assertion that names the event, the tampering and the response', () => {
    expect(printed['assertions']).toEqual([
      'AssertionError ERR_ASSERTION Expected your handler to return 200 for card.linked. It returned 401.',
      'AssertionError ERR_ASSERTION Expected your handler to return a 4xx status for card.linked. It did not respond: connect ECONNREFUSED',
      'AssertionError ERR_ASSERTION Expected your handler to return a 4xx status for card.linked tampered with (stale). It returned 200: ok',
      expect.stringContaining('nope'),
    ])
  })

  test('throws a TypeError for a wrong argument that says what to pass', () => {
    const one = 'Pass one delivery: await deliver(), or each of await trigger().'
    expect(printed['wrong arguments']).toEqual([
      'TypeError Wrong `options` (undefined). Pass an object with handler, secret, registeredUrl, prefix, allowHost.',
      'TypeError Wrong `handler` (undefined). Pass a complete URL, such as http://127.0.0.1:3000/webhooks.',
      'TypeError Wrong `handler`. Pass a complete URL, such as http://127.0.0.1:3000/webhooks.',
      'TypeError Wrong `registeredUrl`. Pass a complete URL, such as http://127.0.0.1:3000/webhooks.',
      "TypeError Wrong `prefix`. Pass the service's name, such as acme for x-acme-signature.",
      'TypeError Unknown option `url`. Pass only handler, secret, registeredUrl, prefix, allowHost.',
      'TypeError Wrong `tamper`. Pass one of body, secret, stale, future, single-pass, no-signature, no-timestamp, url.',
      'TypeError Unknown option `tampr`. Pass only tamper, set, unset, of, body, headers.',
      'TypeError Wrong `options`. Pass an object with tamper, set, unset, of, body, headers.',
      'TypeError Wrong `fault`. Pass one of duplicate, out-of-order, late.',
      'TypeError Unknown option `tamper`. Pass only fault, set, unset, of.',
      `TypeError Wrong \`delivery\` (array). ${one}`,
      `TypeError Wrong \`delivery\` (promise). ${one}`,
      `TypeError Wrong \`delivery\` (undefined). ${one}`,
    ])
  })

  test('delivers every event, with changed and removed fields, other headers and another body', () => {
    expect(printed['events']).toEqual([
      '10 4444 gold undefined true',
      '1 undefined',
      '200 [1]',
      expect.stringMatching(/^(transaction.auth 200,){2}/),
      expect.stringContaining("The sandbox can't send it"),
      'The sandbox has stopped. Start another with startSandbox().',
    ])
  })
})

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'a sandbox whose test process ends with %s stops and deletes its data',
  async (signal) => {
    put(
      'forgetful.mjs',
      `import { startSandbox } from 'countersign/testing'
const sandbox = await startSandbox({ handler: 'http://127.0.0.1:1', secret: 's' })
console.log(sandbox.ui)
setInterval(() => undefined, 1000)
`,
    )
    const child = spawn(process.execPath, ['forgetful.mjs'], {
      cwd: folder,
      env: environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    closeAtEnd(() => void child.kill('SIGKILL'))
    const { origin } = new URL(await firstLine(child))
    expect(sandboxFolders()).toHaveLength(1)
    child.kill(signal)
    await expect.poll(sandboxFolders).toEqual([])
    await expect(fetch(origin)).rejects.toThrow('fetch failed')
  },
)

test('a test process that forgets to stop its sandbox still ends', async () => {
  put(
    'ending.mjs',
    `import { startSandbox } from 'countersign/testing'
await startSandbox({ handler: 'http://127.0.0.1:1', secret: 's' })
`,
  )
  expect(await run(process.execPath, ['ending.mjs'])).toEqual({ code: 0, output: '' })
  await expect.poll(sandboxFolders).toEqual([])
})

const sandboxFolders = () => readdirSync(join(temporary, 'cache', 'countersign', 'tmp'))

function serveStdio() {
  const child = spawn(
    process.execPath,
    ['node_modules/countersign/bin/countersign.mjs', 'serve', '--stdio'],
    { cwd: folder, env: environment(), stdio: ['pipe', 'pipe', 'inherit'] },
  )
  closeAtEnd(() => void child.kill('SIGKILL'))
  return child
}

test('serve --stdio runs the commands of another program, and rejects other lines', async () => {
  const child = serveStdio()
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async () => JSON.parse(String((await lines.next()).value)) as Record<string, unknown>
  const ask = (line: string) => {
    child.stdin.write(`${line}\n`)
    return next()
  }
  expect(Object.keys(await next())).toEqual(['ui', 'receiver', 'sandbox', 'ca', 'data', 'pid'])
  expect(await ask('["show", "latest"]')).toEqual({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining('No deliveries yet'),
  })
  const sign = ['sign', '--url', 'https://example.com', '--secret', 's', '--body', 'package.json']
  expect(await ask(JSON.stringify([...sign, '--json']))).toEqual({
    code: 0,
    stdout: expect.stringContaining('"signature"'),
    stderr: '',
  })
  for (const line of ['show latest', '{"args":["show"]}', '["show", 1]'])
    expect(await ask(line)).toMatchObject({
      code: 2,
      stderr: 'Expected a JSON array of strings, such as ["show", "latest"].',
    })
  expect(await ask('["sho"]')).toMatchObject({ code: 2 })
  // A command that runs until it is stopped doesn't keep the others from it.
  child.stdin.write('["wait", "--timeout", "600"]\n')
  child.stdin.end()
  expect(await exitOf(child)).toBe(0)
  expect(sandboxFolders()).toEqual([])
})

test('the data of a killed sandbox is removed by the next, which leaves those that run', async () => {
  const [killed, running] = [serveStdio(), serveStdio()]
  await Promise.all([firstLine(killed), firstLine(running)])
  killed.kill('SIGKILL')
  await exitOf(killed)
  expect(sandboxFolders()).toHaveLength(2)
  const next = serveStdio()
  await firstLine(next)
  const owners = sandboxFolders().map((name) => Number(name.split('-')[2]))
  expect(new Set(owners)).toEqual(new Set([running.pid, next.pid]))
})

const python = (...args: readonly string[]) => {
  put('test_handler.py', fileOf('docs/library.md', 'test_handler.py'))
  const env = environment({
    HANDLER: handler,
    WEBHOOK_SECRET: SECRET,
    WEBHOOK_URL: REGISTERED_URL,
    HOME: temporary,
  })
  return run('python3', args, { env })
}
const hasModule = (name: string) =>
  spawnSync('python3', ['-c', `import ${name}`], { stdio: 'ignore' }).status === 0

test('the Python test of docs/library.md passes without pytest', async ({ skip }) => {
  skip(!hasModule('hmac'), 'Python is not installed here')
  const { code, output } = await python('test_handler.py')
  expect(code, output).toBe(0)
  expect(output.match(/^passed test_\w+$/gm)).toHaveLength(4)
})

test('the Python test of docs/library.md passes with pytest', async ({ skip }) => {
  skip(!hasModule('pytest'), 'pytest is not installed here')
  const { code, output } = await python('-m', 'pytest', '-q', '-p', 'no:cacheprovider')
  expect(code, output).toBe(0)
  expect(output).toContain('4 passed')
})

test('the entries are found from CommonJS, and their types without "exports"', async () => {
  put(
    'entries.cjs',
    `const { sign } = require('countersign/signature')
console.log(typeof sign, typeof require('countersign').verify, require('countersign/payloads').eventTypes.length)
`,
  )
  expect(await run(process.execPath, ['entries.cjs'])).toEqual({
    code: 0,
    output: 'function function 14\n',
  })
  // TypeScript before 7 can resolve modules without exports: it reads the other two.
  const { exports, types, typesVersions } = JSON.parse(
    readFileSync(join(project, 'package.json'), 'utf8'),
  ) as {
    exports: Record<string, { types?: string }>
    types: string
    typesVersions: { '*': Record<string, string[]> }
  }
  const found = Object.entries(exports).flatMap(([entry, { types: file }]) =>
    file === undefined
      ? []
      : [[file, entry === '.' ? types : typesVersions['*'][entry.slice(2)]?.[0]]],
  )
  expect(found).toHaveLength(4)
  for (const [file, without] of found) expect(without).toBe(file)
})

describe('the types', () => {
  const source = `import { createServer } from 'node:http'
import * as all from 'countersign'
import { headersOf, verify, type Verification } from 'countersign/signature'
import { startSandbox, expectAccepted, type Delivery } from 'countersign/testing'
import { eventTypes, type EventPayloads, type EventType } from 'countersign/payloads'

export async function check(): Promise<number> {
  await using sandbox = await startSandbox({ handler: 'http://127.0.0.1:3000', secret: 's' })
  const delivery: Delivery<'transaction.auth'> = await sandbox.deliver('transaction.auth')
  expectAccepted(delivery)
  const offer = delivery.payload.offer
  // @ts-expect-error An offer may be null.
  offer.id
  // @ts-expect-error The spec doesn't show its payload.
  await sandbox.deliver('marketplace.offer.live')
  // @ts-expect-error Not a kind of tampering.
  await sandbox.deliver('card.linked', { tamper: 'everything' })
  return delivery.payload.amount
}
export const server = createServer((request) => {
  const result: Verification = verify({
    secret: ['a'],
    url: 'https://example.com',
    body: new Uint8Array(),
    ...headersOf(request.headers, { prefix: 'acme' }),
  })
  return result.reason?.length
})
export const qualified = (payload: EventPayloads['transaction.auth.qualified']): string => payload.offer.id
export const names: readonly EventType[] = eventTypes
export const same: typeof all.verify = verify
`
  test.each(['nodenext', 'bundler'])(
    'compile strictly with the resolution %s',
    async (resolution) => {
      put('uses.ts', source)
      const module = resolution === 'nodenext' ? 'nodenext' : 'esnext'
      const options = [
        '--strict',
        '--noEmit',
        '--target',
        'es2022',
        '--types',
        'node',
        '--exactOptionalPropertyTypes',
      ]
      const { code, output } = await run(process.execPath, [
        join(project, 'node_modules/typescript/bin/tsc'),
        ...options,
        ...['--skipLibCheck', 'false', '--module', module, '--moduleResolution', resolution],
        'uses.ts',
      ])
      expect(output).toBe('')
      expect(code).toBe(0)
    },
  )

  test('need no other package', async () => {
    put(
      'alone.ts',
      `export * from 'countersign'\nexport { startSandbox } from 'countersign/testing'\n`,
    )
    const { output } = await run(process.execPath, [
      join(project, 'node_modules/typescript/bin/tsc'),
      ...[
        '--strict',
        '--noEmit',
        '--module',
        'nodenext',
        '--types',
        '',
        '--lib',
        'es2022',
        '--skipLibCheck',
        'false',
      ],
      'alone.ts',
    ])
    expect(output).toBe('')
  })
})
