import * as fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { databaseInFolder, storeInFolder } from '../../../test/support/in-folder.ts'
import { overwrite, PAGE_BYTES, pagesOf } from '../../../test/support/pages.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { TestDatabase } from '../../../test/support/test-database.ts'
import { captureOf, knownElsewhere, verifiedClaim } from '../../../test/support/test-store.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import {
  addBins,
  RESPONSE_CLASSES,
  statisticsSummaries,
  VERDICT_CLASSES,
  type Bin,
  type VerdictClass,
} from '../../shared/model/statistics.ts'
import { BUILT_IN_VIEWS } from '../../shared/model/view.ts'
import { readQuery } from '../../shared/query/parse.ts'
import { EVERYTHING, type Query } from '../../shared/query/query.ts'
import { times } from '../../../test/support/long-form.ts'
import { putVerdicts } from './late-verdicts.ts'
import { hideDeliveries, prepareRemoval, unhideDeliveries } from './deletion.ts'
import { openForReading, openForWriting } from './open.ts'
import { prepareResponse } from './handler-responses.ts'
import { deliveriesBySeq } from './deliveries.ts'
import { earliestReceipt, readTimeline } from './timeline.ts'
import { repairDatabase } from './repair.ts'
import { databaseFileOf } from './database.ts'
import { readDeletable } from './deletable.ts'
import { correctTotals, addToTotals, FORGET_TOTALS } from './delivery-totals.ts'
import { readReplayStatistics, readStatistics } from './statistics.ts'
import { putFlowDeliveries } from './flow-runs.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 10, 20)

let database: TestDatabase
beforeEach(() => {
  database = databaseInFolder()
})

/** Returns the class that a reader of the row would name. */
function classOf({ verdict, freshness, malformed, verifiedHere }: DeliveryRow): VerdictClass {
  if (!verifiedHere) return 'unverified'
  if (malformed !== null) return 'malformed'
  if (verdict === 'unsigned' || verdict === 'unknown-hook') return 'unverified'
  if (verdict === 'invalid') return 'invalid'
  return freshness === 'fresh' ? 'valid' : 'stale'
}

const allSeqs = () =>
  database.db.prepare<[], number>('SELECT seq FROM deliveries ORDER BY seq').pluck().all()
const countAll = () => {
  while (addToTotals(database.db, Math.max(0, ...allSeqs())));
}
const keptRows = () => deliveriesBySeq(database.db, allSeqs())

const isListed = (row: DeliveryRow) => row.flowRun === null

function countRows(
  width: number,
  start = START,
  isCounted: (row: DeliveryRow) => boolean = () => true,
): Bin[] {
  return addBins(
    [],
    keptRows()
      .filter(isCounted)
      .map((row) => ({
        index: Math.floor((Date.parse(row.receivedAt) - start) / width),
        verdicts: VERDICT_CLASSES.map((name) => Number(classOf(row) === name)),
        responses: RESPONSE_CLASSES.map((name) => Number(row.handler?.outcome === name)),
      })),
  )
}

function timeline(query: Query | null, width: number, start = START): Bin[] {
  return readTimeline(database.db, {
    query,
    start,
    width,
    bins: Math.ceil((3_346 * MINUTE) / width),
  })
}

interface Put {
  readonly minute: number
  readonly verdict: DeliveryRow['verdict']
  readonly freshness: DeliveryRow['freshness']
  readonly malformed: boolean
  readonly imported: boolean
}

function put({ minute, verdict, freshness, malformed, imported }: Put): void {
  database.put([
    captureOf('{}', {
      receivedAt: START + minute * MINUTE + 1,
      verdict,
      freshness,
      malformed: malformed ? 'No request line' : null,
      ...(imported && {
        importedFacts: knownElsewhere({ attempt: 2, answer: { status: 200, ms: 3 } }),
      }),
    }),
  ])
}

/** Records a settled send as the handler's response to a delivery. */
function respond(seq: number, passed: boolean): void {
  const { lastInsertRowid } = database.db
    .prepare(
      `INSERT INTO sends (job_id, position, delivery_seq, target, state, kind, passed, status, ms, started_at)
       VALUES ('run', (SELECT count(*) + 1 FROM sends), ?, 'http://localhost:3000/', 'settled', 'flow', ?, ?, 12, 1)`,
    )
    .run(seq, Number(passed), passed ? 200 : 401)
  const send = { deliverySeq: seq, variant: null }
  correctTotals(database.db, prepareResponse(database.db)(Number(lastInsertRowid), send))
}

