import { fc, test as property } from '@fast-check/vitest'
import { beforeEach, expect, test } from 'vitest'
import { databaseInFolder, storeInFolder } from '../../../test/support/in-folder.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { TestDatabase } from '../../../test/support/test-database.ts'
import { captureOf, knownElsewhere, verifiedClaim } from '../../../test/support/test-store.ts'
import { sortKeySchema, type SortKey, type DeliveryRow } from '../../shared/model/delivery.ts'
import { KEPT_RESPONSE_BYTES } from '../../shared/service/limits.ts'
import { putCauses, readUndiagnosed } from './causes.ts'
import { putVerdicts } from './late-verdicts.ts'
import { hideDeliveries, prepareRemoval } from './deletion.ts'
import { deliveriesBySeq, rowsBySeq, sortSeqs } from './deliveries.ts'
import { openForWriting } from './open.ts'
import { databaseFileOf } from './database.ts'
import { readDeletable } from './deletable.ts'
import { settleResponses, type AnswerRow, type SentResponse } from './stored-responses.ts'

let database: TestDatabase
beforeEach(() => {
  database = databaseInFolder()
})

const filled = fc.record({
  event: fc.constantFrom('card.linked', 'transaction.auth', null),
  path: fc.constantFrom('/h/a', '/h/b', null),
  body: fc.constantFrom('1', '12', '123'),
  verdict: fc.constantFrom('valid', 'invalid', 'unknown-hook'),
  freshness: fc.constantFrom('fresh', 'stale'),
  // As decimals and as JSON may write them.
  amount: fc.constantFrom('-12.50', '9', '10', '1e2', '0', null),
  currency: fc.constantFrom('EUR', 'USD'),
  merchant: fc.constantFrom('Café', 'café', 'Bar', null),
  schemaErrors: fc.constantFrom(0, 2, 11, null),
  imported: fc.boolean(),
  flow: fc.constantFrom('purchase', 'refund', null),
  answer: fc.constantFrom(
    { status: 200, ms: 3 },
    { status: 200, ms: 20 },
    { status: null, ms: 1 },
    { status: 503, ms: null },
  ),
  handler: fc.constantFrom(
    { status: 200, ms: 3 },
    { status: 500, ms: 1 },
    { status: null, ms: 20_000 },
    null,
  ),
})
const filledRows = fc.array(filled, { minLength: 1, maxLength: 20 })

/** Stores deliveries with everything that a list can be sorted by. */
function putFilled(
  rows: typeof filledRows extends fc.Arbitrary<infer Rows> ? Rows : never,
): number[] {
  const { db, put } = database
  const seqs = put(
    rows.map(({ body, event, path, verdict, freshness }) =>
      captureOf(body, { event, path, verdict, freshness }),
    ),
  )
  const details = db.prepare(
    'INSERT OR REPLACE INTO details (seq, amount, currency, merchant, schema_errors) VALUES (?, ?, ?, ?, ?)',
  )
  const answers = db.prepare(
    'UPDATE deliveries SET answer_status = ?, answer_ms = ?, origin = ? WHERE seq = ?',
  )
  const flows = db.prepare("INSERT INTO flow_deliveries (seq, run_id, flow) VALUES (?, 'r', ?)")
  const sends = db.prepare(
    "INSERT INTO sends (seq, job_id, position, delivery_seq, target, state, status, ms) VALUES (@seq, 'j', @seq, @seq, 'x', 'settled', @status, @ms)",
  )
  const returned = db.prepare(
    "INSERT INTO handler_responses (seq, send_seq, outcome) VALUES (?, ?, 'neutral')",
  )
  db.transaction(() => {
    for (const [
      place,
      { amount, currency, merchant, schemaErrors, imported, flow, answer: our, handler },
    ] of rows.entries()) {
      const seq = seqs[place] ?? 0
      details.run(seq, amount, amount === null ? null : currency, merchant, schemaErrors)
      answers.run(our.status, our.ms, imported ? 'imported' : null, seq)
      if (flow !== null) flows.run(seq, flow)
      if (handler === null) continue
      sends.run({ seq, ...handler })
      returned.run(seq, seq)
    }
  })()
  return seqs
}

/** Values that sort a row, most important first. */
const SORTED_BY: Readonly<
  Record<SortKey, (row: DeliveryRow) => readonly (string | number | null)[]>
