/** `handlers`, and `@NAME` wherever a command takes an endpoint, with and without Countersign running. */
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rightAnswer, startHandler, type TestHandler } from '../support/flow-fixture.ts'
import { startTestCore } from '../support/test-core.ts'
import { createDeliverer, signedHeaders } from '../support/deliver.ts'
import { prepareCli, type Cli, type RunOptions } from './cli-fixture.ts'

const HOOK_SECRET = 'whsec_of_the_hook_0123456789'
const SECRET = 'whsec_of_the_handler_0123456789'

let cli: Cli
let handler: TestHandler
let dataFolder: string
let hookId: string
let hookUrl: string
/** Everything printed. */
const printed: string[] = []

async function run(args: readonly string[], options?: RunOptions) {
  const ran = await cli.run([...args, '--data', dataFolder], options)
  printed.push(ran.text, ran.stderr)
  return ran
}

beforeAll(async () => {
  cli = await prepareCli()
  handler = await startHandler(SECRET, rightAnswer)
  dataFolder = cli.newDataFolder()
  const core = await startTestCore({ dataFolder })
  hookUrl = `${core.receiver}/h/one`
  const hook = {
    event: 'transaction.auth',
    url: hookUrl,
    secret: HOOK_SECRET,
    environment: 'sandbox-test',
  }
  hookId = (await core.client.call('hooks.import', hook)).id
  const deliverer = createDeliverer(core.caFile)
  await deliverer.send(hookUrl, {
    body: '{"a":1}',
    headers: signedHeaders(HOOK_SECRET, '{"a":1}', hookUrl),
  })
  deliverer.close()
  await core.stop()
})
afterAll(async () => {
  await handler.close()
})

test('nothing is saved yet', async () => {
  expect(await run(['handlers', 'list', '--json'])).toMatchObject({ code: 0, text: '' })
  expect(await run(['replay', 'latest', '--to', '@local'])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(
      'Handler "local" not found. No handlers are saved yet.',
    ) as string,
  })
})

