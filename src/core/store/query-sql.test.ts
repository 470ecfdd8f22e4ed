import { beforeAll, describe, expect, test } from 'vitest'
import { databaseInFolder } from '../../../test/support/in-folder.ts'
import type { TestDatabase } from '../../../test/support/test-database.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import { BUILT_IN_VIEWS } from '../../shared/model/view.ts'
import { fieldNames } from '../../shared/query/fields.ts'
import { FLAGS } from '../../shared/query/flags.ts'
import type { NamedHook } from '../../shared/query/interpret.ts'
import { readIdentifiedQuery, readQuery } from '../../shared/query/parse.ts'
import { listQuery } from '../../shared/query/selected-values.ts'
import type { Query } from '../../shared/query/query.ts'
import type { QueuedCapture } from './group-commit.ts'
import { whereOf } from './query-sql.ts'
import { setMarks } from './marks.ts'
import { firstRoute } from './forward-routes.ts'
import { getDelivery } from './find-delivery.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')

const hooks: readonly NamedHook[] = [
  { id: 'h1', remoteId: 'r1', url: 'https://a.example/h/coffee', path: '/h/coffee' },
  { id: 'h2', remoteId: null, url: 'https://a.example/other?x=1', path: '/other?x=1' },
]

const PURCHASE =
  '{"merchant":"Coffee House","card":{"scheme":"VISA","lastNumbers":"4001"},"amount":-12.5}'

/** Deliveries by name: body, captured columns, and columns that are filled later. */
const stored = {
  coffee: [
    PURCHASE,
    {
      receivedAt: NOW - 3_000_000,
      event: 'transaction.auth',
      hookId: 'h1',
      environment: 'sandbox-test',
      mode: 'test',
      verdict: 'valid',
      freshness: 'fresh',
      path: '/h/coffee',
      remote: '127.0.0.1:51234',
      headers: '[["Content-Type","application/json"],["x-a","50%_É"]]',
    },
    { schema: 'ok', answer_status: 200, answer_ms: 12.25 },
  ],
  live: [
    `{"c\\u0061rd":{"scheme":"amex"},"long":9007199254740993}`,
    {
      receivedAt: NOW - 86_400_000,
      hookId: 'h2',
      environment: 'Sandbox-Live',
      mode: 'live',
      verdict: 'invalid',
      freshness: 'stale',
      method: 'GET',
      path: '/other?x=1',
      httpVersion: '1.0',
      remote: '[::1]:80',
    },
    {
      schema: 'issues',
      answer_status: 500,
      answer_ms: 2_000,
      attempt: 2,
      attempt_of: 'first',
      event_candidates: '["transaction.refund","a[b]?c"]',
    },
  ],
  malformed: [
    '',
    { receivedAt: NOW, method: null, path: null, malformed: 'No request.', truncated: true },
    {},
  ],
  imported: [
    '[1, "東京タワー"]',
    { receivedAt: NOW, verdict: 'invalid', freshness: 'future', event: 'a[b]?c' },
    { schema: 'not-json', duplicate_of: 'first', origin: 'imported', verified_here: 0 },
  ],
  reported: [
    '{',
    { receivedAt: NOW, verdict: 'unknown-hook', path: '/h/%_' },
    { origin: 'reported' },
  ],
  late: [
    '',
    { receivedAt: NOW - 172_800_000, verdict: 'valid', freshness: 'stale' },
    { origin: 'shared' },
  ],
} as const satisfies Readonly<
  Record<
    string,
    readonly [string, Partial<QueuedCapture['row']>, Readonly<Record<string, string | number>>]
  >
>

let database: TestDatabase
const names = Object.keys(stored)

beforeAll(() => {
  database = databaseInFolder()
  const all = Object.values(stored)
  const seqs = database.put(all.map(([body, row]) => captureOf(body, row)))
  const { db } = database
  for (const [index, [, , filled]] of all.entries())
    for (const [column, value] of Object.entries(filled))
      db.prepare(`UPDATE deliveries SET ${column} = ? WHERE seq = ?`).run(value, seqs[index])
  const [coffee = 0, live = 0, , imported = 0, , late = 0] = seqs
  setMarks(db, { seqs: [coffee], change: { pinned: true, note: 'Ask Zoë' } })
  db.prepare("INSERT INTO details (seq, merchant) VALUES (?, 'Café House')").run(coffee)
  db.exec(
    "INSERT INTO handlers (id, name, url, target, created_at) VALUES ('a', 'Local', '', '', 1)",
  )
  db.prepare(
    "INSERT INTO sends (job_id, position, delivery_seq, target, state, status, handler) VALUES ('replay', 1, ?, 'http://localhost/', 'settled', 404, 1)",
  ).run(live)
  db.prepare("INSERT INTO handler_responses (seq, send_seq, outcome) VALUES (?, 1, 'failing')").run(
    live,
  )
  db.prepare("INSERT INTO flow_deliveries (seq, run_id, flow) VALUES (?, 'run', 'visa-run')").run(
    imported,
  )
  db.prepare("INSERT INTO composed (seq, name) VALUES (?, 'big-refund')").run(late)
})

