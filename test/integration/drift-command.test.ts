import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { captureOf } from '../support/test-store.ts'
import { openTestDatabase } from '../support/test-database.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()
const { run } = cli

const CHANGE = Date.UTC(2026, 10, 20, 12)
const EVENT = 'transaction.refund'

function refund(index: number): string {
  return index < 200
    ? `{"id":${index},"state":"${['CLEARED', 'REFUNDED'][index % 2]}","card":{"last":"4${index}"}}`
    : `{"id":${index},"state":"${index % 8 === 6 ? 'REVERSED' : 'CLEARED'}","card":{}}`
}

beforeAll(() => {
  mkdirSync(cli.data)
  const database = openTestDatabase(cli.data)
  const at = (index: number) => ({ receivedAt: CHANGE + (index - 200) * 60_000 })
  database.put([
    ...Array.from({ length: 240 }, (_, index) =>
      captureOf(refund(index), { ...at(index), event: EVENT }),
    ),
    captureOf('no JSON', { ...at(241), event: EVENT }),
    captureOf('{}', { ...at(242) }),
  ])
  database.close()
})

test('fields of an event: types, shares of null and absent, small sets of words', async () => {
  const shown = await run`drift event:transaction.refund`
  expect(shown.code).toBe(0)
  expect(shown.text.split('\n').map((line) => line.trimEnd())).toEqual([
    '',
    'transaction.refund, 240 deliveries',
    'Field      Type    Null  Absent  Last seen         Values',
    expect.stringMatching(/^card       object +2026-11-20T\d\d:39$/),
    expect.stringMatching(/^card\.last  string +16\.7%  2026-11-20T\d\d:59$/),
    expect.stringMatching(/^id         number +2026-11-20T\d\d:39$/),
    expect.stringMatching(/^state      string +2026-11-20T\d\d:39  CLEARED, REFUNDED, REVERSED$/),
  ])
  expect(shown.stderr).toBe('1 delivery left out: no known event, or no JSON that can be read.\n')
})

test('--since: gone and new fields, with a delivery that shows them, and exit 1', async () => {
  const changed = await run`drift --since ${new Date(CHANGE).toISOString()} --json`
  expect(changed.code).toBe(1)
  expect(changed.json()[0]).toMatchObject({
    deliveries: 42,
    before: 200,
    unread: 2,
    since: '2026-11-20T12:00:00.000Z',
    changes: [
      {
        event: EVENT,
        path: 'card.last',
        change: 'gone',
        before: { count: 200, of: 200 },
        since: { count: 0, of: 40 },
        deliveryId: expect.any(String) as string,
      },
      { path: 'state', change: 'value', before: ['CLEARED', 'REFUNDED'], since: ['REVERSED'] },
    ],
    uncompared: [],
  })
  const printed = await run`drift --since ${new Date(CHANGE).toISOString()}`
  expect(printed.text).toMatch(
    /transaction\.refund\ncard\.last +gone, in 0 of 40; before in 200 of 200 +last in [\da-f-]{36}\nstate +new value "REVERSED"; before only "CLEARED", "REFUNDED" +[\da-f-]{36}$/,
  )
  expect(printed.stderr).toMatch(/2 changes\.\n$/)
})

test('--save and --against: the same deliveries are unchanged, the file is the same each time', async () => {
  const folder = temporaryFolder()
  const [first, second] = [join(folder, 'fields.json'), join(folder, 'again.json')]
  for (const file of [first, second])
    expect(await run`drift before:2026-11-20T12:00Z --save ${file}`).toMatchObject({
      code: 0,
      stderr: `Saved the fields to ${file}.\n`,
    })
  expect(readFileSync(first, 'utf8')).toBe(readFileSync(second, 'utf8'))
  const same = await run`drift before:2026-11-20T12:00Z --against ${first}`
  expect([same.code, same.text, same.stderr]).toEqual([0, '', 'No field changed.\n'])
  const changed = await run`drift after:2026-11-20T12:00Z --against ${first}`
  expect([changed.code, changed.stderr]).toEqual([1, expect.stringMatching(/2 changes\.\n$/)])
  const whole = join(folder, 'whole.json')
  await run`drift --since 2026-11-20T12:00Z --save ${whole}`
  expect(JSON.parse(readFileSync(whole, 'utf8'))).toMatchObject({
    events: [{ event: EVENT, deliveries: 240 }],
  })
})

test('a comparison with nothing exits with 1', async () => {
  const none = await run`drift event:card.linked --since 2026-11-20`
  expect([none.code, none.stderr]).toEqual([
    1,
    'No deliveries match.\nNothing compared: no event has deliveries on both sides.\n',
  ])
  const oneSided = await run`drift --since 2020-01-01`
  expect([oneSided.code, oneSided.stderr]).toEqual([
    1,
    expect.stringContaining('Not compared: transaction.refund. Only one side has deliveries.'),
  ])
})

test('wrong times and files are refused before anything is read', async () => {
  const time = await run`drift --since soon`
  expect([time.code, time.stderr]).toEqual([2, expect.stringContaining('"soon" isn\'t a time.')])
  const file = join(temporaryFolder(), 'other.json')
  writeFileSync(file, '{"a":1}')
  const other = await run`drift --against ${file}`
  expect([other.code, other.stderr]).toEqual([
    2,
    expect.stringContaining(`${file} isn't a file of fields.`),
  ])
  const missing = await run`drift --against ${file}-not`
  expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining('not found')])
  const both = await run`drift --against ${file} --since 1h`
  expect(both.code).toBe(2)
})
