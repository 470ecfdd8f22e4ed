import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { REGISTERED_URL, SECRET, startHandler, type Handler } from '../support/check-handlers.ts'
import { coreInFolder } from '../support/in-folder.ts'
import type { TestCore } from '../support/test-core.ts'
import { cliOfFile, wordsOf } from './cli-fixture.ts'

const cli = cliOfFile()

let handler: Handler
beforeEach(async () => {
  handler = await startHandler('no-timestamp-check')
})
afterEach(() => handler.close())

const how = `--registered-url ${REGISTERED_URL} --rate 10000`.split(' ')
let { data } = cli
const check: typeof cli.run = (parts, ...values) =>
  cli.given({ env: { COUNTERSIGN_SECRET: SECRET }, command: 'check', data })
    .run`${handler.url} ${how} ${wordsOf(parts, values)}`

test('a failed case exits with 1, allowed failures with 0, and no data folder is created', async () => {
  const ran = await check`--only time --json`
  const [report] = ran.json()
  expect(ran.code).toBe(1)
  expect(report).toMatchObject({
    target: handler.url,
    passed: 2,
    failed: 4,
    skipped: 0,
    conclusions: [{ cause: 'no-time' }],
    causes: [{ cause: 'no-time', cases: ['stale', 'future', 'seconds', 'no-number'] }],
    unexplained: { cases: [] },
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
  expect(await check`--only time --max-failed 3`).toMatchObject({ code: 1 })
  const allowed = await check`--only time --max-failed 4`
  expect(allowed.code).toBe(0)
  expect(existsSync(cli.data)).toBe(false)
})

test("if Countersign isn't running, the data folder's hooks are used, so a live secret needs consent", async () => {
  const imported =
    await cli.run`hooks import --event transaction.auth --url ${REGISTERED_URL} --secret ${SECRET} --environment sandbox-live --live --json`
  expect(imported.code).toBe(0)
  for (const more of [[], ['--program-status']]) {
    const refused = await check`--only first-delivery ${more}`
    expect([refused.code, handler.requests.length]).toEqual([3, 0])
    expect(refused.stderr).toContain('sandbox-live is a live environment')
  }
  expect(await check`--only first-delivery --live`).toMatchObject({
    code: 0,
    text: expect.stringContaining('1 passed'),
  })
  // The hook has the secret and the registered URL.
  const id = String(imported.json()[0]?.['id'])
  const byHook = ['check', handler.url, '--hook', id, '--only', 'first-delivery', '--live']
  expect(await cli.run`${byHook}`).toMatchObject({
    code: 0,
    text: expect.stringContaining('1 passed'),
  })
  const unsaved = await cli.given({ data: cli.newDataFolder() }).run`${byHook}`
  expect([unsaved.code, unsaved.stderr]).toEqual([
    3,
    expect.stringContaining(`Hook ${id} not found.`),
  ])
})

describe('with Countersign running', () => {
  let core: TestCore
  beforeAll(async () => {
    core = await coreInFolder()
    data = core.dataFolder
  })

  test('the terminal output shows each case, then the cause and a summary; reports are written', async () => {
    const reports = ['check.xml', 'check.html', 'check.md'].map((name) => join(cli.folder, name))
    const [junit = '', html = '', summary = ''] = reports
    const ran =
      await check`--only time --only forged --skip host-* --junit ${junit} --html ${html} --summary ${summary}`
    expect(ran.code).toBe(1)
    expect(ran.text).toMatch(/^Rejects forged deliveries\n✓ pass {2}altered-body/m)
    expect(ran.text).toMatch(/^✕ fail {2}stale +Your handler accepted this delivery: 200/m)
    expect(ran.text).not.toContain('host-url')
    expect(ran.text).toMatch(
      /\n1 cause explains all 4 failed checks\.\n\nDoesn't check the timestamp\n4 checks\. A captured delivery can/,
    )
    expect(ran.text).toMatch(/\n11 passed, 4 failed, 0 skipped\. Score: \d\d\/100\.$/)
    expect(readFileSync(junit, 'utf8')).toContain('tests="15" failures="4"')
    expect(readFileSync(html, 'utf8')).toContain('11 passed, 4 failed, 0 skipped')
    const markdown = readFileSync(summary, 'utf8')
    expect(markdown).toMatch(
      /^### Handler check: 11 passed, 4 failed, 0 skipped, score \d\d\/100\n\n/,
    )
    expect(markdown).toContain("**Doesn't check the timestamp**: 4 checks. A captured")
    expect(markdown).toMatch(/^\| stale \| minor|^\| stale \| major/m)
    for (const text of [ran.text, ran.stderr, ...reports.map((file) => readFileSync(file, 'utf8'))])
      expect(text).not.toContain(SECRET)
  })

  test('a closed port exits with 3 and one sentence, also in JSON and reports', async () => {
    await handler.close()
    const junit = join(cli.folder, 'closed.xml')
    const ran = await check`--junit ${junit}`
    expect([ran.code, ran.text]).toEqual([3, ''])
    expect(ran.stderr.trim()).toMatch(/^Connection refused at 127\.0\.0\.1:\d+\. Start [^\n]+\.$/)
    expect(readFileSync(junit, 'utf8')).toContain('failures="1"')
    const asJson = await check`--json`
    expect(asJson.code).toBe(3)
    const [report] = asJson.json()
    expect(report).toMatchObject({
      failed: 1,
      score: null,
      conclusions: [{ cause: 'unreachable' }],
    })
    // Nothing is sent to a port that refused the first delivery.
    expect(report?.['cases']).toHaveLength(Number(report?.['skipped']) + 1)
    handler = await startHandler()
  })

  test('there is no score while a critical case fails, and no severity on a passed case', async () => {
    handler.become('never-checks')
    const [junit, html] = [join(cli.folder, 'severe.xml'), join(cli.folder, 'severe.html')]
    const ran = await check`--only forged --junit ${junit} --html ${html}`
    expect(ran.text).toMatch(/\n\d+ passed, \d+ failed, 0 skipped\.$/)
    expect(readFileSync(html, 'utf8')).toContain('no score')
    const passed = [...readFileSync(html, 'utf8').matchAll(/<details>[^]*?<\/details>/g)].map(
      ([text]) => text,
    )
    expect(passed.length).toBeGreaterThan(0)
    for (const text of passed) expect(text).not.toContain('Severity')
    expect(readFileSync(html, 'utf8')).toMatch(
      /<details open>[^]*?<dt>Severity<\/dt>\s*<dd>critical/,
    )
    expect(readFileSync(junit, 'utf8')).toContain('Severity: critical')
    expect((await check`--only forged --json`).json()[0]).toMatchObject({ score: null })
    handler.become(null)
    expect((await check`--only forged --json`).json()[0]).toMatchObject({ score: 100 })
  })

  test('the check is stored', async () => {
    const ran = await check`--only time --header 'X-Tenant: b'`
    expect([ran.code, ran.text]).toEqual([
      1,
      expect.stringContaining('2 passed, 4 failed, 0 skipped.'),
    ])
    const { runs } = await core.call('check.list', {})
    expect(runs[0]).toMatchObject({ target: handler.url, passed: 2, failed: 4 })
    expect(handler.requests.every(({ headers }) => headers['x-tenant'] === 'b')).toBe(true)
  })
})
