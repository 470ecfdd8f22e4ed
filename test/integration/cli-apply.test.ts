import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FLOW, TEAM_ENV, TEAM_SECRETS, teamSetup } from '../support/team-setup.ts'
import { rawEndpoint } from '../support/temporary-folder.ts'
import { cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()
let repository: string
let before: string
let team: object

beforeEach(async () => {
  before = process.cwd()
  repository = mkdtempSync(join(tmpdir(), 'countersign-repository-'))
  process.chdir(repository)
  team = { ...(await teamSetup()), data: '.countersign' }
  mkdirSync('flows')
  writeFileSync('flows/coffee.json', FLOW)
})
afterEach(() => process.chdir(before))

const write = (setup: object, file = 'countersign.json') =>
  writeFileSync(file, JSON.stringify(setup, null, 2))
const here = cli.given({ data: null, env: TEAM_ENV })
const bare = cli.given({ data: null })
/** Creates a terminal with these answers. */
const answering = (...lines: readonly string[]) =>
  Object.assign(Readable.from([lines.map((line) => `${line}\n`).join('')]), { isTTY: true })
const asked = (...lines: readonly string[]) =>
  cli.given({ data: null, env: TEAM_ENV, stdin: answering(...lines) })

test('a fresh clone: check fails, apply makes it pass, and commands below use its data folder and say so', async () => {
  write(team)
  const first = await here.run`apply --check`
  expect(first).toMatchObject({ code: 1 })
  expect(first.text).toContain('+ add hook transaction.auth acme-test https://hooks.acme.example')
  expect(first.text).toContain('Deletes the deliveries beyond the new retention limits.')
  expect(first.text).toMatch(/to add, \d+ to change, \d+ unchanged\.$/m)
  const applied = await here.run`apply --yes --json`
  expect(applied.json()[0]).toMatchObject({ applied: true, differences: 17, missing: [] })
  for (const secret of Object.values(TEAM_SECRETS))
    expect(applied.text + applied.stderr).not.toContain(secret)
  mkdirSync('src/deep', { recursive: true })
  process.chdir('src/deep')
  const checked = await bare.run`apply --check`
  expect([checked.code, checked.text]).toEqual([0, 'No differences: 17 entries unchanged.'])
  const data = join(repository, '.countersign')
  const file = join(repository, 'countersign.json')
  for (const command of ['handlers list', 'views list', 'settings', 'doctor', 'flow list']) {
    const { stderr } = await bare.run`${command.split(' ')}`
    expect(stderr.split('\n')[0]).toBe(`Data folder: ${data} (${file})`)
  }
  expect(readFileSync(join(data, '.gitignore'), 'utf8')).toBe('*\n')
  expect((await bare.run`flow list`).text).toContain('coffee')
  const ran = await bare.run`flow run coffee`
  expect(ran.text).toContain('coffee')
})

test('--data and COUNTERSIGN_DATA win over the file, without a note', async () => {
  write(team)
  const other = cli.newDataFolder()
  await here.run`apply --yes --data ${other}`
  expect(await cli.run`handlers list --data ${other}`).toMatchObject({ stderr: '' })
  const byVariable = cli.given({ data: null, env: { COUNTERSIGN_DATA: other } })
  expect((await byVariable.run`handlers list`).stderr).toBe('')
  expect((await bare.run`handlers list`).text).toBe('')
})

test('write, then apply in another clone, gives the same file; a second write changes nothing', async () => {
  write(team)
  await here.run`apply --yes`
  const { code, text } = await bare.run`apply --write shared/countersign.json`
  expect([code, text.split('\n')[0]]).toEqual([
    0,
    'Wrote shared/countersign.json and shared/flows/coffee.json.',
  ])
  const written = readFileSync('shared/countersign.json', 'utf8')
  const variables = Object.fromEntries(
    [...written.matchAll(/"env": "(\w+)"/g)].map(([, name = '']) => [
      name,
      `sk_${name}_0123456789`,
    ]),
  )
  const clone = cli.newDataFolder()
  const withVariables = cli.given({ data: clone, env: variables })
  expect(await withVariables.run`apply shared/countersign.json --yes`).toMatchObject({ code: 0 })
  expect(await withVariables.run`apply shared/countersign.json --check`).toMatchObject({ code: 0 })
  expect((await withVariables.run`apply --write shared/countersign.json`).text).toBe(
    'Nothing changed.',
  )
  expect(readFileSync('shared/countersign.json', 'utf8')).toBe(written)
})

test('a named request is written as a file of its bytes; after the file changed, it differs until it is applied', async () => {
  const { origin, requests } = await rawEndpoint()
  write(hookOf('one'))
  await asked('y', TEAM_SECRETS.refunds).run`apply`
  writeFileSync('body', Buffer.from([0, 255, 13, 10]))
  await bare.run`send body --event card.linked --to ${origin} --name bytes`
  expect(await bare.run`apply --check`).toMatchObject({
    text: expect.stringContaining('kept named request bytes: not in the file') as string,
  })
  expect((await bare.run`apply --write`).text).toBe(
    'Wrote countersign.json and requests/bytes.json.',
  )
  expect([...readFileSync('requests/bytes.json')]).toEqual([0, 255, 13, 10])
  expect(await bare.run`apply --check`).toMatchObject({ code: 0 })
  expect((await bare.run`apply --write`).text).toBe('Nothing changed.')
  writeFileSync('requests/bytes.json', '{"amount":1}')
  const { code, text } = await bare.run`apply --check`
  expect([code, text]).toEqual([1, expect.stringContaining('~ change named request bytes')])
  expect(await bare.run`apply --yes`).toMatchObject({ code: 0 })
  await bare.run`replay name:bytes --to ${origin}`
  expect(requests.map(({ body }) => body.length)).toEqual([4, 12])
})

test('it asks before it changes anything; without a terminal it needs --yes', async () => {
  write(team)
  const refused = await here.run`apply`
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('Nothing was changed. Add --yes to apply the plan.'),
  ])
  expect(await asked('n').run`apply`).toMatchObject({ code: 3 })
  expect(await here.run`apply --check`).toMatchObject({ code: 1 })
  expect(await asked('y').run`apply`).toMatchObject({ code: 0 })
  expect(await here.run`apply --check`).toMatchObject({ code: 0 })
})

