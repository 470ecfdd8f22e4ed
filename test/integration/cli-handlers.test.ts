import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rightAnswer, startFlowHandler, type TestHandler } from '../support/flow-fixture.ts'
import { startTestCore } from '../support/test-core.ts'
import { signedHeaders } from '../support/deliver.ts'
import { cliOfFile, wordsOf, type RunOptions } from './cli-fixture.ts'

const cli = cliOfFile()

const HOOK_SECRET = 'whsec_of_the_hook_0123456789'
const SECRET = 'whsec_of_the_handler_0123456789'

let handler: TestHandler
let hookId: string
let hookUrl: string

const printed: string[] = []
const given =
  (options: RunOptions): typeof cli.run =>
  async (...typed) => {
    const ran = await cli.given(options).run(...typed)
    printed.push(ran.text, ran.stderr)
    return ran
  }
const run = given({})
const json: typeof cli.json = async (parts, ...values) =>
  (await run`${wordsOf(parts, values)} --json`).json()

beforeAll(async () => {
  handler = await startFlowHandler(SECRET, rightAnswer)
  const core = await startTestCore({ dataFolder: cli.data })
  hookUrl = `${core.receiver}/h/one`
  const hook = {
    event: 'transaction.auth',
    url: hookUrl,
    secret: HOOK_SECRET,
  }
  hookId = (await core.call('hooks.import', hook)).id
  await core.send(hookUrl, {
    body: '{"a":1}',
    headers: signedHeaders(HOOK_SECRET, '{"a":1}', hookUrl),
  })
  await core.stop()
})
afterAll(async () => {
  await handler.close()
})

test('nothing is saved yet', async () => {
  expect(await run`handlers list --json`).toMatchObject({ code: 0, text: '' })
  expect(await run`replay latest --to @local`).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('Handler "local" not found. Save one with'),
  })
})

test('add, update, use, list and remove print a handler without its secret', async () => {
  await writeFile('secret.txt', `${SECRET}\n`)
  const added =
    await run`handlers add local --url localhost:3000/webhooks --secret-file secret.txt --json`
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
  expect(await json`handlers update local --url ${url} --registered-url ${url}`).toEqual([
    { ...local, url, registeredUrl: url },
  ])
  expect(await json`handlers update ${'@local'.slice(1)} --no-registered-url`).toEqual([
    { ...local, url },
  ])
  expect(await json`handlers update local --prefix acme`).toEqual([
    { ...local, url, prefix: 'acme' },
  ])
  expect(await json`handlers update local --no-prefix`).toEqual([{ ...local, url }])
  const hooked = await given({
    env: { COUNTERSIGN_SECRET: 'ignored' },
  })`handlers add hooked --url ${url} --hook ${hookId}`
  expect(hooked.text).toMatch(/^ {3}@hooked {2}.* {2}hook transaction\.auth {2}not checked$/)
  const fromInput = await given({
    stdin: SECRET,
  })`handlers add typed --url ${url} --secret -`
  expect(fromInput.text).toMatch(/own secret/)
  const fromVariable = await given({
    env: { COUNTERSIGN_SECRET: SECRET },
  })`handlers add variable --url ${url}`
  expect(fromVariable.text).toMatch(/own secret/)
  expect((await run`handlers update variable --no-secret --name bare`).text).toMatch(
    /@bare .*each delivery's hook/,
  )
  expect((await run`handlers use local`).text).toMatch(/^\* +@local/)
  expect((await json`handlers list`).map(({ name, current }) => [name, current])).toEqual([
    ['local', true],
    ['hooked', false],
    ['typed', false],
    ['bare', false],
  ])
  expect(await json`handlers remove typed`).toEqual([{ name: 'typed' }])
})

test('a replay names its endpoint on standard error: the saved handler, the current one, or the URLs of the hooks', async () => {
  const where = async (...args: string[]) =>
    (await run`replay latest ${args}`).stderr.split('\n')[0]
  expect(await where('--to', '@local')).toBe(`Replaying to @local: ${handler.url}`)
  expect(await where()).toBe(`Replaying to the current handler, @local: ${handler.url}`)
  expect(await where('--to', handler.url)).toBe('')
  await run`handlers use --none`
  expect(await where()).toBe("Replaying to the registered URL of each delivery's hook.")
  await run`handlers use local`
  expect(await run`replay latest --json`).toMatchObject({ code: 0 })
})

test('shrink and flow run take @NAME without a secret, and shrink uses the current handler by default', async () => {
  expect(await run`shrink latest --to handler:local`).toMatchObject({ code: 1 })
  const shrunk = await run`shrink latest`
  expect([shrunk.code, shrunk.stderr.split('\n')[0]]).toEqual([
    1,
    `Shrinking against the current handler, @local: ${handler.url}`,
  ])
  const flow = await run`flow run card-linked --handler @local --json`
  expect(flow.code, flow.stderr).toBe(0)
})

test('no secret was printed', () => {
  expect(printed.length).toBeGreaterThan(25)
  for (const secret of [SECRET, HOOK_SECRET])
    expect(printed.filter((text) => text.includes(secret))).toEqual([])
})
