import { fc, test as property } from '@fast-check/vitest'
import { beforeEach, expect, test } from 'vitest'
import { closeAtEnd, temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { databaseInFolder } from '../../../test/support/in-folder.ts'
import { overwrite, PAGE_BYTES, pagesOf } from '../../../test/support/pages.ts'
import { endedSend, jobOf, SETTINGS } from '../../../test/support/stored-replay.ts'
import type { TestDatabase } from '../../../test/support/test-database.ts'
import { captureOf, verifiedClaim } from '../../../test/support/test-store.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import { outcomeOfSend } from '../../shared/model/send-outcomes.ts'
import { NO_EDITS } from '../../shared/model/replay-edits.ts'
import type { ReplayEdits, Tamper } from '../../shared/model/send.ts'
import { putVerdicts } from './late-verdicts.ts'
import { hideDeliveries, prepareRemoval } from './deletion.ts'
import { rowsBySeq } from './deliveries.ts'
import { putHandlers, type StoredHandler } from './handlers.ts'
import { openForReading } from './open.ts'
import { repairDatabase } from './repair.ts'
import { insertReplay } from './replays.ts'
import { databaseFileOf, type ReadableDb } from './database.ts'
import { readDeletable } from './deletable.ts'
import { sendsOfDelivery } from './sends.ts'
import { packSends, prepareSends, type EndedSend } from './record-sends.ts'
import { putFlowDeliveries } from './flow-runs.ts'

let database: TestDatabase
let replays = 0
beforeEach(() => {
  database = databaseInFolder()
})

const put = (of: Partial<Pick<Delivery, 'verdict' | 'freshness'>> = {}): number => {
  const [seq = 0] = database.put([captureOf('{}', { verdict: 'valid', freshness: 'fresh', ...of })])
  return seq
}

interface Sent {
  readonly status: number | null
  readonly tamper?: Tamper
  readonly edits?: Partial<ReplayEdits>
  /** Whether only our own receiver responded. */
  readonly isOwn?: boolean
}

/** Replays a delivery to a handler that returns this status, and records the result. */
function replay(seq: number, { status, tamper, edits, isOwn = false }: Sent): void {
  const id = `replay-${++replays}`
  const variant = edits === undefined ? null : JSON.stringify(edits)
  const settings = { ...SETTINGS, tamper: tamper ?? null, edits: { ...NO_EDITS, ...edits } }
  insertReplay(database.db, { ...jobOf(id, [seq]), settings })
  const isSigned = (edits?.signature ?? 'recompute') === 'recompute'
  settle(seq, status, {
    replayId: id,
    tamper: tamper ?? null,
    variant,
    registeredUrl: isSigned ? 'https://example.test/in' : null,
    passed: isOwn ? null : status === 200,
  })
}

/** Records a send of a delivery to a handler that returned this status. */
function settle(
  deliverySeq: number,
  status: number | null,
  more: Pick<EndedSend, 'replayId'> & Partial<EndedSend>,
) {
  const ended = endedSend({
    position: 1,
    deliverySeq,
    target: 'http://localhost:3000/in',
    startedAt: 1_700_000_000_000 + replays,
    status,
    ms: 4,
    errorKind: status === null ? 'timeout' : null,
    error: status === null ? 'No response within 20 s.' : null,
    ...more,
  })
  return prepareSends(database.db)(packSends([ended]))
}

const handlerOf = (seq: number) => rowsBySeq(database.db, [seq])[0]?.handler ?? null
const responseOf = (seq: number) => {
  const handler = handlerOf(seq)
  return handler === null ? null : [handler.status, handler.outcome]
}

test('a delivery has the last response of the handler, with its send', () => {
  const seq = put()
  expect(handlerOf(seq)).toBeNull()
  replay(seq, { status: 500 })
  expect(handlerOf(seq)).toEqual({
    name: null,
    target: 'http://localhost:3000/in',
    sendId: `replay-${replays}.1`,
    at: new Date(1_700_000_000_000 + replays).toISOString(),
    status: 500,
    ms: 4,
    timedOut: false,
    signed: true,
    outcome: 'failing',
  })
  replay(seq, { status: 200 })
  expect(responseOf(seq)).toEqual([200, 'acknowledged'])
  replay(seq, { status: null })
  expect(handlerOf(seq)).toMatchObject({ status: null, timedOut: true, outcome: 'failing' })
})

test('a row shows how the last replay ended, and whether it fixed an earlier failure', () => {
  const seq = put()
  const last = () => {
    const replayed = rowsBySeq(database.db, [seq])[0]?.lastReplay ?? null
    return replayed === null ? null : [replayed.outcome, replayed.status, replayed.fixed]
  }
  expect(last()).toBeNull()
  replay(seq, { status: 500 })
  expect(last()).toEqual(['failing', 500, false])
  replay(seq, { status: 200 })
  expect(last()).toEqual(['acknowledged', 200, true])
  replay(seq, { status: 200 })
  expect(last()).toEqual(['acknowledged', 200, false])
  replay(seq, { status: 401, tamper: 'body' })
  expect(last()).toEqual(['rejected', 401, false])
  replay(seq, { status: 200, tamper: 'stale' })
  expect(last()?.[0]).toBe('failing')
  replay(seq, { status: 200, isOwn: true })
  expect(last()?.[0]).toBe('recorded')
})

test("a saved handler's present name is part of its responses", () => {
  const seq = put()
  const local: StoredHandler = {
    id: 'h1',
    name: 'local',
    url: 'http://localhost:3000/in',
    target: 'http://localhost:3000/in',
    registeredUrl: null,
    hookId: null,
    secret: null,
    prefix: null,
    targetCa: null,
    isCurrent: true,
    checks: [],
    createdAt: 1,
    removedAt: null,
  }
  putHandlers(database.db, [local])
  replay(seq, { status: 200 })
  expect(handlerOf(seq)?.name).toBe('local')
  putHandlers(database.db, [{ ...local, name: 'shop' }])
  expect(handlerOf(seq)?.name).toBe('shop')
})

const KEPT = { signature: 'keep' } as const

test.each<
  [verdict: Delivery['verdict'], freshness: Delivery['freshness'], sent: Sent, outcome: string]
>([
  ['valid', 'fresh', { status: 200 }, 'acknowledged'],
  ['valid', 'fresh', { status: 204 }, 'failing'],
  ['valid', 'stale', { status: 500 }, 'failing'],
  ['valid', 'stale', { status: 200, edits: KEPT }, 'neutral'],
  ['valid', 'future', { status: 200 }, 'acknowledged'],
  ['unknown-hook', 'fresh', { status: 200, edits: KEPT }, 'neutral'],
  ['unknown-hook', 'fresh', { status: 500, edits: KEPT }, 'failing'],
  // A replay has a fresh signature, so only an acknowledgement is right.
  ['invalid', 'fresh', { status: 200 }, 'acknowledged'],
  ['invalid', 'fresh', { status: 401 }, 'failing'],
  ['unsigned', 'missing', { status: 401 }, 'failing'],
  ['invalid', 'fresh', { status: 200, edits: KEPT }, 'failing'],
  ['invalid', 'fresh', { status: 401, edits: KEPT }, 'rejected'],
  ['invalid', 'stale', { status: 200, tamper: 'secret' }, 'failing'],
  ['invalid', 'fresh', { status: 500, edits: KEPT }, 'failing'],
  ['unsigned', 'missing', { status: 200, edits: KEPT }, 'failing'],
  ['unsigned', 'missing', { status: 401, tamper: 'no-signature' }, 'rejected'],
  ['invalid', 'fresh', { status: 200, tamper: 'stale' }, 'failing'],
])('a delivery that is %s and %s, sent as %j: %s', (verdict, freshness, sent, outcome) => {
  const seq = put({ verdict, freshness })
  replay(seq, sent)
  expect(responseOf(seq)).toEqual([sent.status, outcome])
  expect(handlerOf(seq)?.signed).toBe(
    sent.edits === undefined && (sent.tamper === undefined || sent.tamper === 'stale'),
  )
})

test.each<[what: string, sent: Sent]>([
  ['a tampered send of a valid delivery', { status: 401, tamper: 'secret' }],
  [
    'a valid delivery with its captured signature, which may be stale by now',
    { status: 401, edits: KEPT },
  ],
  ['another body', { status: 500, edits: { set: { amount: '1' } } }],
  ['another method', { status: 405, edits: { method: 'GET' } }],
  ['another header', { status: 500, edits: { setHeaders: [['x-a', 'b']] } }],
  ["our own receiver's response", { status: 200, isOwn: true }],
])("doesn't count: %s", (_, sent) => {
  const seq = put()
  replay(seq, sent)
  expect(handlerOf(seq)).toBeNull()
  replay(seq, { status: 200 })
  replay(seq, sent)
  expect(responseOf(seq)).toEqual([200, 'acknowledged'])
})

test.each<
  [verdict: Delivery['verdict'], freshness: Delivery['freshness'], status: number, outcome: string]
>([
  ['invalid', 'fresh', 401, 'rejected'],
  ['unsigned', 'missing', 200, 'failing'],
  ['valid', 'fresh', 401, 'failing'],
  ['valid', 'stale', 401, 'neutral'],
  ['valid', 'stale', 500, 'failing'],
])(
  'a delivery that is %s and %s, forwarded as received, %i: %s',
  (verdict, freshness, status, outcome) => {
    const seq = put({ verdict, freshness })
    const passed = status === 200
    settle(seq, status, { replayId: 't', kind: 'forward', registeredUrl: null, passed })
    expect(responseOf(seq)).toEqual([status, outcome])
  },
)

interface Way {
  readonly sent?: Pick<Sent, 'tamper' | 'edits'>
  readonly forwarded?: Pick<EndedSend, 'registeredUrl'>
}
const ways: Way[] = [
  {},
  { sent: { tamper: 'secret' } },
  { sent: { tamper: 'stale' } },
  { sent: { edits: KEPT } },
  { forwarded: { registeredUrl: null } },
  { forwarded: { registeredUrl: 'https://example.test/in' } },
]

property.prop([
  fc.constantFrom<Delivery['verdict']>('valid', 'invalid', 'unsigned', 'unknown-hook'),
  fc.constantFrom<Delivery['freshness']>('fresh', 'stale', 'future'),
  fc.constantFrom(200, 401, 500, null),
  fc.constantFrom(...ways),
])(
  'the list and the history of a delivery never disagree',
  (verdict, freshness, status, { forwarded, sent }) => {
    const seq = put({ verdict, freshness })
    const passed = status === 200
    if (forwarded === undefined) replay(seq, { status, ...sent })
    else settle(seq, status, { replayId: `t${seq}`, kind: 'forward', passed, ...forwarded })
    const response = handlerOf(seq)
    const [send] = sendsOfDelivery(database.db, { deliverySeq: seq, limit: 1 })
    if (response === null || send === undefined) return
    const { tone, word } = outcomeOfSend(send)
    if (response.outcome === 'failing' || response.outcome === 'acknowledged')
      expect(tone).toBe(response.outcome === 'failing' ? 'bad' : 'good')
    // The history compares a rejection with the valid delivery.
    else
      expect([tone, word]).toEqual(status === 200 ? ['warn', 'accepted'] : ['neutral', 'rejected'])
  },
)

test('a delivery that a forward target retries has the response to the last try', () => {
  const seq = put()
  settle(seq, 503, { replayId: 't', kind: 'forward', state: 'waiting', passed: false })
  expect(responseOf(seq)).toEqual([503, 'failing'])
  expect(settle(seq, 200, { replayId: 't', kind: 'forward' }).deliveries).toEqual([seq])
  expect(responseOf(seq)).toEqual([200, 'acknowledged'])
})

test('an imported claim that is verified here is judged again', () => {
  const seq = put({ verdict: 'unsigned', freshness: 'fresh' })
  database.db.prepare('UPDATE deliveries SET verified_here = 0').run()
  replay(seq, { status: 401, edits: KEPT })
  expect(responseOf(seq)).toEqual([401, 'rejected'])
  putVerdicts(database.db, [verifiedClaim(seq)])
  expect(responseOf(seq)).toEqual([401, 'neutral'])
})

test('a delivery of a flow has its run and its step', () => {
  const seq = put()
  putFlowDeliveries(database.db, { flow: 'purchase-visa', run: 'r1', rows: [{ seq, step: null }] })
  putFlowDeliveries(database.db, {
    flow: 'purchase-visa',
    run: 'r1',
    rows: [
      { seq, step: 'clearing' },
      { seq: 99, step: null },
    ],
  })
  expect(rowsBySeq(database.db, [seq])[0]?.flowRun).toEqual({
    flow: 'purchase-visa',
    run: 'r1',
    step: 'clearing',
  })
})

test('both are removed with their delivery', () => {
  const seq = put()
  replay(seq, { status: 500 })
  putFlowDeliveries(database.db, { flow: 'purchase-visa', run: 'r1', rows: [{ seq, step: null }] })
  database.db.prepare('UPDATE progress SET described_seq = ?').run(seq)
  hideDeliveries(database.db, { seqs: [seq], at: 1 })
  prepareRemoval(database.db)({
    deletable: readDeletable(database.db, { before: 9, limit: 9 }),
    budgetMs: 1_000,
  })
  for (const table of ['handler_responses', 'flow_deliveries', 'sends'])
    expect(database.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(), table).toBe(0)
})

test('doctor --repair rebuilds lost responses from the sends', () => {
  const [failing, fixed, silent] = [put(), put(), put()] as const
  replay(failing, { status: 500 })
  replay(fixed, { status: null })
  replay(fixed, { status: 200 })
  const responses = (db: ReadableDb) =>
    rowsBySeq(db, [failing, fixed, silent]).map(({ handler }) => handler)
  const expected = responses(database.db)
  expect(expected.map((handler) => handler?.outcome)).toEqual([
    undefined,
    'acknowledged',
    'failing',
  ])

  const folder = temporaryFolder()
  const damaged = databaseFileOf(folder)
  database.db.prepare('VACUUM INTO ?').run(damaged)
  const page = pagesOf(folder).find(({ name }) => name === 'handler_responses')
  overwrite(damaged, Buffer.alloc(PAGE_BYTES, 'x'), ((page?.number ?? 1) - 1) * PAGE_BYTES)
  expect(repairDatabase(folder).outcome).toBe('repaired')
  const repaired = openForReading(damaged)
  closeAtEnd(() => void repaired.close())
  expect(responses(repaired)).toEqual(expected)
})