> = {
  time: ({ receivedAt }) => [receivedAt],
  verdict: ({ verdict, freshness }) => [verdict, freshness],
  event: ({ event }) => [event],
  amount: ({ amount, currency }) => (amount === null ? [null] : [currency, Number(amount)]),
  merchant: ({ merchant }) => (merchant === null ? [null] : [merchant.toLowerCase(), merchant]),
  path: ({ path }) => [path],
  size: ({ bodySize }) => [bodySize],
  source: ({ origin, flowRun }) => [
    origin === 'imported' ? 'imported' : flowRun && 'flow',
    flowRun?.flow ?? null,
  ],
  responded: ({ answer: { status, ms } }) => [status, ms],
  handler: ({ handler }) => [handler?.status ?? null, handler?.ms ?? null],
  'schema-errors': ({ schemaErrors }) => [schemaErrors],
}

property.prop([filledRows, fc.constantFrom(...sortKeySchema.options), fc.boolean()])(
  'every column sorts all deliveries, those without a value last, equal ones newest first',
  (rows, by, descending) => {
    const seqs = putFilled(rows)
    const sorted = sortSeqs(database.db, { seqs, by, descending })
    const stored = new Map(rowsBySeq(database.db, seqs).map((row) => [row.seq, row]))
    const expected = seqs.toSorted((one, other) => {
      const [values, others] = [SORTED_BY[by](stored.get(one)!), SORTED_BY[by](stored.get(other)!)]
      const place = values.findIndex((value, index) => value !== others[index])
      if (place === -1) return other - one
      const [value = null, rest = null] = [values[place], others[place]]
      if (value === null || rest === null) return value === null ? 1 : -1
      return value < rest === descending ? 1 : -1
    })
    expect(sorted).toEqual(expected)
  },
)

test('a deleted delivery is not in a sorted list', () => {
  const [first = 0, second = 0] = database.put([captureOf('{}'), captureOf('{}')])
  database.db.prepare('INSERT INTO deleted (seq, at) VALUES (?, 1)').run(second)
  expect(sortSeqs(database.db, { seqs: [second, first], by: 'size', descending: true })).toEqual([
    first,
  ])
})

const ok: SentResponse = { status: 200, headers: [['X-A', 'b']], body: 'ok' }
const answer = (answers: readonly AnswerRow[]) => database.describe(answers)
const responses = () =>
  database.db.prepare<[], { uses: number }>('SELECT uses FROM responses ORDER BY uses').all()

test('what the receiver returned is stored once for equal responses, and deleted with its last delivery', () => {
  const seqs = database.put(['1', '2', '3', '4'].map((body) => captureOf(body)))
  const [first = 0, second = 0, third = 0, fourth = 0] = seqs
  answer([
    { seq: first, status: 200, ms: 1, response: ok },
    { seq: second, status: 200, ms: 2, response: { ...ok } },
    {
      seq: third,
      status: 500,
      ms: 3,
      response: { status: 500, headers: [], body: new Uint8Array(KEPT_RESPONSE_BYTES + 1) },
    },
    { seq: 999, status: 200, ms: 4, response: { ...ok, body: 'of a deleted delivery' } },
  ])
  const shown = deliveriesBySeq(database.db, seqs).map(({ response }) => response)
  expect(shown).toEqual([
    null,
    {
      status: 500,
      headers: [],
      body: Buffer.alloc(KEPT_RESPONSE_BYTES).toString('base64'),
      truncated: true,
    },
    ...[1, 2].map(() => ({ status: 200, headers: [['X-A', 'b']], body: 'b2s=', truncated: false })),
  ])
  settleResponses(database.db)
  expect(responses()).toEqual([{ uses: 1 }, { uses: 2 }])

  const remove = prepareRemoval(database.db)
  const takeOut = (seq: number) => {
    hideDeliveries(database.db, { seqs: [seq], at: 1 })
    remove({ deletable: readDeletable(database.db, { before: 2, limit: 10 }), budgetMs: 10_000 })
  }
  takeOut(first)
  takeOut(fourth)
  expect(responses()).toEqual([{ uses: 1 }, { uses: 1 }])
  takeOut(second)
  takeOut(third)
  expect(responses()).toEqual([])
})