test('add, update, use, list and remove print a handler without its secret', async () => {
  await writeFile('secret.txt', `${SECRET}\n`)
  const added = await run([
    'handlers',
    'add',
    'local',
    '--url',
    'localhost:3000/webhooks',
    '--secret-file',
    'secret.txt',
    '--json',
  ])
  const local = {
    name: 'local',
    url: 'http://localhost:3000/webhooks',
    registeredUrl: null,
    hookId: null,
    prefix: null,
    current: true,
    lastCheck: null,
  }
  expect([added.code, added.json()]).toEqual([0, [local]])
  const url = handler.url
  expect(
    (
      await run(['handlers', 'update', 'local', '--url', url, '--registered-url', url, '--json'])
    ).json(),
  ).toEqual([{ ...local, url, registeredUrl: url }])
  expect(
    (await run(['handlers', 'update', '@local'.slice(1), '--no-registered-url', '--json'])).json(),
  ).toEqual([{ ...local, url }])
  expect((await run(['handlers', 'update', 'local', '--prefix', 'acme', '--json'])).json()).toEqual(
    [{ ...local, url, prefix: 'acme' }],
  )
  expect((await run(['handlers', 'update', 'local', '--no-prefix', '--json'])).json()).toEqual([
    { ...local, url },
  ])
  const hooked = await run(['handlers', 'add', 'hooked', '--url', url, '--hook', hookId], {
    env: { COUNTERSIGN_SECRET: 'ignored' },
  })
  expect(hooked.text).toMatch(/^ {3}@hooked {2}.* {2}hook transaction\.auth {2}not checked$/)
  const fromInput = await run(['handlers', 'add', 'typed', '--url', url, '--secret', '-'], {
    stdin: SECRET,
  })
  expect(fromInput.text).toMatch(/own secret/)
  const fromVariable = await run(['handlers', 'add', 'variable', '--url', url], {
    env: { COUNTERSIGN_SECRET: SECRET },
  })
  expect(fromVariable.text).toMatch(/own secret/)
  expect(
    (await run(['handlers', 'update', 'variable', '--no-secret', '--name', 'bare'])).text,
  ).toMatch(/@bare .*each delivery's hook/)
  expect((await run(['handlers', 'use', 'local'])).text).toMatch(/^\* +@local/)
  expect(
    (await run(['handlers', 'list', '--json'])).json().map(({ name, current }) => [name, current]),
  ).toEqual([
    ['local', true],
    ['hooked', false],
    ['typed', false],
    ['bare', false],
  ])
  expect((await run(['handlers', 'remove', 'typed', '--json'])).json()).toEqual([{ name: 'typed' }])
})

test('wrong usage is explained', async () => {
  const refused = async (...args: string[]) => {
    const { code, stderr } = await run(['handlers', ...args])
    return [code, stderr.split('\n')[0]]
  }
  expect(await refused('use')).toEqual([
    2,
    expect.stringContaining('Enter the name of a handler, or --none.'),
  ])
  expect(await refused('update', 'local')).toEqual([
    2,
    expect.stringContaining('Nothing to change.'),
  ])
  expect(
    await refused('add', 'x', '--url', 'localhost:1', '--hook', hookId, '--secret', 's'),
  ).toEqual([2, expect.stringContaining('Use either --hook or --secret.')])
  expect(await refused('update', 'nobody', '--url', 'localhost:1')).toEqual([
    3,
    expect.stringContaining('Saved handlers: local, '),
  ])
  expect(await refused('add', 'two words', '--url', 'localhost:1')).toEqual([
    2,
    expect.stringContaining('letters, digits'),
  ])
})

test('a replay names its endpoint on standard error: the saved handler, the current one, or the URLs of the hooks', async () => {
  const where = async (...args: string[]) =>
    (await run(['replay', 'latest', ...args])).stderr.split('\n')[0]
  expect(await where('--to', '@local')).toBe(`Replaying to @local: ${handler.url}`)
  expect(await where()).toBe(`Replaying to the current handler, @local: ${handler.url}`)
  expect(await where('--to', handler.url)).toBe('')
  await run(['handlers', 'use', '--none'])
  expect(await where()).toBe("Replaying to the registered URL of each delivery's hook.")
  await run(['handlers', 'use', 'local'])
  expect(await run(['replay', 'latest', '--json'])).toMatchObject({ code: 0 })
})

describe.each([['without Countersign running'], ['with Countersign running']])('%s', (state) => {
  test('check, shrink, flow run and forward take @NAME without a secret, and shrink uses the current handler by default', async () => {
    const isRunning = state.startsWith('with ')
    if (isRunning) await cli.serve(dataFolder)
    const checked = await run([
      'check',
      '@local',
      '--only',
      'first-delivery',
      '--rate',
      '1000',
      '--json',
    ])
    expect([checked.code, checked.json()[0]]).toMatchObject([0, { target: handler.url }])
    const [local] = (await run(['handlers', 'list', '--json'])).json()
    expect(local?.['lastCheck']).toMatchObject({ passed: 1, failed: 0 })
    expect(await run(['shrink', 'latest', '--to', 'handler:local'])).toMatchObject({ code: 1 })
    const shrunk = await run(['shrink', 'latest'])
    expect([shrunk.code, shrunk.stderr.split('\n')[0]]).toEqual([
      1,
      `Shrinking against the current handler, @local: ${handler.url}`,
    ])
    const flow = await run(['flow', 'run', 'card-linked', '--handler', '@local', '--json'])
    expect(flow.code, flow.stderr).toBe(0)
    if (!isRunning) return
    const forward = await run(['forward', '--to', '@nobody'])
    expect(forward).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Handler "nobody" not found') as string,
    })
  })
})

test('no secret was printed', () => {
  expect(printed.length).toBeGreaterThan(40)
  for (const secret of [SECRET, HOOK_SECRET])
    expect(printed.filter((text) => text.includes(secret))).toEqual([])
})