function removeHidden(): void {
  database.db
    .prepare('UPDATE progress SET described_seq = (SELECT coalesce(max(seq), 0) FROM deliveries)')
    .run()
  const deletable = readDeletable(database.db, { before: 9, limit: 99 })
  prepareRemoval(database.db)({ deletable, budgetMs: 1_000 })
  unhideDeliveries(
    database.db,
    deletable.map(({ seq }) => seq),
  )
}

const verify = (seqs: readonly number[]) => {
  putVerdicts(database.db, seqs.map(verifiedClaim))
}

type Action = (seqs: number[]) => void

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record<Put>({
        minute: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3_000 })),
        verdict: fc.constantFrom('valid', 'invalid', 'unsigned', 'unknown-hook'),
        freshness: fc.constantFrom('fresh', 'stale', 'future', 'missing'),
        malformed: fc.boolean(),
        imported: fc.boolean(),
      })
      .map((delivery) => () => {
        put(delivery)
      }),
  },
  fc.constant<Action>(() => void addToTotals(database.db, Math.max(0, ...allSeqs()))),
  fc.constant<Action>((seqs) => void hideDeliveries(database.db, { seqs, at: 1 })),
  fc.constant<Action>((seqs) => void unhideDeliveries(database.db, seqs)),
  fc.constant<Action>(removeHidden),
  fc.constant<Action>(verify),
  fc.constant<Action>((seqs) => {
    const rows = seqs.map((seq) => ({ seq, step: null }))
    putFlowDeliveries(database.db, { flow: 'card-linked', run: 'run', rows })
  }),
  fc.boolean().map<Action>((passed) => (seqs) => {
    for (const seq of seqs) respond(seq, passed)
  }),
)

test('after deleting, undoing, importing, verifying, responding and running flows in any order, the totals equal a count over the rows', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(action, fc.nat(6)), { maxLength: 30 }), (actions) => {
      database.db
        .exec(`DELETE FROM deliveries; DELETE FROM deleted; DELETE FROM flow_deliveries; DELETE FROM handler_responses; DELETE FROM sends;
        UPDATE progress SET described_seq = 0; ${FORGET_TOTALS}`)
      for (const [act, every] of actions) {
        act(allSeqs().filter((seq) => seq % 7 === every))
        expect(timeline(null, 30 * MINUTE)).toEqual(countRows(30 * MINUTE, START, isListed))
        expect(timeline(EVERYTHING, 30 * MINUTE)).toEqual(countRows(30 * MINUTE))
      }
      countAll()
      // Bars are summed from minutes, hours and days, wherever they start: at midnight, or at
      // UTC+5:45.
      for (const width of [MINUTE, 15 * MINUTE, 60 * MINUTE, 720 * MINUTE, 1_440 * MINUTE])
        for (const start of [START, START - 345 * MINUTE])
          expect(timeline(null, width, start)).toEqual(countRows(width, start, isListed))
      for (const width of [MINUTE, 60 * MINUTE, 1_440 * MINUTE]) {
        const rows = database.db
          .prepare<[number], number>('SELECT count(*) FROM delivery_totals WHERE width = ?')
          .pluck()
        expect(rows.get(width)).toBe(countRows(width, START, isListed).length)
      }
    }),
    { numRuns: times(10, 600) },
  )
})

const received = (minute: number, row: Partial<Put> = {}) => {
  put({ minute, verdict: 'valid', freshness: 'fresh', malformed: false, imported: false, ...row })
}

test('a stop while counting existing deliveries leaves complete transactions', () => {
  database.put(
    Array.from({ length: 600 }, (_, minute) =>
      captureOf('{}', { receivedAt: START + (minute % 50) * MINUTE }),
    ),
  )
  const isCounting = () => addToTotals(database.db, 600)
  expect(isCounting()).toBe(true)
  const counted = database.db.prepare('SELECT counted_seq FROM progress').pluck()
  expect(counted.get()).toBe(512)
  expect(timeline(null, MINUTE)).toEqual(countRows(MINUTE))
  expect(isCounting()).toBe(false)
  expect(counted.get()).toBe(600)
  expect(timeline(null, MINUTE)).toEqual(countRows(MINUTE))
})

test('the totals of a database of an earlier version are built in the background, without another delivery', async () => {
  const folder = temporaryFolder()
  const before = await storeInFolder(folder)
  for (let count = 0; count < 600; count++) void before.capture(captureOf('{}'))
  await before.settled(10_000)
  await before.close()
  const earlier = openForWriting(databaseFileOf(folder))
  earlier.exec(FORGET_TOTALS)
  earlier.close()

  await storeInFolder(folder)
  const db = openForReading(databaseFileOf(folder))
  const counted = db.prepare('SELECT counted_seq FROM progress').pluck()
  await expect.poll(() => counted.get()).toBe(600)
  expect(
    db.prepare('SELECT sum(unverified) FROM delivery_totals WHERE width = 60000').pluck().get(),
  ).toBe(600)
  db.close()
})

