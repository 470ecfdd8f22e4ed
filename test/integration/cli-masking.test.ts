/** Secrets and custom header values in captured requests: stored as received, masked in command output. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDeliverer, signedHeaders } from '../support/deliver.ts'
import { coreInFolder } from '../support/in-folder.ts'
import { prepareCli, type Cli } from './cli-fixture.ts'

const SECRET = 'whsec_of_the_masked_hook'
const TOKEN = 'token-of-the-custom-header'
const bodies = [`{"amount":1,"echo":"${TOKEN}0"}`, `{"amount":2,"echo":"${SECRET}"}`]

let cli: Cli
let data: string
const run = (...args: string[]) => cli.run([...args, '--data', data])

beforeAll(async () => {
  cli = await prepareCli()
  data = cli.newDataFolder()
  const app = await coreInFolder({ dataFolder: data })
  const url = `${app.receiver}/h/one`
  await app.client.call('hooks.import', {
    event: 'transaction.auth',
    url,
    secret: SECRET,
    environment: 'sandbox-test',
  })
  const deliverer = createDeliverer(app.caFile)
  for (const [index, body] of bodies.entries())
    await deliverer.send(`${url}?key=${SECRET}`, {
      body,
      headers: [
        ...signedHeaders(SECRET, body, url),
        ['X-Token', `${TOKEN}${index}`],
        ['User-Agent', `agent ${TOKEN}${index}`],
      ],
    })
  deliverer.close()
  await app.stop()
})
afterAll(() => cli.cleanUp())

test.each([
  'deliveries',
  'deliveries --json',
  'show latest',
  'show latest --json',
  'compare latest~1 latest --all',
  'compare latest~1 latest --all --json',
  'compare latest~1 latest --patch',
])('%s masks secrets and custom header values by default', async (line) => {
  const args = line.split(' ')
  const { text } = await run(...args)
  expect(text).toContain('[masked]')
  expect(text).not.toContain(SECRET)
  expect(text).not.toContain(TOKEN)
  const clear = await run(...args, '--include-secrets')
  expect(clear.text).not.toContain('[masked]')
  expect(clear.text).toContain(SECRET)
})

test('show lists each header and masks custom values', async () => {
  const { text } = await run('show', 'latest')
  expect(text).toContain('\nX-Token: [masked]\nUser-Agent: agent [masked]\n')
  expect(text).toContain('\n{"amount":2,"echo":"[masked]"}')
  expect((await run('show', 'latest', '--include-secrets')).text).toContain(
    `\nX-Token: ${TOKEN}1\n`,
  )
})

test('two masked values that differ still differ', async () => {
  const compared = await run('compare', 'latest~1', 'latest', '--all', '--json')
  expect(compared.code).toBe(1)
  const differences = [
    { kind: 'changed', path: 'X-Token', left: '[masked]', right: '[masked]' },
    { kind: 'changed', path: 'User-Agent', left: 'agent [masked]', right: 'agent [masked]' },
  ]
  expect(compared.json()[0]).toMatchObject({ same: false })
  expect(
    (compared.json()[0]?.['headers'] as { differences: unknown[] } | undefined)?.differences,
  ).toEqual(
    expect.arrayContaining(
      differences.map((difference) => expect.objectContaining(difference) as unknown),
    ),
  )
})