test('counting the uses of a response rarely writes, and never counts too few', () => {
  const seqs = database.put(Array.from({ length: 400 }, (_, index) => captureOf(String(index))))
  database.describe()
  const changes = () => database.db.prepare<[], number>('SELECT total_changes()').pluck().get() ?? 0
  const uses = () =>
    database.db.prepare<[], number>('SELECT coalesce(sum(uses), 0) FROM responses').pluck().get()
  const before = changes()
  for (const [place, seq] of seqs.entries()) {
    answer([{ seq, status: 200, ms: 1, response: { ...ok } }])
    expect(uses()).toBeGreaterThan(place)
  }
  expect(changes() - before).toBeLessThan(seqs.length + 10)
  settleResponses(database.db)
  expect(uses()).toBe(seqs.length)
})

test('a failed transaction leaves no response with too few uses', () => {
  const seqs = database.put(['1', '2', '3', '4'].map((body) => captureOf(body)))
  for (const seq of seqs.slice(0, 3)) answer([{ seq, status: 200, ms: 1, response: ok }])
  database.db.exec(
    "CREATE TEMP TRIGGER full BEFORE UPDATE ON deliveries BEGIN SELECT RAISE(ABORT, 'full'); END",
  )
  expect(() => {
    answer([{ seq: seqs[3] ?? 0, status: 200, ms: 1, response: ok }])
  }).toThrow('full')
  database.db.exec('DROP TRIGGER full')
  for (const seq of seqs) answer([{ seq, status: 200, ms: 1, response: ok }])
  settleResponses(database.db)
  expect(responses()[0]?.uses).toBeGreaterThanOrEqual(seqs.length)
})

test('the first bytes of an unreadable request are in its row', () => {
  const [unreadable = 0, broken = 0] = database.put([
    captureOf(Uint8Array.from([0x16, 3, 1, ...Array.from({ length: 40 }, () => 7)]), {
      malformed: 'x',
      method: null,
      path: null,
    }),
    captureOf('{"am', { malformed: 'The body stopped.' }),
  ])
  const rows = rowsBySeq(database.db, [unreadable, broken])
  expect(rows.map(({ firstBytes }) => firstBytes)).toEqual([null, `160301${'07'.repeat(13)}`])
})

const BODY = '{"amount":10.00,"currency":"EUR","brand":{"name":"Café"}}'

test('a database of an earlier version gets its details in the background, and new deliveries theirs', async () => {
  const folder = temporaryFolder()
  const reported: number[] = []
  const before = await storeInFolder(folder)
  for (let index = 0; index < 300; index++) void before.capture(captureOf(BODY))
  await before.settled(10_000)
  await before.close()
  // The state of that version, with half of the work done by a killed process.
  const db = openForWriting(databaseFileOf(folder))
  db.exec('DELETE FROM details WHERE seq <= 150; UPDATE progress SET undetailed_seq = 150')
  db.close()

  const store = await storeInFolder(folder, { onDescribed: (seqs) => reported.push(...seqs) })
  const added = await store.capture(captureOf(BODY))
  await store.settled()
  const missing = async () =>
    (
      await store.read(
        'rowsBySeq',
        Array.from({ length: 301 }, (_, index) => index + 1),
      )
    ).filter(({ amount }) => amount === null)
  await expect.poll(missing).toEqual([])
  const [row] = await store.read('rowsBySeq', [added])
  expect(row).toMatchObject({ amount: '10.00', currency: 'EUR', merchant: 'Café' })
  expect(reported).toContain(149)
})

const ALL = { after: 0, before: Number.MAX_SAFE_INTEGER, limit: 10 }

test('invalid deliveries are looked through in pieces, down to the oldest', () => {
  const seqs = database.put(
    Array.from({ length: 2_500 }, (_, index) =>
      captureOf('{}', { verdict: index % 100 === 0 ? 'valid' : 'invalid' }),
    ),
  )
  const invalid = seqs.filter((_, index) => index % 100 !== 0).reverse()
  const diagnosed = invalid.slice(0, 1_500)
  putCauses(
    database.db,
    diagnosed.map((seq) => ({ seq, cause: 'url:host', keysHash: 1, ...NO_HOOK })),
  )
  const found: number[] = []
  const checks: number[] = []
  for (let before: number | null = ALL.before; before !== null;) {
    const piece = readUndiagnosed(database.db, { ...ALL, keysHash: 1, before })
    found.push(...piece.left.map(({ seq }) => seq))
    checks.push(piece.newest)
    before = piece.before
  }
  expect(found).toEqual(invalid.slice(1_500))
  expect(checks[0]).toBe(invalid[0])
  expect(readUndiagnosed(database.db, { ...ALL, keysHash: 1, after: invalid[1_499]! })).toEqual({
    left: [],
    newest: invalid[0],
    before: invalid[999],
  })
})