test('in a half-hour time zone too, each bar is the sum of few totals', () => {
  const put = database.db.prepare(
    'INSERT INTO delivery_totals VALUES (?, ?, 1, 0, 0, 0, 0, 0, 0, 0, 0)',
  )
  // A minute that isn't in the hours and days, and would be counted twice if read.
  for (let minute = 0; minute < 5_760; minute++) put.run(MINUTE, START + minute * MINUTE)
  for (let hour = 0; hour < 96; hour++) put.run(60 * MINUTE, START + hour * 60 * MINUTE)
  for (let day = 0; day < 4; day++) put.run(1_440 * MINUTE, START + day * 1_440 * MINUTE)
  database.db.exec('UPDATE progress SET counted_seq = 1')
  const bins = readTimeline(database.db, {
    query: null,
    start: START + 30 * MINUTE,
    width: 1_440 * MINUTE,
    bins: 3,
  })
  // 30 minutes, 23 hours and 30 minutes: 83 totals instead of 1,440.
  expect(bins.map(({ verdicts }) => verdicts[0])).toEqual([83, 83, 83])
})

test('a repair counts deliveries again, because damaged totals would stay wrong', () => {
  for (let minute = 0; minute < 9; minute++) received(minute)
  countAll()
  const { file, folder } = database
  database.close()
  const page = pagesOf(folder).find(({ name }) => name === 'delivery_totals')
  overwrite(file, Buffer.alloc(PAGE_BYTES, 'x'), ((page?.number ?? 1) - 1) * PAGE_BYTES)
  expect(repairDatabase(folder).outcome).toBe('repaired')
  const db = openForWriting(file)
  expect(
    db
      .prepare('SELECT (SELECT count(*) FROM delivery_totals), counted_seq FROM progress')
      .raw()
      .get(),
  ).toEqual([0, 0])
  addToTotals(db, 9)
  const bins = readTimeline(db, {
    query: null,
    start: START,
    width: 60 * MINUTE,
    bins: 1,
  })
  expect(bins).toEqual([{ index: 0, verdicts: [9, 0, 0, 0, 0], responses: [0, 0, 0, 0] }])
  db.close()
})

test('statistics of a replay count its responses, share failing and times, by event and handler', () => {
  for (let seq = 1; seq <= 100; seq++) received(0)
  database.db.exec(`UPDATE deliveries SET event = CASE WHEN seq <= 60 THEN 'transaction.auth' END`)
  const send = database.db.prepare(
    `INSERT INTO sends (job_id, position, delivery_seq, target, state, kind, passed, status, ms, started_at, tamper)
     VALUES (?, ?, ?, ?, ?, 'replay', ?, ?, ?, 1, ?)`,
  )
  for (let seq = 1; seq <= 100; seq++) {
    const isGood = seq > 5
    send.run(
      'replay',
      seq,
      seq,
      `http://localhost:${seq <= 40 ? 3000 : 4000}/`,
      'settled',
      Number(isGood),
      isGood ? 200 : 500,
      seq,
      null,
    )
  }
  send.run('replay', 101, 1, 'http://localhost:4000/', 'waiting', null, null, null, null)
  send.run('other', 1, 1, 'http://localhost:4000/', 'settled', 0, 500, 900, null)
  // Rejecting a forged request isn't a failure.
  send.run('forged', 1, 1, 'http://localhost:4000/', 'settled', 0, 401, 4, 'body')
  send.run('forged', 2, 1, 'http://localhost:4000/', 'settled', 1, 200, 4, 'body')
  const read = (replayId: string) => readReplayStatistics(database.db, replayId)
  const statistics = read('replay')
  expect(statisticsSummaries([statistics.all])).toMatchObject([
    {
      count: 100,
      shares: { failing: 0.05 },
      handlers: { p50: 50, p95: 95, p99: 99 },
      ours: { p50: null },
    },
  ])
  const groups = (by: 'event' | 'handler') =>
    statisticsSummaries(statistics[by]).map(({ key, count }) => [key, count])
  expect(groups('event')).toEqual([
    ['transaction.auth', 60],
    [null, 40],
  ])
  expect(groups('handler')).toEqual([
    ['http://localhost:4000/', 60],
    ['http://localhost:3000/', 40],
  ])
  expect(statisticsSummaries([read('forged').all])).toMatchObject([
    { count: 2, responses: { rejected: 1, failing: 1 } },
  ])
  expect(statisticsSummaries([read('none').all])).toMatchObject([{ count: 0, shares: null }])
})

