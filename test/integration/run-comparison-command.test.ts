import { readFile, writeFile } from 'node:fs/promises'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { beforeAll, describe, expect, test } from 'vitest'
import { coreInFolder } from '../support/in-folder.ts'
import {
  capturePurchases,
  purchaseDeliveries,
  SECRET,
  startChangedLedger,
  startLedger,
} from '../support/purchases.ts'
import { cliOfFile, exitOf } from './cli-fixture.ts'

const cli = cliOfFile()
const { run } = cli.given({ command: 'replay' })
const nowhere = cli.given({ command: 'replay', data: cli.newDataFolder() })
const SENT = purchaseDeliveries().filter(({ purchase }) => purchase < 12)
let ledger: Awaited<ReturnType<typeof startLedger>>
let changed: Awaited<ReturnType<typeof startLedger>>
let unreachable: string

beforeAll(async () => {
  const core = await coreInFolder({ dataFolder: cli.data })
  await capturePurchases(core, SENT)
  await core.stop()
  ledger = await startLedger()
  changed = await startChangedLedger()
  const gone = await startLedger()
  unreachable = gone.origin
  await gone.close()
  const exported = await cli.run`export --include-secrets -o captures.jsonl`
  expect(exported.code).toBe(0)
  const saved = await run`--query '' --to ${ledger.origin} --concurrency 8 --save baseline.json`
  expect(saved.code, saved.stderr).toBe(0)
})

const inFolder = (name: string) => join(cli.folder, name)

describe('a comparison of two endpoints', () => {
  test('prints groups, largest first, each with an example and the command that shows it, then totals', async () => {
    const ran =
      await run`--query event:transaction.refund --to ${changed.origin} --against ${ledger.origin}`
    expect(ran.code).toBe(1)
    const [title, example, totals, times, ...rest] = ran.text.split('\n')
    expect(title).toMatch(/^\d+ × transaction\.refund: 200 → 500, body "error": "LedgerConflict"$/)
    const shown = /regressed, for example ([\da-f-]{36}): countersign (compare \S+ \S+)$/.exec(
      example ?? '',
    )
    expect(totals).toMatch(/^\d+ deliveries: \d+ regressed, \d+ unchanged\.$/)
    expect(times).toMatch(/^Median response time: \d+ ms, now \d+ ms\.$/)
    expect(rest).toEqual([])
    const compared = await cli.run`${shown?.[2]?.split(' ') ?? []}`
    expect(compared.code).toBe(1)
    expect(compared.text).toContain('200')
    expect(compared.text).toContain('LedgerConflict')
  })

  test('exits with 0 if nothing changed, and prints the same facts as JSON', async () => {
    const ran = await run`--query '' --to ${ledger.origin}/other --against ${ledger.origin} --json`
    expect([ran.code, ran.json()]).toMatchObject([0, [{ total: 60, same: 60, groups: [] }]])
    const json = await run`--query '' --to ${changed.origin} --against ${ledger.origin} --json`
    const [{ groups }] = json.json() as [{ groups: { title: string; command: string }[] }]
    expect(groups.map(({ title, command }) => [title, command])).toContainEqual([
      expect.stringMatching(/^\d+ × transaction\.refund: 200 → 500/),
      expect.stringMatching(/^countersign compare /),
    ])
  })

  test('--fail-on regressed ignores other changes', async () => {
    const totals = await startLedger(({ amount }) => ({
      body: { booked: true, total: amount * 2 },
    }))
    const args = ['--query', '', '--to', totals.origin, '--against', ledger.origin]
    const ran = await run`${args} --fail-on regressed`
    expect([ran.code, ran.text]).toEqual([0, expect.stringContaining('body "total" differs')])
    expect((await run`${args}`).code).toBe(1)
    expect((await run`${args} --ignore total`).code).toBe(0)
    const refused = await startLedger(() => ({ status: 503, body: 'Later' }))
    const regressed =
      await run`--query '' --to ${refused.origin} --against ${ledger.origin} --fail-on regressed`
    expect(regressed.code).toBe(1)
    const fixed =
      await run`--query '' --to ${ledger.origin} --against ${refused.origin} --fail-on regressed`
    expect([fixed.code, fixed.text]).toEqual([0, expect.stringContaining('fixed')])
  })

  test('an unreachable endpoint has its own result, and is an error if nothing was compared', async () => {
    const ran = await run`--query '' --to ${ledger.origin} --against ${unreachable}`
    expect(ran.code).toBe(3)
    expect(ran.text).toContain('the endpoint to compare with is unreachable')
    expect(ran.text).toContain('60 deliveries: 60 unreachable.')
    expect(ran.text).not.toContain('Median response time')
    expect(ran.stderr).toContain('Nothing compared: the endpoint to compare with is unreachable.')
    let isUp = true
    const falling = await startLedger(() => {
      isUp = false
      return { body: { booked: true, total: 1 } }
    })
    expect(isUp).toBe(true)
    const other =
      await run`--query event:transaction.auth --to ${unreachable} --against ${falling.origin} --fail-on regressed`
    expect([other.code, other.text]).toEqual([
      3,
      expect.stringContaining('the endpoint is unreachable'),
    ])
  })
})

