/** Totals by minute always equal a count over the rows, whatever happens to deliveries; timelines and statistics read them in pieces. */
import * as fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { databaseInFolder } from '../../../test/support/in-folder.ts'
import type { TestDatabase } from '../../../test/support/test-database.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import {
  addBins,
  addStatistics,
  NO_STATISTICS,
  RESPONSE_CLASSES,
  statisticsSummaries,
  VERDICT_CLASSES,
  type Bin,
  type VerdictClass,
} from '../../shared/model/statistics.ts'
import { EVERYTHING, type Query } from '../../shared/query/query.ts'
import { verifyClaims } from './claims-repo.ts'
import { hideDeliveries, prepareRemoval, readLeavings, unhideDeliveries } from './deletion-repo.ts'
import { prepareResponse } from './handler-responses.ts'
import { deliveriesBySeq } from './deliveries-repo.ts'
import { earliestReceipt, readStatistics, readTimeline } from './timeline-repo.ts'
import { countResponse, countStored, FORGET_TOTALS } from './totals-repo.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 10, 20)

let database: TestDatabase
beforeEach(() => {
  database = databaseInFolder()
})

/** What a reader of the row would say. */
function classOf({ verdict, freshness, malformed, verifiedHere }: DeliveryRow): VerdictClass {
  if (!verifiedHere) return 'unverified'
  if (malformed !== null) return 'malformed'
  if (verdict === 'unsigned' || verdict === 'unknown-hook') return 'unverified'
  if (verdict === 'invalid') return 'invalid'
  return freshness === 'fresh' ? 'valid' : 'stale'
}

const allSeqs = () => database.db.prepare<[], number>('SELECT seq FROM deliveries ORDER BY seq').pluck().all()
const keptRows = () => deliveriesBySeq(database.db, allSeqs())

function countRows(width: number): Bin[] {
  return addBins(
    [],
    keptRows().map((row) => ({
      index: Math.floor((Date.parse(row.receivedAt) - START) / width),
      verdicts: VERDICT_CLASSES.map((name) => Number(classOf(row) === name)),
      responses: RESPONSE_CLASSES.map((name) => Number(row.handler?.outcome === name)),
    })),
  )
}

function timeline(query: Query | null, width: number): Bin[] {
  let bins: Bin[] = []
  let rest: { from: number; to: number } | undefined
  do {
    const piece = readTimeline(database.db, { query, start: START, width, bins: 3_001, rest, budgetMs: 0.01 })
    bins = addBins(bins, piece.bins)
    rest = piece.rest ?? undefined
  } while (rest !== undefined)
  return bins
}

interface Put {
  readonly minute: number
  readonly verdict: DeliveryRow['verdict']
  readonly freshness: DeliveryRow['freshness']
  readonly malformed: boolean
  readonly imported: boolean
}

function put({ minute, verdict, freshness, malformed, imported }: Put): void {
  const known = { attempt: 2, attemptOf: null, duplicateOf: null, answer: { status: 200, ms: 3 } }
  database.put([
    captureOf('{}', {
      receivedAt: START + minute * MINUTE + 1,
      verdict,
      freshness,
      malformed: malformed ? 'No request line' : null,
      ...(imported ? { elsewhere: { ...known, pinned: false, note: null, colour: null, cause: null, response: null } } : {}),
    }),
  ])
}

/** A settled send of a delivery, recorded as its handler's response. */
function respond(seq: number, passed: boolean): void {
  const { lastInsertRowid } = database.db
    .prepare(
      `INSERT INTO sends (job_id, position, delivery_seq, target, state, kind, passed, status, ms, started_at)
       VALUES ('run', (SELECT count(*) + 1 FROM sends), ?, 'http://localhost:3000/', 'settled', 'flow', ?, ?, 12, 1)`,
    )
    .run(seq, Number(passed), passed ? 200 : 401)
  countResponse(database.db, prepareResponse(database.db)(Number(lastInsertRowid)))
}

function removeHidden(): void {
  database.db.prepare('UPDATE progress SET described_seq = (SELECT coalesce(max(seq), 0) FROM deliveries)').run()
  const leavings = readLeavings(database.db, { before: 9, limit: 99 })
  prepareRemoval(database.db)({ leavings, budgetMs: 1_000 })
  unhideDeliveries(
    database.db,
    leavings.map(({ seq }) => seq),
  )
}

const verify = (seqs: readonly number[]) => {
  verifyClaims(
    database.db,
    seqs.map((seq) => ({ seq, hookId: 'h', event: 'card.linked', environment: 'e', mode: 'test', schema: 'ok' })),
  )
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
  fc.constant<Action>(() => void countStored(database.db, 0)),
  fc.constant<Action>((seqs) => void hideDeliveries(database.db, { seqs, at: 1 })),
  fc.constant<Action>((seqs) => void unhideDeliveries(database.db, seqs)),
  fc.constant<Action>(removeHidden),
  fc.constant<Action>(verify),
  fc.boolean().map<Action>((passed) => (seqs) => {
    for (const seq of seqs) respond(seq, passed)
  }),
)