test('the earliest time of receipt is known before and after counting, and after deletion', () => {
  expect(earliestReceipt(database.db)).toBeNull()
  received(5)
  received(2, { imported: true })
  expect(earliestReceipt(database.db)).toBe(START + 2 * MINUTE + 1)
  countAll()
  expect(earliestReceipt(database.db)).toBe(START + 2 * MINUTE)
  hideDeliveries(database.db, { seqs: [2], at: 1 })
  expect(earliestReceipt(database.db)).toBe(START + 5 * MINUTE)
})

test('statistics count volume, shares and response times by event, hook and handler', () => {
  const answered = database.db.prepare(
    'UPDATE deliveries SET event = ?, hook_id = ?, attempt_of = ?, answer_status = 200, answer_ms = ? WHERE seq = ?',
  )
  for (let seq = 1; seq <= 100; seq++) {
    received(0, seq <= 5 ? { verdict: 'invalid' } : seq <= 15 ? { freshness: 'stale' } : {})
    answered.run(seq <= 60 ? 'transaction.auth' : null, 'h1', seq <= 2 ? 'first' : null, seq, seq)
  }
  respond(20, true)
  respond(21, false)
  const statistics = readStatistics(database.db, EVERYTHING)
  const [all] = statisticsSummaries([statistics.all])
  expect(all).toMatchObject({
    count: 100,
    retried: 2,
    shares: { invalid: 0.05, stale: 0.1, retried: 0.02, failing: 0.01 },
    ours: { p50: 50, p95: 95, p99: 99 },
    handlers: { p50: 12, p95: 12, p99: 12 },
    responses: { acknowledged: 1, failing: 1, rejected: 0, neutral: 0 },
  })
  expect(statisticsSummaries(statistics.event).map(({ key, count }) => [key, count])).toEqual([
    ['transaction.auth', 60],
    [null, 40],
  ])
  expect(statisticsSummaries(statistics.hook)).toMatchObject([
    {
      key: 'h1',
      count: 100,
      retried: 2,
      ours: { p50: 50, p95: 95, p99: 99 },
      handlers: { p50: 12, p95: 12, p99: 12 },
    },
  ])
  expect(statisticsSummaries(statistics.handler)).toMatchObject([
    {
      key: 'http://localhost:3000/',
      count: 2,
      shares: { failing: 0.5 },
      ours: { p50: 20, p95: 21, p99: 21 },
      handlers: { p50: 12, p95: 12, p99: 12 },
    },
  ])
})

const builtInView = (id: string) =>
  readQuery(BUILT_IN_VIEWS.find((view) => view.id === id)?.query ?? '', { now: START, hooks: [] })

test.each(['invalid', 'stale'] as const)(
  'the view "%s" finds what the timeline and statistics count',
  (name) => {
    for (const verdict of ['valid', 'invalid', 'unsigned', 'unknown-hook'] as const)
      for (const freshness of ['fresh', 'stale', 'future', 'missing'] as const)
        for (const imported of [false, true])
          for (const malformed of [false, true])
            if (!malformed || verdict === 'unsigned')
              put({ minute: 1, verdict, freshness, malformed, imported })
    const query = builtInView(name)
    const { all } = readStatistics(database.db, EVERYTHING)
    const found = database.list(query)
    expect(found).toHaveLength(name === 'invalid' ? 4 : 3)
    expect(all.verdicts[VERDICT_CLASSES.indexOf(name)]).toBe(found.length)
  },
)

test('the view "retried" finds what statistics count: an imported attempt 2 without its first attempt is in neither', () => {
  received(1)
  received(2, { imported: true })
  received(3)
  database.db.exec(
    `UPDATE deliveries SET attempt = 2, attempt_of = (SELECT id FROM deliveries WHERE seq = 1) WHERE seq = 3`,
  )
  for (const seq of allSeqs()) respond(seq, true)
  database.db.exec(`UPDATE sends SET job_id = 'replay'`)
  const statistics = readStatistics(database.db, EVERYTHING)
  const ofReplay = readReplayStatistics(database.db, 'replay')
  expect(database.list(builtInView('retried'))).toHaveLength(1)
  expect([statistics.all.retried, ofReplay.all.retried]).toEqual([1, 1])
})