const NO_HOOK = { hookId: null, environment: null, mode: null }

test('only invalid deliveries that were verified here are diagnosed, newest first, and again with other keys', () => {
  const seqs = database.put(
    (['invalid', 'valid', 'invalid', 'unsigned', 'invalid'] as const).map((verdict) =>
      captureOf('{}', { verdict }),
    ),
  )
  const [first = 0, valid = 0, claimed = 0, , last = 0] = seqs
  database.db.prepare('UPDATE deliveries SET verified_here = 0 WHERE seq = ?').run(claimed)
  const left = (keysHash: number) =>
    readUndiagnosed(database.db, { ...ALL, keysHash }).left.map(({ seq }) => seq)
  expect(left(1)).toEqual([last, first])
  putCauses(
    database.db,
    [first, valid, claimed, last].map((seq) => ({
      seq,
      cause: seq === last ? null : 'url:host',
      keysHash: 1,
      ...NO_HOOK,
    })),
  )
  expect([left(1), left(2)]).toEqual([[], [last, first]])
  expect(rowsBySeq(database.db, seqs).map(({ cause }) => cause)).toEqual([
    null,
    null,
    null,
    null,
    'url:host',
  ])
})

test('a row shows how old a stale signature was, or how far ahead a future one', () => {
  const at = Date.parse('2026-11-21T10:00:00Z')
  const capture = (freshness: 'fresh' | 'stale' | 'future', ...timestamps: string[]) => {
    const headers = timestamps.map((value) => ['X-Service-Timestamp', value])
    const { row, body } = captureOf('{}', { freshness })
    return {
      row: { ...row, receivedAt: at, headers: JSON.stringify([['Host', 'x'], ...headers]) },
      body,
    }
  }
  const seqs = database.put([
    capture('fresh', String(at)),
    capture('stale', String(at - 600_000)),
    capture('future', String(at + 600_000)),
    capture('stale', '2026-11-21', String(at + 5), String(at - 400_000)),
    capture('stale'),
  ])
  const ages = rowsBySeq(database.db, seqs).map(({ signatureAgeMs }) => signatureAgeMs)
  expect(ages.reverse()).toEqual([null, 600_000, -600_000, 400_000, null])
})

test("an imported delivery's claimed cause is dropped once a known secret verifies it", () => {
  const response = { status: 202, headers: [], body: 'b2s=', truncated: false } as const
  const importedFacts = knownElsewhere({
    answer: { status: 202, ms: 1 },
    cause: 'url:host',
    response: { ...response, headers: [] },
  })
  const [seq = 0] = database.put([captureOf('{}', { verdict: 'invalid', importedFacts })])
  expect(deliveriesBySeq(database.db, [seq])).toMatchObject([{ cause: 'url:host', response }])
  putVerdicts(database.db, [verifiedClaim(seq)])
  expect(rowsBySeq(database.db, [seq])[0]).toMatchObject({ verdict: 'valid', cause: null })
})

test("a payload's card has its last four digits, also in bodies that aren't JSON, aren't text or lie", () => {
  const bodies = [
    '{"card":{"lastNumbers":"4001"}}',
    '{"lastNumbers":"0007"}',
    '{"card":{"lastNumbers":4001},"lastNumbers":["1"]}',
    `{"lastNumbers":"${'1'.repeat(999)}"}`,
    'no JSON',
    '',
    Buffer.from([0xff, 0x00, 0x7b]),
    `{"lastNumbers":"4001","text":"${'x'.repeat(70_000)}"}`,
  ]
  const seqs = database.put(bodies.map((body) => captureOf(body)))
  expect(
    deliveriesBySeq(database.db, seqs)
      .toReversed()
      .map(({ last4 }) => last4),
  ).toEqual(['4001', '0007', null, null, null, null, null, null])
})