const read = (text: string) => readQuery(text, { now: NOW, hooks })
const found = (query: Query) => {
  const ids = database.list(query).map(({ seq }) => names[seq - 1])
  return names.filter((name) => ids.includes(name))
}

/** Queries with their matches. */
const queries: readonly (readonly [string, ...(keyof typeof stored)[]])[] = [
  ['event:transaction.auth', 'coffee'],
  ['event:Transaction.auth'],
  ['event:"a[b]?c"', 'live', 'imported'],
  ['event:a[*', 'live', 'imported'],
  ['event:a[b]*d'],
  ['is:valid', 'coffee', 'late'],
  ['is:invalid', 'live', 'imported'],
  ['is:unsigned', 'malformed'],
  ['is:unknown-hook', 'reported'],
  ['is:verified', 'coffee', 'live', 'malformed', 'reported', 'late'],
  ['is:fresh', 'coffee'],
  ['is:stale', 'live', 'late'],
  ['is:future', 'imported'],
  ['is:missing-timestamp', 'malformed', 'reported'],
  ['is:duplicate', 'imported'],
  ['is:retry', 'live'],
  ['is:malformed', 'malformed'],
  ['is:truncated', 'malformed'],
  ['is:answered', 'coffee', 'live'],
  ['is:refused', 'live'],
  ['is:possible', 'live'],
  ['is:test', 'coffee'],
  ['is:live', 'live'],
  ['is:imported', 'imported'],
  ['is:flow', 'imported'],
  ['is:composed', 'late'],
  ['has:name', 'late'],
  ['name:BIG-*', 'late'],
  ['is:reported', 'reported'],
  ['is:shared', 'late'],
  ['is:pinned', 'coffee'],
  ['has:note', 'coffee'],
  ['has:body', 'coffee', 'live', 'imported', 'reported'],
  ['has:hook', 'coffee', 'live'],
  ['has:event', 'coffee', 'imported'],
  ['response:failing', 'live'],
  ['response:none', 'coffee', 'malformed', 'imported', 'reported', 'late'],
  ['response:400..', 'live'],
  ['hook:coffee', 'coffee'],
  ['environment:SANDBOX-*', 'coffee', 'live'],
  ['-environment:sandbox-test', 'live', 'malformed', 'imported', 'reported', 'late'],
  ['mode:test,live', 'coffee', 'live'],
  ['-mode:test', 'live', 'malformed', 'imported', 'reported', 'late'],
  ['verdict:valid,invalid', 'coffee', 'live', 'imported', 'late'],
  ['freshness:missing', 'malformed', 'reported'],
  ['schema:issues,not-json', 'live', 'imported'],
  ['attempt:>1', 'live'],
  ['status:200..499', 'coffee'],
  ['-status:200', 'live', 'malformed', 'imported', 'reported', 'late'],
  ['handler:local', 'live'],
  ['flow:visa-*', 'imported'],
  ['ms:>1s', 'live'],
  ['size:>50', 'coffee', 'live'],
  ['method:get', 'live'],
  ['path:/h/*', 'coffee', 'imported', 'reported', 'late'],
  ['path:/h/%_', 'reported'],
  ['path:/h/%*', 'reported'],
  ['header:content-type', 'coffee'],
  ['header.x-a:50%*', 'coffee'],
  ['header.x-a:5_*'],
  ['header:x-*', 'coffee'],
  ['merchant:CAFE', 'coffee'],
  ['card:visa', 'coffee'],
  ['card.scheme:amex', 'live'],
  ['last4:4001', 'coffee'],
  ['amount:<0', 'coffee'],
  ['long:9007199254740993', 'live'],
  ['long:9007199254740992'],
  ['body:"coffee house"', 'coffee'],
  ['body:test'],
  ['h coffee', 'coffee'],
  ['東京', 'imported'],
  ['{"card":{"scheme":"VISA"}}', 'coffee'],
  ['received:2026-11-20', 'live'],
  ['after:2h', 'coffee', 'malformed', 'imported', 'reported'],
  ['before:2h', 'live', 'late'],
  ['within:30m', 'malformed', 'imported', 'reported'],
  ['remote:127.0.0.1', 'coffee'],
  ['remote:"[::1]"', 'live'],
  ['http:1.0', 'live'],
  ['note:zoe', 'coffee'],
  ['id:x'],
  ['sha256:*', ...(names as (keyof typeof stored)[])],
  ['-(is:valid OR is:invalid)', 'malformed', 'reported'],
  ['is:valid -coffee', 'late'],
  ['', ...(names as (keyof typeof stored)[])],
]