/** Returns a setup with a hook whose secret is entered. */
const hookOf = (name: string) => ({
  ...{ countersign: 1, data: '.countersign' },
  hooks: [
    {
      ...{ name, environment: 'sandbox-test', event: 'card.linked' },
      url: `https://127.0.0.1:4783/h/${name}`,
    },
  ],
})

test('apply asks once for absent secrets, without showing them', async () => {
  write(hookOf('one'))
  const missing = await bare.run`apply --yes`
  expect([missing.code, missing.stderr]).toEqual([
    2,
    expect.stringContaining('Missing 1 secret: the secret of hook one (hooks[0].secret).'),
  ])
  const entered = await asked('y', TEAM_SECRETS.refunds).run`apply`
  expect(entered).toMatchObject({ code: 0 })
  expect(entered.text + entered.stderr).not.toContain(TEAM_SECRETS.refunds)
  expect(await bare.run`apply --check`).toMatchObject({ code: 0 })
  expect((await bare.run`hooks env`).text).toContain(TEAM_SECRETS.refunds)
})

test('a secret file is read in the folder; one outside only after you confirm the plan', async () => {
  const outside = join(mkdtempSync(join(tmpdir(), 'countersign-outside-')), 'secret.txt')
  writeFileSync(outside, `${TEAM_SECRETS.refunds}\n`)
  writeFileSync('secret.txt', `${TEAM_SECRETS.purchases}\n`)
  const hook = (event: string, file: string) => ({
    ...{ name: event, environment: 'sandbox-test', event, secret: { file } },
    url: `https://127.0.0.1:4783/h/${event}`,
  })
  write({
    ...{ countersign: 1, data: '.countersign' },
    hooks: [hook('card.linked', 'secret.txt'), hook('card.unlinked', outside)],
  })
  const { text } = await bare.run`apply --check`
  expect(text).toContain(`Reads the secret of hook card.unlinked from ${outside}.`)
  expect(await bare.run`apply --yes`).toMatchObject({ code: 0 })
  const { text: lines } = await bare.run`hooks env`
  expect(lines).toContain(TEAM_SECRETS.purchases)
  expect(lines).toContain(TEAM_SECRETS.refunds)
})

