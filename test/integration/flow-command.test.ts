import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rightAnswer, startFlowHandler, type TestHandler } from '../support/flow-fixture.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { exitOf, linesOf, cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()

const SECRET = 'whsec_of_the_handler'

let folder: string
let handler: TestHandler
beforeAll(async () => {
  folder = temporaryFolder()
  handler = await startFlowHandler(SECRET, rightAnswer)
})
afterAll(async () => {
  await handler.close()
})

const flow = (...args: string[]) => cli.run`flow ${args}`

test('without Countersign running, a flow runs with its handler, exits with 0 or 1, writes its reports, and is stored', async () => {
  const files = ['html', 'junit'].flatMap((format) => [
    `--${format}`,
    join(folder, `flow.${format}`),
  ])
  const run = (secret: string, ...more: string[]) =>
    cli.run`flow run purchase-visa --handler ${handler.url} --secret ${secret} ${more}`
  const good = await run(SECRET, '--json', ...files)
  expect([good.code, good.stderr]).toEqual([0, ''])
  const [json] = good.json()
  expect(json).toMatchObject({
    flow: 'purchase-visa',
    outcome: 'pass',
    unexpected: [],
    steps: expect.any(Array),
  })
  const steps = (json as { steps: Record<string, unknown>[] }).steps
  expect(steps.map(({ outcome }) => outcome)).toEqual(steps.map(() => 'pass'))
  const [html = '', junit = ''] = await Promise.all(
    ['html', 'junit'].map((format) => readFile(join(folder, `flow.${format}`), 'utf8')),
  )
  expect([html.startsWith('<!doctype html>'), junit.includes('failures="0"')]).toEqual([true, true])

  const bad = await run('whsec_wrong')
  expect(bad.code).toBe(1)
  expect(bad.text).toMatch(
    /✕ fail +Your handler .* Your handler should accept \S+\n {4}Your handler returned 401 for a valid delivery/,
  )
  expect(bad.text).toMatch(/\npurchase-visa failed: 2 d.* simulated in .* \(run [0-9a-f-]+\)\./)

  // A flow that passes because a delivery was lost says so.
  const lost = await flow('run', 'retry-given-up')
  expect([lost.code, lost.text]).toEqual([
    0,
    expect.stringContaining('retry-given-up not checked: no handler.'),
  ])
  expect(lost.text).toContain(
    'card.linked: the service gave up after the third failed attempt (500, no response within 20 s, connection dropped).',
  )

  const runs = (await flow('runs', '--flow', 'purchase-visa', '--json')).json() as {
    id: string
    outcome: string
  }[]
  expect(runs.map(({ outcome }) => outcome)).toEqual(['fail', 'pass'])
  const listed = async (...args: string[]) => {
    const ran = await cli.run`${args} --json`
    return { code: ran.code, stderr: ran.stderr, count: ran.json().length }
  }
  const hidden = (stderr: string) => /^(\d+) from flow runs hidden\. Add is:any/.exec(stderr)?.[1]
  const plain = await listed('deliveries')
  const ofFlows = await listed('deliveries', 'is:flow')
  expect([plain.count, ofFlows.stderr]).toEqual([0, ''])
  expect(ofFlows.count).toBeGreaterThan(0)
  expect(hidden(plain.stderr)).toBe(String(ofFlows.count))
  expect(await listed('deliveries', 'is:any')).toEqual(ofFlows)
  expect(await listed('deliveries', 'flow:purchase-visa verdict:valid')).toMatchObject({
    stderr: '',
  })
  for (const args of [['stats'], ['delete', '--query', ''], ['replay', '--query', '']])
    expect(hidden((await listed(...args)).stderr)).toBe(String(ofFlows.count))
  const exported = await cli.run`export`
  expect([exported.code, hidden(exported.stderr)]).toEqual([1, String(ofFlows.count)])
  const after = runs[0]?.id
  expect((await flow('show', after ?? '')).text).toContain('Your handler returned 401')
})

test('a flow signs for a handler with stored hooks and another prefix', async () => {
  const { run } = cli.given({ data: cli.newDataFolder() })
  const hook =
    await run`hooks import --event transaction.auth --url https://hooks.example.test/in --secret ${SECRET} --json`
  const id = String(hook.json()[0]?.['id'])
  const at = `--handler ${handler.url} --registered-url ${handler.url} --hook ${id}`.split(' ')
  const signed = await run`flow run purchase-visa ${at}`
  expect([signed.code, signed.stderr]).toEqual([0, ''])
  const other = await run`flow run purchase-visa ${at} --prefix acme`
  expect([other.code, other.text]).toEqual([
    1,
    expect.stringContaining('Your handler returned 401 for a valid delivery'),
  ])
  const odd = await run`flow run purchase-visa ${at} --prefix ${'a b!'}`
  expect([odd.code, odd.stderr]).toEqual([2, expect.stringContaining('x-<prefix>-signature')])
  const alone = await run`flow run purchase-visa --prefix acme`
  expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('need --handler URL.')])
})