test.each(queries)('%s finds what it says', (text, ...expected) => {
  expect(found(read(text))).toEqual(expected)
})

test('every field and every flag has an example above', () => {
  const used = queries.map(([text]) => text).join(' ')
  const words = [...fieldNames.map((name) => `${name}:`), ...Object.keys(FLAGS)]
  expect(words.filter((word) => !used.includes(word))).toEqual([])
})

test('each built-in view finds what its name says, and nothing else', () => {
  expect(
    Object.fromEntries(BUILT_IN_VIEWS.map(({ name, query }) => [name, found(read(query))])),
  ).toEqual({
    All: names,
    Invalid: ['live'],
    Stale: ['late'],
    Retried: ['live'],
    'Schema errors': ['live'],
    'Failing at your handler': ['live'],
    Imported: ['imported'],
    'Flow runs': ['imported'],
    Composed: ['late'],
    'Last hour': ['coffee', 'malformed', 'imported', 'reported'],
  })
})

test.each([
  ['Café Zoë', 'cafe zoe'],
  ['Cafe\u0301 Zoe', '"CAFÉ Z"'],
  ['CREME', 'crème'],
  ['ÎLE DE RÉ', 'ile*re'],
  ['ΟΔΟΣ', 'οδος'],
])("accents and case of %s don't matter to %s", (merchant, text) => {
  database.db.prepare('UPDATE details SET merchant = ?').run(merchant)
  const value = text.startsWith('"') ? text : text.replaceAll(' ', '*')
  expect(found(read(`merchant:${value}`))).toEqual(['coffee'])
  expect(found(read('merchant:bar'))).toEqual([])
})

test.each([`' OR 1=1 --`, `'); DROP TABLE deliveries; --`, '?', '%', '_', '*'])(
  'values of a query are never part of the SQL: %j',
  (text) => {
    for (const field of ['event', 'card']) expect(found(read(`${field}:"${text}"`))).toEqual([])
    expect(found(read(''))).toEqual(names)
  },
)

test('the database accepts a search with the most terms and levels', () => {
  for (const text of [
    'a '.repeat(200),
    'a OR '.repeat(199) + 'a',
    `${'-('.repeat(20)}card:x${')'.repeat(20)}`,
    `event:${'a,'.repeat(199)}a`,
  ])
    expect(found(read(text)).length).toBeLessThan(names.length)
})

test('an event, exact or with a trailing star, identified or possible, is found by its index', () => {
  for (const text of [
    'event:card.linked',
    'event:transaction.*',
    'event:a,b',
    'event:a is:possible',
  ]) {
    const { sql, values } = whereOf(read(text))
    const plan = database.db
      .prepare<unknown[], { detail: string }>(
        `EXPLAIN QUERY PLAN SELECT count(*) FROM deliveries d WHERE ${sql}`,
      )
      .all(...values)
      .map(({ detail }) => detail)
    expect(plan.join('\n')).toContain('SEARCH d USING INDEX deliveries_event')
    expect(plan).not.toContain('SCAN d')
  }
})