describe('previous', () => {
  test('compares with the last response of the same handler to the same delivery', async () => {
    let total = 1
    const handler = await startLedger(() => ({ body: { total } }))
    const first =
      await run`--query event:transaction.auth --to ${handler.origin} --against previous`
    expect([first.code, first.stderr]).toEqual([
      3,
      expect.stringContaining(`None of these deliveries was sent to ${handler.origin}/ before.`),
    ])
    expect(handler.requests).toHaveLength(0)
    await run`--query event:transaction.auth --to ${handler.origin}`
    expect(
      (await run`--query event:transaction.auth --to ${handler.origin} --against previous`).code,
    ).toBe(0)
    total = 2
    const second =
      await run`--query event:transaction.auth --to ${handler.origin} --against previous`
    expect([second.code, second.text]).toEqual([1, expect.stringContaining('body "total": 1 → 2')])
    const more = await run`--query '' --to ${handler.origin} --against previous`
    expect(more.text).toMatch(/ × transaction\.clearing: It was never sent there before\./)
  })
})

describe('a baseline', () => {
  test('is the same file for two runs, sorted, without times, with secrets masked', async () => {
    const saved = await readFile(inFolder('baseline.json'), 'utf8')
    const leaking = await startLedger(({ amount }) => ({
      body: { booked: true, total: amount, key: SECRET },
    }))
    for (const name of ['one.json', 'two.json'])
      await run`--query '' --to ${leaking.origin} --concurrency 4 --save ${name}`
    const [one, two] = [
      await readFile(inFolder('one.json'), 'utf8'),
      await readFile(inFolder('two.json'), 'utf8'),
    ]
    expect(two).toBe(one)
    expect(one).not.toContain(SECRET)
    expect(one).toContain('[masked]')
    expect(one).not.toMatch(/\d{4}-\d\d-\d\dT/)
    const { deliveries } = JSON.parse(saved) as { deliveries: { id: string }[] }
    const ids = deliveries.map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted())
    expect(ids).toHaveLength(60)
  })

  test('works in CI from two files, without a data folder, and leaves nothing behind', async () => {
    const before = readdirSync(tmpdir())
    const args = ['--from', 'captures.jsonl', '--secret', SECRET, '--against', 'baseline.json']
    const same = await nowhere.run`${args} --to ${ledger.origin}`
    expect([same.code, same.text]).toEqual([
      0,
      expect.stringContaining('60 deliveries: 60 unchanged.'),
    ])
    const other =
      await nowhere.run`${args} --to ${changed.origin} --junit junit.xml --html report.html --summary summary.md`
    expect(other.code, other.stderr).toBe(1)
    expect(other.text).toContain(
      `--from captures.jsonl --to ${changed.origin} --against baseline.json`,
    )
    expect(await readFile(inFolder('junit.xml'), 'utf8')).toContain('LedgerConflict')
    expect(await readFile(inFolder('report.html'), 'utf8')).toContain('LedgerConflict')
    expect(await readFile(inFolder('summary.md'), 'utf8')).toMatch(
      /^### Runs compared: 60 deliveries: /,
    )
    expect(existsSync(join(cli.folder, 'data-2'))).toBe(false)
    expect(
      readdirSync(tmpdir()).filter((name) => !before.includes(name) && name.includes('temp-')),
    ).toEqual([])
  })

  test('from a file names the options that the result depends on, but no replay that is gone', async () => {
    const args = ['--from', 'captures.jsonl', '--secret', SECRET, '--to', changed.origin]
    const url = 'https://hooks.example/a'
    const compared =
      await nowhere.run`${args} --against baseline.json --registered-url ${url} --ignore note`
    expect(compared.text).toContain(
      ` --to ${changed.origin} --against baseline.json --registered-url ${url} --ignore note\n`,
    )
    expect(compared.stderr).toContain('Replay: 60 deliveries.\n')
    const saved = await nowhere.run`${args} --save of-file.json`
    expect(saved.stderr).toMatch(/ p99 [\d.]+ ms\.\n/)
    expect(saved.stderr).not.toContain('countersign stats')
  })

  test('has fields that --ignore leaves out only later', async () => {
    const totals = await startLedger(({ amount }) => ({
      body: { booked: true, total: amount * 2 },
    }))
    const args = ['--query', '', '--to', totals.origin, '--against', 'baseline.json']
    expect((await run`${args}`).text).toContain('body "total" differs')
    const ignoring = await run`${args} --ignore total`
    expect([ignoring.code, ignoring.text]).toEqual([
      0,
      expect.stringContaining('60 deliveries: 60 unchanged.'),
    ])
  })

  test.each<[string, string, RegExp, number?]>([
    ['text', 'not json', /isn't a baseline\. Save one with/],
    ['another file', '{"a":1}', /isn't a baseline\. Save one with/],
    [
      'another version',
      '{"countersign":"baseline","version":7,"deliveries":[]}',
      /has version 7; this Countersign reads 1\./,
    ],
    [
      'a cut file',
      '{\n  "countersign": "baseline",\n  "version": 1, "del',
      /is damaged: its JSON ends early/,
    ],
    [
      'a damaged file',
      '{"countersign":"baseline","version":1,"ignore":[],"headers":[],"deliveries":[{"id":1}]}',
      /is damaged at deliveries\.0\.id\./,
    ],
    [
      'one of other deliveries',
      '{"countersign":"baseline","version":1,"ignore":[],"headers":[],"deliveries":[]}',
      /has no response to any of these deliveries\./,
      3,
    ],
  ])('%s is refused before anything is sent', async (_, text, message, code = 2) => {
    await writeFile(inFolder('wrong.json'), text)
    const handler = await startLedger()
    const ran = await run`--query '' --to ${handler.origin} --against wrong.json`
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringMatching(message)])
    expect(handler.requests).toHaveLength(0)
  })

  test('without a named header is refused', async () => {
    const ran =
      await run`--query '' --to ${ledger.origin} --against baseline.json --header-in X-Ledger`
    expect([ran.code, ran.stderr]).toEqual([
      2,
      expect.stringContaining('Save it again with --header-in X-Ledger.'),
    ])
  })

  test('with two headers is compared by the one that is named', async () => {
    let second = 'a'
    const handler = await startLedger(() => ({
      headers: { 'X-Ledger': 'v1', 'X-Signature': second },
      body: {},
    }))
    const args = ['--query', 'event:transaction.auth', '--to', handler.origin]
    await run`${args} --header-in X-Ledger --header-in X-Signature --save headers.json`
    second = 'b'
    const one = await run`${args} --against headers.json --header-in X-Ledger`
    expect([one.code, one.text]).toEqual([0, expect.stringMatching(/: \d+ unchanged\./)])
    const both = await run`${args} --against headers.json`
    expect([both.code, both.text]).toEqual([
      1,
      expect.stringContaining('200, header x-signature: a → b\n'),
    ])
  })

  test('is not saved if the endpoint is unreachable', async () => {
    const ran = await run`--query '' --to ${unreachable} --save gone.json`
    expect([ran.code, ran.stderr]).toEqual([
      3,
      expect.stringContaining('The baseline was not saved: '),
    ])
    expect(existsSync(inFolder('gone.json'))).toBe(false)
  })
})

