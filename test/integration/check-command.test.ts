/** `countersign check`: exit codes, thresholds, reports, and required consent. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { REGISTERED_URL, SECRET, startHandler, type Handler } from '../support/check-handlers.ts'
import { prepareCli, type Cli, type Ran } from './cli-fixture.ts'

let cli: Cli
let dataFolder: string
let handler: Handler
beforeAll(async () => {
  cli = await prepareCli()
})
beforeEach(async () => {
  dataFolder = cli.newDataFolder()
  handler = await startHandler('no-timestamp-check')
})
afterEach(() => handler.close())

function check(...args: string[]): Promise<Ran> {
  const how = ['--registered-url', REGISTERED_URL, '--rate', '10000', '--data', dataFolder]
  return cli.run(['check', handler.url, ...how, ...args], { env: { COUNTERSIGN_SECRET: SECRET } })
}

test('a failed case exits with 1, allowed failures with 0, and no data folder is created', async () => {
  const ran = await check('--only', 'time', '--json')
  const [report] = ran.json()
  expect([ran.code, Object.keys(report ?? {})]).toEqual([
    1,
    [
      'target',
      'registeredUrl',
      'startedAt',
      'passed',
      'failed',
      'skipped',
      'score',
      'conclusions',
      'cases',
    ],
  ])
  expect(report).toMatchObject({
    target: handler.url,
    passed: 2,
    failed: 4,
    skipped: 0,
    conclusions: [{ cause: 'no-time' }],
  })
  const cases = report?.['cases'] as Record<string, unknown>[]
  expect(cases.map(({ name, outcome }) => [name, outcome])).toEqual([
    ['first-delivery', 'pass'],
    ['stale', 'fail'],
    ['future', 'fail'],
    ['seconds', 'fail'],
    ['no-number', 'fail'],
    ['clock-difference', 'pass'],
  ])
  for (const one of cases)
    for (const field of ['name', 'group', 'outcome', 'sent', 'expected', 'got', 'why', 'fix'])
      expect(one).toHaveProperty(field)
  expect(await check('--only', 'time', '--max-failed', '3')).toMatchObject({ code: 1 })
  const allowed = [
    'check',
    handler.url,
    '--only',
    'time',
    '--max-failed',
    '4',
    '--rate',
    '10000',
    '--data',
    dataFolder,
  ]
  expect(await cli.runProcess(allowed, { env: { COUNTERSIGN_SECRET: SECRET } })).toMatchObject({
    code: 0,
  })
  expect(existsSync(dataFolder)).toBe(false)
})

test('the terminal output shows each case, then the cause and a summary; reports are written', async () => {
  const [junit, html] = [
    join(cli.newDataFolder(), '..', 'check.xml'),
    join(cli.newDataFolder(), '..', 'check.html'),
  ]
  const ran = await check(
    '--only',
    'time',
    '--only',
    'forged',
    '--skip',
    'host-*',
    '--junit',
    junit,
    '--html',
    html,
  )
  expect(ran.code).toBe(1)
  expect(ran.text).toMatch(/^Rejects forged deliveries\n✓ pass {2}altered-body/m)
  expect(ran.text).toMatch(/^✕ fail {2}stale +Your handler accepted this delivery: 200/m)
  expect(ran.text).not.toContain('host-url')
  expect(ran.text).toContain("Your handler doesn't check the timestamp")
  expect(ran.text).toMatch(/\n8 passed, 4 failed, 0 skipped\. Score: \d\d\/100\.$/)
  expect(readFileSync(junit, 'utf8')).toContain('tests="12" failures="4"')
  expect(readFileSync(html, 'utf8')).toContain('8 passed, 4 failed, 0 skipped')
  for (const text of [
    ran.text,
    ran.stderr,
    readFileSync(junit, 'utf8'),
    readFileSync(html, 'utf8'),
  ])
    expect(text).not.toContain(SECRET)
})

test('a closed port exits with 3 and one sentence, also in JSON and reports', async () => {
  await handler.close()
  const junit = join(cli.newDataFolder(), '..', 'closed.xml')
  const ran = await check('--junit', junit)
  expect([ran.code, ran.text]).toEqual([3, ''])
  expect(ran.stderr.trim()).toMatch(/^Connection refused at 127\.0\.0\.1:\d+\. Start [^\n]+\.$/)
  expect(readFileSync(junit, 'utf8')).toContain('failures="1"')
  const asJson = await check('--json')
  expect(asJson.code).toBe(3)
  const [report] = asJson.json()
  expect(report).toMatchObject({ failed: 1, score: null, conclusions: [{ cause: 'unreachable' }] })
  // Nothing is sent to a port that refused the first delivery.
  expect(report?.['cases']).toHaveLength(Number(report?.['skipped']) + 1)
  handler = await startHandler()
})

test('there is no score while a critical case fails, and no severity on a passed case', async () => {
  handler.become('never-checks')
  const [junit, html] = [
    join(cli.newDataFolder(), '..', 'severe.xml'),
    join(cli.newDataFolder(), '..', 'severe.html'),
  ]
  const ran = await check('--only', 'forged', '--junit', junit, '--html', html)
  expect(ran.text).toMatch(/\n\d+ passed, \d+ failed, 0 skipped\.$/)
  expect(readFileSync(html, 'utf8')).toContain('no score')
  const passed = [...readFileSync(html, 'utf8').matchAll(/<details>[^]*?<\/details>/g)].map(
    ([text]) => text,
  )
  expect(passed.length).toBeGreaterThan(0)
  for (const text of passed) expect(text).not.toContain('Severity')
  expect(readFileSync(html, 'utf8')).toMatch(/<details open>[^]*?<dt>Severity<\/dt>\s*<dd>critical/)
  expect(readFileSync(junit, 'utf8')).toContain('Severity: critical')
  expect((await check('--only', 'forged', '--json')).json()[0]).toMatchObject({ score: null })
  handler.become(null)
  expect((await check('--only', 'forged', '--json')).json()[0]).toMatchObject({ score: 100 })
})

test('if Countersign is running, it stores the check', async () => {
  const serving = await cli.serve(dataFolder)
  const ran = await check('--only', 'time', '--header', 'X-Tenant: b')
  expect([ran.code, ran.text]).toEqual([
    1,
    expect.stringContaining('2 passed, 4 failed, 0 skipped.'),
  ])
  expect(handler.requests.every(({ headers }) => headers['x-tenant'] === 'b')).toBe(true)
  await serving.stop()
})

test("if Countersign isn't running, the data folder's hooks are used, so a live secret needs consent", async () => {
  const serving = await cli.serve(dataFolder)
  const hook = [
    '--event',
    'transaction.auth',
    '--url',
    REGISTERED_URL,
    '--secret',
    SECRET,
    '--environment',
    'sandbox-live',
  ]
  const imported = await cli.run([
    'hooks',
    'import',
    ...hook,
    '--live',
    '--json',
    '--data',
    dataFolder,
  ])
  expect(imported.code).toBe(0)
  await serving.stop()
  for (const more of [[], ['--program-status']]) {
    const refused = await check('--only', 'first-delivery', ...more)
    expect([refused.code, handler.requests.length]).toEqual([3, 0])
    expect(refused.stderr).toContain('sandbox-live is a live environment')
  }
  expect(await check('--only', 'first-delivery', '--live')).toMatchObject({
    code: 0,
    text: expect.stringContaining('1 passed') as string,
  })
  // The hook has the secret and the registered URL.
  const id = String(imported.json()[0]?.['id'])
  const byHook = ['check', handler.url, '--hook', id, '--only', 'first-delivery', '--live']
  expect(await cli.run([...byHook, '--data', dataFolder])).toMatchObject({
    code: 0,
    text: expect.stringContaining('1 passed') as string,
  })
  const unsaved = await cli.run([...byHook, '--data', cli.newDataFolder()])
  expect([unsaved.code, unsaved.stderr]).toEqual([
    3,
    expect.stringContaining(`Hook "${id}" not found. No hooks are saved yet.`),
  ])
})

test('the cases are listed; wrong usage exits with 2', async () => {
  const known = cli.newDataFolder()
  const environment = ['--mode', 'test', '--base-url', 'https://127.0.0.1:1', '--key', 'sk']
  expect(
    (await cli.run(['environments', 'add', 'staging', ...environment, '--data', known])).code,
  ).toBe(0)
  const listed = await cli.run(['check', '--list', '--json'])
  expect([listed.code, listed.json()[0]?.['name']]).toEqual([0, 'first-delivery'])
  const some = await cli.run(['check', '--list', '--only', 'time', '--skip', 'stale*', '--json'])
  expect(some.json().map(({ group }) => group)).toEqual([
    'genuine',
    ...some
      .json()
      .slice(1)
      .map(() => 'time'),
  ])
  expect(some.json().length).toBeLessThan(10)
  const nowhere = await check('--junit', join(dataFolder, 'none', 'check.xml'))
  expect(nowhere).toMatchObject({
    code: 3,
    text: '',
    stderr: expect.stringContaining('Create it, or choose another file') as string,
  })
  expect((await check('--junit', join(dataFolder, '..'))).stderr).toContain('it is a folder')
  const file = join(cli.newDataFolder(), '..', 'one.xml')
  const prefix = (name: string) =>
    [
      ['--prefix', name],
      name === '' ? '--prefix needs a value.' : `"${name}" can't be used in the header name`,
    ] as const
  for (const [args, says] of [
    prefix('a b'),
    prefix('ü'),
    prefix('X:'),
    prefix(''),
    [['--registered-url', 'foo'], '"foo" isn\'t a valid URL'],
    [
      ['--junit', file, '--html', join(file, '..', '.', 'one.xml')],
      "Two reports can't use the same file",
    ],
  ] as const)
    for (const folder of [dataFolder, known])
      expect(
        await cli.run(['check', handler.url, '--secret', SECRET, ...args, '--data', folder]),
      ).toMatchObject({
        code: 2,
        text: '',
        stderr: expect.stringContaining(says) as string,
      })
  for (const args of [
    [],
    ['example.com:3000', '--secret', 's'],
    [handler.url],
    [handler.url, '--secret', 's', '--only', 'none'],
  ])
    expect(await cli.run(['check', ...args, '--data', dataFolder])).toMatchObject({
      code: 2,
      text: '',
    })
  expect(handler.requests).toHaveLength(0)
})