describe('a refund identified only by its fields, which may be a refund or its clearing', () => {
  const REFUND_OR_CLEARING = '["transaction.refund","transaction.clearing"]'
  const events = {
    identified: 'transaction.refund',
    possible: null,
    other: 'transaction.auth',
    unknown: null,
  }
  let seqs: Record<keyof typeof events, number>
  let db: TestDatabase
  beforeAll(() => {
    db = databaseInFolder()
    const [identified = 0, possible = 0, other = 0, unknown = 0] = db.put(
      Object.values(events).map((event, index) => captureOf(`{"n":${index}}`, { event })),
    )
    seqs = { identified, possible, other, unknown }
    db.db
      .prepare('UPDATE deliveries SET event_candidates = ? WHERE seq = ?')
      .run(REFUND_OR_CLEARING, possible)
  })

  const foundHere = (query: Query) => {
    const listed = db.list(query).map(({ seq }) => seq)
    return Object.entries(seqs).flatMap(([name, seq]) => (listed.includes(seq) ? [name] : []))
  }

  test.each([
    ['event:transaction.refund', ['identified', 'possible'], ['identified']],
    ['event:transaction.re*', ['identified', 'possible'], ['identified']],
    ['event:transaction.refund is:possible', ['possible'], ['possible']],
    [
      '(event:transaction.auth OR event:transaction.refund) is:possible',
      ['possible'],
      ['possible'],
    ],
    [
      'event:transaction.refund OR event:transaction.refund is:possible',
      ['identified', 'possible'],
      ['identified', 'possible'],
    ],
    ['is:possible', ['possible'], ['possible']],
    ['event:transaction.refund -is:possible', ['identified'], ['identified']],
    ['event:transaction.auth', ['other'], ['other']],
    ['event:Transaction.refund', [], []],
    ['-event:transaction.refund', ['other', 'unknown'], ['other', 'unknown']],
    ['-(-event:transaction.refund)', ['identified', 'possible'], ['identified']],
    ['has:event', ['identified', 'other'], ['identified', 'other']],
  ])('%s: a list finds %j, strict uses find %j', (text, listed, identified) => {
    expect(foundHere(read(text))).toEqual(listed)
    expect(foundHere(readIdentifiedQuery(text, { now: NOW, hooks }))).toEqual(identified)
  })

  test("before it is described, a delivery's event is the only one that its payload names", () => {
    const route = (text: string) => readIdentifiedQuery(text, { now: NOW, hooks })
    const isRouted = (text: string, events: readonly string[]) =>
      firstRoute(db.db, {
        seq: seqs.unknown,
        events,
        routes: [{ targetId: 'target', query: route(text) }],
      }) === 'target'
    expect(isRouted('event:card.linked', ['card.linked'])).toBe(true)
    expect(isRouted('event:card.linked', ['card.linked', 'card.failed'])).toBe(false)
    expect(isRouted('event:card.linked is:possible', ['card.linked', 'card.failed'])).toBe(true)
    expect(isRouted('has:event', [])).toBe(false)
  })

  test('latest:EVENT is the newest that has or may have the event, unless it must be identified', () => {
    const latest = (ref: string, identified = false) => getDelivery(db.db, ref, { identified }).seq
    expect(latest('latest:transaction.refund')).toBe(seqs.possible)
    expect(latest('latest:transaction.refund~1')).toBe(seqs.identified)
    expect(latest('latest:transaction.refund', true)).toBe(seqs.identified)
    expect(latest('latest:transaction.clearing')).toBe(seqs.possible)
    expect(() => latest('latest:transaction.clearing', true)).toThrow(
      'No transaction.clearing deliveries yet',
    )
    expect(() => latest('latest:transaction.refund~2')).toThrow(
      'Too few transaction.refund deliveries for latest:transaction.refund~2',
    )
  })

  test('latest skips what a list leaves out, and says so if nothing else is there', () => {
    const latest = (ref: string) => getDelivery(db.db, ref).id
    const listed = db.list(listQuery('', { kind: 'all', of: [] })).map(({ id }) => id)
    const hide = db.db.prepare(
      "INSERT INTO flow_deliveries (seq, run_id, flow, step) VALUES (?, 'run', 'stale', NULL)",
    )
    hide.run(seqs.possible)
    const shown = db.list(listQuery('', { kind: 'all', of: [] })).map(({ id }) => id)
    expect(shown).toHaveLength(listed.length - 1)
    expect(shown.map((_, place) => latest(`latest~${place}`))).toEqual(shown)
    expect(getDelivery(db.db, 'latest:transaction.refund').seq).toBe(seqs.identified)
    hide.run(seqs.identified)
    expect(() => latest('latest:transaction.refund')).toThrow(
      'No transaction.refund deliveries yet, except from flow runs.',
    )
    db.db.exec('DELETE FROM flow_deliveries')
  })
})