test.skipIf(process.platform === 'win32')(
  'flow run rejects a device, a pipe and a file over 1 MiB, without reading to the end',

  async () => {
    const pipe = join(folder, 'pipe.json')
    execFileSync('mkfifo', [pipe])
    for (const endless of ['/dev/zero', pipe]) {
      const ran = await flow('run', endless)
      expect([ran.code, ran.stderr]).toEqual([
        2,
        `${endless} is not a regular file. Pass the flow's JSON file.\n`,
      ])
    }
    const large = join(folder, 'large.json')
    await writeFile(large, ' '.repeat(1_048_577))
    const ran = await flow('run', large)
    expect([ran.code, ran.stderr]).toEqual([
      2,
      `${large} is larger than 1 MiB. Split it into smaller flows.\n`,
    ])
    // A file at the limit is read, and isn't a flow.
    await writeFile(large, ' '.repeat(1_048_576))
    expect((await flow('run', large)).stderr).not.toContain('larger')
  },
)

test('numbers that a flow file or --set sets are sent exactly as written', async () => {
  const text = await readFile(
    new URL('../../src/core/flows/built-in/purchase-visa.json', import.meta.url),
    'utf8',
  )
  const set =
    '"kind": "trigger", "set": { "loyalty": { "points": [1e3, -0, 12345678901234567890] } },'
  const file = join(folder, 'typed.json')
  await writeFile(file, text.replace('"kind": "trigger",', set))
  await flow('run', file, '--set', 'amount=10.00')
  const [sent] = await cli.json`deliveries 'event:transaction.auth is:flow' --limit 1`
  const { stdout } = await cli.run`show ${String(sent?.['id'])} --body`
  expect(stdout.toString()).toContain('"amount":10.00,')
  expect(stdout.toString()).toContain('[1e3, -0, 12345678901234567890]')
})

test('if interrupted, it cancels the run, says so, and removes its hooks', async () => {
  const child = cli.start`flow run purchase-visa --speed 1`
  const { until } = linesOf(child)
  await until(3)
  child.kill('SIGINT')
  expect(await exitOf(child)).toBe(3)
  const [run] = (await flow('runs', '--json')).json() as { state: string; summary: string }[]
  expect(run).toMatchObject({ state: 'cancelled', summary: 'Cancelled.' })
  const hooks = (await cli.run`hooks list --json`).text
  expect(hooks).not.toContain('"status":"active"')
})

test('--all prints a line per flow, as its help says; Ctrl+C keeps the results so far and their report', async () => {
  expect((await cli.run`flow run --help`).text).toMatch(
    /--json +print a JSON object; with --all, JSON Lines/,
  )
  const report = join(folder, 'all.xml')
  // In real time, the third flow waits an hour for a delivery that must not arrive.
  const child = cli.start`flow run --all --handler ${handler.url} --secret ${SECRET} --speed 1 --json --junit ${report}`
  const { lines, until } = linesOf(child)
  await until(2)
  const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(rows[0]).toMatchObject({
    flow: 'brand-consent-test',
    outcome: 'pass',
    passed: 3,
    failed: 0,
    skipped: 0,
    change: null,
  })
  expect(rows[1]).toMatchObject({
    flow: 'brand-consent-live',
    outcome: 'skip',
    happened: 'Live-mode payloads not allowed.',
  })
  child.kill('SIGINT')
  expect(await exitOf(child)).toBe(3)
  const junit = await readFile(report, 'utf8')
  expect(junit).toContain(
    '<testsuite name="brand-consent-test" tests="3" failures="0" errors="0" skipped="0"',
  )
  expect(junit.match(/<testsuite /g)).toHaveLength(26)
})

test('with --require-handler, a run without a handler exits with 1 and says why', async () => {
  const unchecked = await flow('run', 'card-linked', '--require-handler')
  expect([unchecked.code, unchecked.text, unchecked.stderr]).toEqual([
    1,
    expect.stringContaining('card-linked not checked: no handler.'),
    '--require-handler: nothing was checked. Add --handler URL.\n',
  ])
  const checked =
    await cli.run`flow run card-linked --require-handler --handler ${handler.url} --secret ${SECRET}`
  expect([checked.code, checked.stderr]).toEqual([0, ''])
})