test('after deleting, undoing, importing, verifying and responding in any order, the totals equal a count over the rows', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(action, fc.nat(6)), { maxLength: 40 }), (actions) => {
      database.db.exec(`DELETE FROM deliveries; DELETE FROM deleted; DELETE FROM handler_responses; DELETE FROM sends;
        UPDATE progress SET described_seq = 0; ${FORGET_TOTALS}`)
      for (const [act, every] of actions) {
        act(allSeqs().filter((seq) => seq % 7 === every))
        const byMinute = countRows(MINUTE)
        expect(timeline(null, MINUTE)).toEqual(byMinute)
        expect(timeline(EVERYTHING, MINUTE)).toEqual(byMinute)
      }
      countStored(database.db, 1_000)
      // Wider bins are read from the totals of an hour and a day.
      for (const width of [MINUTE, 60 * MINUTE, 1_440 * MINUTE]) {
        expect(timeline(null, width)).toEqual(countRows(width))
        const rows = database.db.prepare<[number], number>('SELECT count(*) FROM delivery_totals WHERE width = ?').pluck()
        expect(rows.get(width)).toBe(countRows(width).length)
      }
    }),
    { numRuns: 60 },
  )
})

const received = (minute: number, row: Partial<Put> = {}) => {
  put({ minute, verdict: 'valid', freshness: 'fresh', malformed: false, imported: false, ...row })
}

test('existing deliveries are counted in transactions that a stop leaves whole', () => {
  for (let minute = 0; minute < 600; minute++) received(minute % 50)
  const isCounting = () => countStored(database.db, 0)
  expect(isCounting()).toBe(true)
  const counted = database.db.prepare('SELECT counted_seq FROM progress').pluck()
  expect(counted.get()).toBe(512)
  expect(timeline(null, MINUTE)).toEqual(countRows(MINUTE))
  expect(isCounting()).toBe(false)
  expect(counted.get()).toBe(600)
  expect(timeline(null, MINUTE)).toEqual(countRows(MINUTE))
})

test('a filtered timeline fills in from the newest, and continues with later deliveries only', () => {
  for (let minute = 0; minute < 10; minute++) received(minute)
  const input = { query: EVERYTHING, start: START, width: MINUTE, bins: 20, budgetMs: 0 }
  const whole = readTimeline(database.db, { ...input, budgetMs: 1_000 })
  expect(whole).toMatchObject({ rest: null, newest: 10 })
  expect(
    readTimeline(database.db, { ...input, rest: { from: 10, to: 6 }, budgetMs: 1_000 }).bins.map(({ index }) => index),
  ).toEqual([5, 6, 7, 8, 9])
  received(12)
  const since = readTimeline(database.db, { ...input, rest: { from: 99, to: whole.newest + 1 }, budgetMs: 1_000 })
  expect(since.bins.map(({ index }) => index)).toEqual([12])
})

test('the earliest time of receipt is known before and after counting, and after deletion', () => {
  expect(earliestReceipt(database.db)).toBeNull()
  received(5)
  received(2, { imported: true })
  expect(earliestReceipt(database.db)).toBe(START + 2 * MINUTE + 1)
  countStored(database.db, 1_000)
  expect(earliestReceipt(database.db)).toBe(START + 2 * MINUTE)
  hideDeliveries(database.db, { seqs: [2], at: 1 })
  expect(earliestReceipt(database.db)).toBe(START + 5 * MINUTE)
})

test('statistics count volume, shares and response times by event, hook and handler', () => {
  const answered = database.db.prepare(
    'UPDATE deliveries SET event = ?, hook_id = ?, attempt = ?, answer_status = 200, answer_ms = ? WHERE seq = ?',
  )
  for (let seq = 1; seq <= 100; seq++) {
    received(0, seq <= 5 ? { verdict: 'invalid' } : seq <= 15 ? { freshness: 'stale' } : {})
    answered.run(seq <= 60 ? 'transaction.auth' : null, 'h1', seq <= 2 ? 2 : 1, seq, seq)
  }
  respond(20, true)
  respond(21, false)
  let statistics = NO_STATISTICS
  let from: number | undefined
  do {
    const { next, ...piece } = readStatistics(database.db, { query: EVERYTHING, from, budgetMs: 0.01 })
    statistics = addStatistics(statistics, piece)
    from = next ?? undefined
  } while (from !== undefined)
  const [all] = statisticsSummaries([statistics.all])
  expect(all).toMatchObject({
    count: 100,
    retried: 2,
    shares: { invalid: 0.05, stale: 0.1, retried: 0.02 },
    ours: { p50: 50, p95: 95, p99: 99 },
    handlers: { p50: 12, p95: 12, p99: 12 },
    responses: { acknowledged: 1, failing: 1, rejected: 0, neutral: 0 },
  })
  expect(statisticsSummaries(statistics.event).map(({ key, count }) => [key, count])).toEqual([
    ['transaction.auth', 60],
    [null, 40],
  ])
  expect(statisticsSummaries(statistics.hook).map(({ key, count }) => [key, count])).toEqual([['h1', 100]])
  expect(statisticsSummaries(statistics.handler).map(({ key, count }) => [key, count])).toEqual([['http://localhost:3000/', 2]])
})