test.each([
  ['--query event:card.linked --to URL --against URL/other', 1, 'No deliveries match.'],
  ['--query "" --to URL --against URL', 2, 'Both sides are'],
  ['--query "" --to URL --against missing.json', 2, 'Baseline missing.json not found.'],
  ['--query "" --to URL --against previous --tamper body', 2, 'Leave out --tamper'],
  ['--query "" --to URL --against URL/other --repeat 2', 2, 'Leave out --repeat.'],
  ['--query "" --to URL --against URL/other --signature keep', 2, 'so it takes no forged ones'],
  ['--query "" --to URL --junit report.xml', 2, '--junit needs --against.'],
  ['--query "" --to URL --ignore total', 2, '--ignore needs --against or --save.'],
  ['--query "" --to URL --secret x', 2, '--secret needs --from.'],
  ['--from captures.jsonl --to @new', 2, '--from needs --to with a URL'],
  ['--from captures.jsonl --to URL --against previous', 2, '--from has no earlier responses.'],
  ['--from captures.jsonl --to URL', 2, 'Missing hook secret.'],
  ['--from missing.jsonl --to URL --secret x', 3, 'missing.jsonl'],
  ['--query "" --against URL', 2, 'A comparison needs one endpoint.'],
])('replay %s exits with %d: %s', async (line, code, message) => {
  const words = line.split(' ').map((word) => word.replace('URL', ledger.origin).replace('""', ''))
  const ran = await run`${words}`
  expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(message)])
})

test('a comparison that is killed in the middle is finished by --resume, with the same result', async () => {
  let started = 0
  const { promise: blocked, resolve: block } = Promise.withResolvers<void>()
  const slow = await startLedger(({ amount }) => {
    if (++started === 30) block()
    return { body: { booked: true, total: amount } }
  })
  const child = cli.start`replay --query '' --to ${changed.origin} --against ${slow.origin} --concurrency 4 --json`
  await blocked
  child.kill('SIGKILL')
  await exitOf(child)
  const [replay] = (await cli.run`replay --list --json`).json()
  const resumed = await run`--resume ${String(replay?.['id'])} --json --save resumed.json`
  const whole =
    await run`--query '' --to ${changed.origin} --against ${ledger.origin} --json --save whole.json`
  const facts = ({ groups, ...rest }: Record<string, unknown>) => [
    (groups as { title: string; count: number }[]).map(({ title }) => title),
    ...['total', 'same', 'regressed', 'changed'].map((name) => rest[name]),
  ]
  expect(resumed.code, resumed.stderr).toBe(1)
  expect(facts(resumed.json()[0] ?? {})).toEqual(facts(whole.json()[0] ?? {}))
  expect(await readFile(inFolder('resumed.json'), 'utf8')).toBe(
    await readFile(inFolder('whole.json'), 'utf8'),
  )
  expect(slow.mistakes).toEqual([])
})
