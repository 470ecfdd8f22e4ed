import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { openTestDatabase } from '../support/test-database.ts'
import { captureOf } from '../support/test-store.ts'
import { MOST_SORTED } from '../../src/shared/model/delivery.ts'
import { sendDelivery } from '../support/deliver.ts'
import { cliOfFile, type Serving } from './cli-fixture.ts'

const cli = cliOfFile()
const { run, json } = cli

let serving: Serving | null = null

const secret = 'whsec-query-secret-0123'

/** Resolves with the body sizes, which identify the deliveries. */
async function sizesOf(...query: string[]): Promise<unknown[]> {
  const ran = await cli.run`deliveries --json --data ${cli.data} ${query}`
  expect(ran.code, ran.stderr).toBe(0)
  return ran.json().map((delivery) => delivery['bodySize'])
}

const bodies = [
  '{"amount":-3,"card":{"scheme":"visa"}}',
  '{"amount":12.50,"shop":"Caf\\u00e9 House"}',
  'no JSON',
]
const [refund, purchase, text] = bodies.map((body) => Buffer.byteLength(body))

const queries: readonly (readonly [
  query: readonly string[],
  sizes: readonly (number | undefined)[],
])[] = [
  [['amount:<0'], [refund]],
  [['--', '-amount:*'], [text]],
  [['-amount:*'], [text]],
  [['-has:json', '--limit', '5'], [text]],
  [['after:1h header.content-length:*'], [text, purchase, refund]],
]

beforeAll(async () => {
  serving = await cli.serve()
  const { ca, receiver } = serving.info
  const url = `${receiver}/h/payments`
  const imported = await run`hooks import --event transaction.auth --url ${url} --secret ${secret}`
  expect(imported.code).toBe(0)
  for (const body of bodies) expect(await sendDelivery(ca, { url, body, secret })).toBe(200)
})

test('a query is the argument or --query, and says what it waited for', async () => {
  expect(await sizesOf('--query', 'amount:<0')).toEqual([refund])
  expect(await sizesOf('amount:<0', '--query=amount:<0')).toEqual([refund])
  const timedOut = await run`wait -amount:* --timeout 0.1`
  expect([timedOut.code, timedOut.stderr]).toEqual([
    1,
    'Waiting for a delivery…\nTimed out: 0 of 1 arrived.\n',
  ])
})

test('--out and --output are the same option', async () => {
  const file = join(temporaryFolder(), 'out.jsonl')
  for (const option of ['--out', '--output', '-o'])
    expect(await run`export ${option} ${file} --force`).toMatchObject({
      code: 0,
      stderr: `Wrote 3 deliveries to ${file}.\n`,
    })
  expect((await run`export --out=${file}`).stderr).toContain('already exists')
})

test('--sort: any column up to 10,000 matches, time at any size', async () => {
  const many = cli.newDataFolder()
  mkdirSync(many)
  const database = openTestDatabase(many)
  database.put(
    Array.from({ length: MOST_SORTED + 1 }, (_, index) => captureOf('x'.repeat(1 + (index % 500)))),
  )
  database.close()
  const sorted = (...more: string[]) => cli.run`deliveries --json --limit 2 --data ${many} ${more}`
  const tooMany = await sorted('--sort', 'size')
  const sentence =
    'Too many deliveries match to sort. Narrow the query to 10,000 or fewer, or sort by time.'
  expect([tooMany.code, tooMany.stderr]).toEqual([2, expect.stringContaining(sentence)])
  const sizes = async (...more: string[]) =>
    (await sorted(...more)).json().map((delivery) => delivery['bodySize'])
  expect(await sizes('--sort', 'time')).toEqual([1, 2])
  expect(await sizes('--sort=-time')).toEqual([1, 500])
  // More than one page, in either direction.
  const stored = Array.from({ length: MOST_SORTED + 1 }, (_, index) => 1 + (index % 500))
  expect(await sizes('--sort', 'time', '--limit', '2500')).toEqual(stored.slice(0, 2_500))
  expect(await sizes('--limit', '2500')).toEqual(stored.toReversed().slice(0, 2_500))
  expect(await sizes('size:>450', '--sort', 'size')).toEqual([451, 451])
  expect(await sizes('size:>450', '--sort=-size')).toEqual([500, 500])
})

describe('with Countersign running', () => {
  test.each(queries)('%j', async (query, sizes) => {
    expect(await sizesOf(...query)).toEqual(sizes)
  })

  test('stats counts the matches by event, hook and handler', async () => {
    const ran = await run`stats --json --by hook is:valid`
    expect(ran.code, ran.stderr).toBe(0)
    const [stats] = ran.json()
    expect(stats).toMatchObject({
      deliveries: 3,
      verdicts: { valid: 3, stale: 0, unverified: 0, invalid: 0, malformed: 0 },
      responses: { acknowledged: 0, failing: 0 },
      shares: { invalid: 0, stale: 0, retried: 0, failing: 0 },
      handlerMs: { p50: null, p95: null, p99: null },
      by: 'hook',
      groups: [{ name: 'payments', deliveries: 3 }],
    })
    const [headings, row] = (await run`stats has:json`).stdout.toString().split('\n')
    expect(headings?.trim().split(/ +/)).toEqual([
      'Deliveries',
      'Invalid',
      'Stale',
      'Retried',
      'p50',
      'p95',
      'p99',
    ])
    expect(row).toMatch(/^ +2 +0\.0% +0\.0% +0\.0%( +[\d.]+ ms){3}$/)
    const byEvent = await run`stats --by event`
    expect(byEvent.stdout.toString()).toMatch(
      /^Event +Deliveries .*\ntransaction\.auth +3 +0\.0% .*\n$/,
    )
    expect(await run`stats --by handler`).toMatchObject({ code: 0, stderr: '' })
    const none = await run`stats is:invalid`
    expect(none).toMatchObject({ code: 0, stderr: 'No deliveries match.\n' })
  })

  test('a saved view works wherever a query does, and a query narrows it', async () => {
    const save = (query: string) => run`views save 'Small ones' ${query}`
    expect((await save('-has:json')).code).toBe(0)
    expect((await save('amount:<0 OR -has:json')).stdout.toString()).toBe('Saved "Small ones".\n')
    expect(await sizesOf('--view', 'small ones')).toEqual([text, refund])
    expect(await sizesOf('--view', 'small ones', '-has:json')).toEqual([text])
    const exported = await run`export --view 'small ones' is:valid`
    expect(exported.json().map((delivery) => delivery['bodySize'])).toEqual([refund, text])
    expect(await json`delete --view 'small ones'`).toEqual([
      { deleted: 0, matched: 2, spared: 0, possible: 0 },
    ])
    expect(await json`views list`).toMatchObject([
      { name: 'Small ones', query: 'amount:<0 OR -has:json' },
    ])
    const unknown = await run`deliveries --view smalle`
    expect(unknown.code).toBe(3)
    expect(unknown.stderr).toContain('Saved views: "Small ones".')
    expect((await run`views remove 'SMALL ONES'`).code).toBe(0)
    expect((await run`views list`).stdout.toString()).toBe('')
  })
})
