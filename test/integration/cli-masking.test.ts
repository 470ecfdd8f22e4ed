import { beforeAll, expect, test } from 'vitest'
import { signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()
const { run } = cli

/** In a comparison masked values have numbers, so that different ones differ. */
const MASKED = /\[masked(?: \d)?\]/
const SECRET = 'whsec_of_the_masked_hook'
const TOKEN = 'token-of-the-custom-header'
/** Set by another program, and by hook's custom header. */
const BEARER = 'Bearer of-a-gateway'
const TENANT = 't7'
const ordinary: [string, string][] = [
  ['X-Request-Id', 'request-7'],
  ['CF-Ray', '8f0-LHR'],
  ['traceparent', '00-7-7-01'],
  ['X-Forwarded-Proto', 'https'],
  ['Content-MD5', 'XrY7u+Ae7tCTyyK7j1rNww=='],
  ['Idempotency-Key', 'key-7'],
]
const ATTEMPT_NUMBER: [string, string] = ['Service-Attempt-Number', '1']
const bodies = [`{"amount":1,"echo":"${TOKEN}0"}`, `{"amount":2,"echo":"${SECRET}"}`]

beforeAll(async () => {
  const app = await coreInFolder({ dataFolder: cli.data })
  const url = `${app.receiver}/h/one`
  await app.call('hooks.import', { event: 'transaction.auth', url, secret: SECRET })
  await app.call('sandbox.sample', {})
  await app.call('hooks.add', {
    event: 'card.linked',
    url: `${app.receiver}/h/two`,
    programId: await app.program(),
    environment: 'sandbox-test',
    headers: { 'X-Tenant': TENANT },
  })
  for (const [index, body] of bodies.entries())
    await app.send(`${url}?key=${SECRET}`, {
      body,
      headers: [
        ...signedHeaders(SECRET, body, url),
        ['X-Token', `${TOKEN}${index}`],
        ['User-Agent', `agent ${TOKEN}${index}`],
        ['Proxied', BEARER],
        ['x-tenant', TENANT],
        ...ordinary,
        ATTEMPT_NUMBER,
      ],
    })
  await app.stop()
})

test.each([
  'deliveries',
  'deliveries --json',
  'show latest',
  'show latest --json',
  'compare latest~1 latest --all',
  'compare latest~1 latest --all --json',
])('%s masks secrets and credentials by default', async (line) => {
  const args = line.split(' ')
  const { text } = await run`${args}`
  expect(text).toMatch(MASKED)
  expect(text).not.toContain(SECRET)
  expect(text).not.toContain(TOKEN)
  const clear = await run`${args} --include-secrets`
  expect(clear.text).not.toMatch(MASKED)
  expect(clear.text).toContain(SECRET)
})

test('show lists each header and masks credentials only', async () => {
  const { text } = await run`show latest`
  for (const [name, value] of [...ordinary, ATTEMPT_NUMBER])
    expect(text).toContain(`\n${name}: ${value}\n`)
  expect(text).toContain('\nProxied: [masked]\nx-tenant: [masked]\n')
  expect(text).toContain('\nX-Token: [masked]\nUser-Agent: agent [masked]\n')
  expect(text).toContain('\n{"amount":2,"echo":"[masked]"}')
  expect((await run`show latest --include-secrets`).text).toContain(`\nX-Token: ${TOKEN}1\n`)
})

test('two masked values that differ have different numbers', async () => {
  const compared = await run`compare latest~1 latest --all --json`
  expect(compared.code).toBe(1)
  const differences = [
    { kind: 'changed', path: 'X-Token', left: '[masked 1]', right: '[masked 6]' },
    { kind: 'changed', path: 'User-Agent', left: 'agent [masked 2]', right: 'agent [masked 7]' },
  ]
  expect(compared.json()[0]).toMatchObject({ same: false })
  expect(
    (compared.json()[0]?.['headers'] as { differences: unknown[] } | undefined)?.differences,
  ).toEqual(
    expect.arrayContaining(differences.map((difference) => expect.objectContaining(difference))),
  )
  const { text } = await run`compare latest~1 latest --all`
  expect(text).toContain('\n- X-Token: [masked 1]\n+ X-Token: [masked 6]\n')
})

test("an export masks every header that a hook can set, and shows the service's own", async () => {
  const { text } = await run`export latest`
  for (const [name] of ordinary) expect(text).toContain(`["${name}","[masked]"]`)
  expect(text).toContain(JSON.stringify(ATTEMPT_NUMBER))
})
