import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startRawEndpoint } from '../support/replay-fixture.ts'
import { installStandIn, type StandIn } from '../support/standin-tunnels.ts'
import { sendDelivery } from '../support/deliver.ts'
import { cliOfFile, type ServingProcess } from './cli-fixture.ts'

const cli = cliOfFile()
const { run } = cli

let serving: ServingProcess
let standIn: StandIn

beforeAll(async () => {
  standIn = await installStandIn(`${cli.data}-programs`)
  const env = { ...standIn.env, PATH: `${standIn.folder}${delimiter}${process.env['PATH'] ?? ''}` }
  serving = await cli.serveProcess(cli.data, [], { env })
})
afterAll(async () => {
  await serving.stop()
})

test('starts, shows, tests and stops a tunnel', async () => {
  const started = await run`tunnel start cloudflared --json`
  expect(started).toMatchObject({ code: 0 })
  const [tunnel] = started.json()
  expect(tunnel).toMatchObject({
    state: 'up',
    provider: 'cloudflared',
    target: serving.info.receiver,
  })
  const status = await run`tunnel status`
  expect(status.text).toMatch(
    /^up +cloudflared +(https:\/\/stand-in-\d+\.trycloudflare\.com)\npublic URL +\1$/,
  )
  const tested = await run`tunnel test --json`
  expect(tested).toMatchObject({ code: 1 })
  expect(tested.json()).toEqual([
    expect.objectContaining({ url: tunnel?.['url'], outcome: 'unreachable' }),
  ])
  const doctor = await run`doctor --json`
  expect(doctor.code).toBe(1)
  expect(doctor.text).toContain('{"name":"public address","outcome":"failed","message":"stand-in-')
  expect(await run`tunnel stop`).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^stopped +cloudflared/),
  })
  const missing = await run`tunnel start ngrok`
  expect(missing).toMatchObject({ code: 3, text: '' })
  expect(missing.stderr).toContain(
    "ngrok isn't installed on this computer. Get it from https://ngrok.com/download",
  )
})

test('shrinks a body into a file', async () => {
  const url = `${serving.info.receiver}/h/shrunk`
  await run`hooks import --event card.linked --url ${url} --secret whsec_cli --environment sandbox-test`
  await sendDelivery(serving.info.ca, {
    url,
    secret: 'whsec_cli',
    body: '{"a":[1,2,3],"b":{"c":"wrong"}}',
  })
  const handler = await startRawEndpoint(({ body }) => (body.includes('wrong') ? 500 : 200))
  const file = join(`${cli.data}-programs`, 'smallest.json')
  const shrunk = await run`shrink latest --to ${handler.origin} -o ${file}`
  expect(shrunk).toMatchObject({ code: 0, text: '' })
  expect(shrunk.stderr).toContain(
    'Smallest failing body: removing any single field or item makes the handler pass.',
  )
  expect(shrunk.stderr).toMatch(/needs this value +b\.c +"wrong"/)
  expect(await readFile(file, 'utf8')).toBe('{"b":{"c":"wrong"}}')
  // A token that wasn't saved can't be found.
  const before = handler.requests.length
  expect(
    await run`shrink latest --to ${handler.origin} -o ${join(cli.data, 'none', 'a.json')}`,
  ).toMatchObject({ code: 3 })
  expect(handler.requests).toHaveLength(before)
  await handler.close()
})