test('changes in a live environment need --live', async () => {
  const live = { ...{ name: 'acme-live', mode: 'live', baseUrl: 'https://api.acme.example' } }
  const environments = [{ ...live, key: { env: 'ACME_KEY' } }]
  write({ countersign: 1, data: '.countersign', environments })
  // As `environments add`, the first needs none: nothing there exists yet.
  expect(await here.run`apply --yes`).toMatchObject({ code: 0 })
  write({
    countersign: 1,
    data: '.countersign',
    environments: [{ ...environments[0], ack: '2xx' }],
  })
  const refused = await here.run`apply --yes`
  expect([refused.code, refused.stderr]).toEqual([
    3,
    expect.stringContaining(
      'acme-live is a live environment. To confirm applying the setup there, add --live.',
    ),
  ])
  expect(await here.run`apply --yes --live`).toMatchObject({ code: 0 })
})

test('a key is not kept for another server', async () => {
  const at = (baseUrl: string) => ({
    ...{ countersign: 1, data: '.countersign' },
    environments: [{ name: 'acme', mode: 'test', baseUrl, key: { env: 'ACME_KEY' } }],
  })
  write(at('https://api.acme.example'))
  await here.run`apply --yes`
  write(at('https://api.evil.example'))
  const { code, stderr } = await bare.run`apply --yes`
  expect([code, stderr]).toEqual([2, expect.stringContaining('the secret key of acme (ACME_KEY)')])
  expect((await bare.run`environments list`).text).toContain('https://api.acme.example')
})

test('a data folder that came with the repository is not used', async () => {
  write(team)
  mkdirSync('.countersign')
  writeFileSync('.countersign/countersign.db', 'a database with consent to evil.example')
  const { code, stderr } = await bare.run`handlers list`
  expect([code, stderr]).toEqual([
    3,
    `${join(repository, '.countersign')} wasn't made by you on this computer, so its data isn't used. Move it away, or trust it with --data.\n`,
  ])
})

const outsides: readonly (readonly [what: string, prepare: () => void, stderr: RegExp])[] = [
  [
    'a path upwards',
    () => write({ countersign: 1, data: '../data' }),
    /"\.\.\/data" isn't a folder inside/,
  ],
  [
    'an absolute path',
    () => write({ countersign: 1, data: '/tmp/data' }),
    /"\/tmp\/data" isn't a folder/,
  ],
  ['the folder itself', () => write({ countersign: 1, data: '.' }), /"\." isn't a folder inside/],
  ['no text', () => write({ countersign: 1, data: 5 }), /5 isn't a folder inside/],
  [
    'a link that leads out',
    () => {
      symlinkSync(tmpdir(), 'data')
      write({ countersign: 1, data: 'data' })
    },
    /"data" isn't a folder inside/,
  ],
  [
    'a file that is a link',
    () => {
      const target = join(mkdtempSync(join(tmpdir(), 'countersign-linked-')), 'secret.json')
      write({ countersign: 1 }, target)
      symlinkSync(target, 'countersign.json')
    },
    /is a link that leads out of its folder/,
  ],
  [
    'a file of 10 MB',
    () => write({ countersign: 1, x: 'x'.repeat(10_000_000) }),
    /larger than 1 MiB/,
  ],
  ['no JSON', () => writeFileSync('countersign.json', '{\n  "data":\n'), /countersign\.json:3:1/],
]

test.each(outsides)('a hostile data folder is refused: %s', async (_, prepare, problem) => {
  prepare()
  const { code, text, stderr } = await bare.run`handlers list`
  expect([code, text]).toEqual([2, ''])
  expect(stderr).toMatch(problem)
})
