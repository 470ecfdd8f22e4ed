import { test as property } from '@fast-check/vitest'
import { beforeAll, describe, expect, test } from 'vitest'
import { databaseInFolder } from '../../../test/support/in-folder.ts'
import { expressionsOf } from '../../../test/support/query-arbitraries.ts'
import { chooseSeed, createSeededRandom } from '../../../test/support/seeded-random.ts'
import type { TestDatabase } from '../../../test/support/test-database.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import type { SearchedDelivery } from '../../shared/query/fields.ts'
import { createFilter } from '../../shared/query/matches.ts'
import { queryFor, type NamedHook } from '../../shared/query/meaning.ts'
import { listQuery, readIdentifiedQuery, readQuery } from '../../shared/query/parse.ts'
import {
  withAskedPossibleEvents,
  withPossibleEvents,
  type Query,
} from '../../shared/query/query.ts'
import { printQuery } from '../../../test/support/print-query.ts'
import { getDelivery, readStoredBody } from './deliveries.ts'
import { setMarks } from './settings.ts'
import { whereOf } from './query-sql.ts'
import { times } from '../../../test/support/long-form.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')

/** Pieces of texts: characters with a meaning in LIKE, GLOB, JSON and words, among ordinary ones. */
const PIECES = [
  'coffee',
  'House',
  'café',
  'É',
  '%',
  '_',
  '\\',
  '"',
  '[a]',
  '?',
  ',',
  '東京',
  ' ',
  ':',
  "'",
  '\n',
  '*',
  '4001',
  '-',
] as const
const EVENTS = [
  'transaction.auth',
  'transaction.auth.qualified',
  'transaction_auth',
  'card.linked',
  'a[b]?c',
  null,
] as const
const HEADERS = ['Content-Type', 'x-a', 'X-A_b', '3d'] as const
const KEYS = [
  'card',
  'amount',
  'offer',
  'scheme',
  'a b',
  'é',
  '0',
  'toString',
  '__proto__',
] as const
const VALUES = [
  'transaction.auth',
  'VISA',
  'visa',
  'post',
  'sandbox-test',
  '/h/coffee',
  'h1',
  '127.0.0.1',
  '1.1',
  'coffee',
  'é',
  '4001',
  '%',
  '_',
  'a[b]?c',
  '?',
  '2026-11-20',
  'true',
  'null',
  '-12.5',
] as const

const hooks: readonly NamedHook[] = [
  { id: 'h1', remoteId: 'r1', url: 'https://a.example/h/coffee', path: '/h/coffee' },
  { id: 'h2', remoteId: null, url: 'https://a.example/other?x=1', path: '/other?x=1' },
]

let database: TestDatabase
let deliveries: SearchedDelivery[]
const seed = chooseSeed()

type Random = ReturnType<typeof createSeededRandom>

const textOf = (random: Random, most: number) =>
  Array.from({ length: random.integer(0, most) }, () => random.pick(PIECES)).join('')

/** JSON as text, so that it can contain what no value can: long numbers, duplicate keys, escapes. */
function jsonOf(random: Random, depth: number): string {
  const kind = random.integer(0, depth > 0 ? 9 : 6)
  if (kind === 0) return random.pick(['true', 'false', 'null'])
  if (kind <= 2)
    return random.pick([
      '4001',
      '4001.0',
      '40.01e2',
      '-12.5',
      '-3',
      '0',
      '9007199254740993',
      '9007199254740992',
      '12',
    ])
  if (kind === 3)
    return random.pick([
      '"visa"',
      '"VISA"',
      '"4001"',
      '"caf\\u00e9"',
      '"2026-11-20T10:00:00Z"',
      '"\\ud800"',
      '""',
    ])
  if (kind <= 5) return JSON.stringify(textOf(random, 2))
  if (kind === 6) return '"transaction.auth"'
  const inner = Array.from({ length: random.integer(0, 3) }, () => jsonOf(random, depth - 1))
  if (kind === 7) return `[${inner.join(', ')}]`
  return `{${inner.map((value) => `${random.pick(['"card"', '"c\\u0061rd"', ...KEYS.map((key) => JSON.stringify(key))])}:${value}`).join(',')}}`
}

beforeAll(() => {
  database = databaseInFolder()
  const random = createSeededRandom(seed)
  const captures = Array.from({ length: 120 }, () => {
    const isMalformed = random.integer(0, 6) === 0
    const json = random.integer(0, 4) > 0
    const body = json
      ? jsonOf(random, 3)
      : `${random.pick(['', '{', '\ufeff{}', '\u0000'])}${textOf(random, 6)}`
    const bytes =
      random.integer(0, 9) === 0
        ? Buffer.concat([Buffer.from(body), Buffer.from([0xff])])
        : Buffer.from(body)
    const headers = Array.from({ length: random.integer(0, 3) }, (): [string, string] => [
      random.pick(HEADERS),
      random.integer(0, 1) === 0
        ? random.pick(VALUES).replaceAll(/[^\x01-\xff]/g, '')
        : textOf(random, 3).replaceAll(/[^\x01-\xff]/g, ''),
    ])
    return captureOf(bytes, {
      receivedAt: NOW - random.integer(0, 72 * 60) * 60_000,
      method: isMalformed ? null : random.pick(['POST', 'GET']),
      path: isMalformed ? null : random.pick(['/h/coffee', `/h/${textOf(random, 3)}`]),
      malformed: isMalformed ? 'The request line has an invalid URL.' : null,
      httpVersion: random.pick(['1.1', '1.0']),
      headers: JSON.stringify(headers),
      event: random.pick(EVENTS),
      hookId: random.pick(['h1', 'h2', 'gone', null]),
      environment: random.pick(['sandbox-test', 'Sandbox-Live', null]),
      mode: random.pick(['test', 'live', null]),
      verdict: random.pick(['valid', 'invalid', 'unsigned', 'unknown-hook']),
      freshness: random.pick(['fresh', 'stale', 'future', 'missing']),
      truncated: random.integer(0, 5) === 0,
      remote: random.pick(['127.0.0.1:51234', '[::1]:80', null]),
    })
  })
  const seqs = database.put(captures)
  const fill = database.db.prepare(
    `UPDATE deliveries SET attempt_of = ?, duplicate_of = ?, attempt = ?, schema = ?, answer_status = ?, answer_ms = ?, event_candidates = ? WHERE seq = ?`,
  )
  for (const seq of seqs) {
    const link = random.integer(0, 3)
    fill.run(
      link === 0 ? 'first' : null,
      link === 1 ? 'first' : null,
      random.integer(1, 3),
      random.pick(['ok', 'issues', 'not-json', 'unknown']),
      random.pick([200, 404, 500, null]),
      random.pick([0.5, 12.25, 1_000, 2_000, null]),
      random.pick(['[]', '["transaction.auth"]', '["card.linked","a[b]?c"]']),
      seq,
    )
  }
  for (const seq of seqs)
    setMarks(database.db, {
      seqs: [seq],
      change: {
        pinned: random.integer(0, 3) === 0,
        note: random.integer(0, 2) === 0 ? textOf(random, 3) || null : null,
      },
    })
  fillResponses(random, seqs)
  deliveries = database.list().map((delivery) => ({
    ...delivery,
    body: new Uint8Array(
      readStoredBody(database.db, { seq: delivery.seq, offset: 0, length: 1_000_000 }).bytes,
    ),
  }))
})

/** Some deliveries with a response of a saved handler, of another endpoint or none, and some of a flow. */
function fillResponses(random: Random, seqs: readonly number[]): void {
  const { db } = database
  const save = db.prepare(
    "INSERT INTO handlers (id, name, url, target, created_at) VALUES (?, ?, '', '', 1)",
  )
  for (const name of ['coffee', 'visa']) save.run(name, name)
  const send = db.prepare(
    "INSERT INTO sends (job_id, position, delivery_seq, target, state, status, handler) VALUES ('job', ?, ?, 'http://localhost/', 'settled', ?, ?)",
  )
  const respond = db.prepare(
    'INSERT INTO handler_responses (seq, send_seq, outcome) VALUES (?, ?, ?)',
  )
  const mark = db.prepare(
    "INSERT INTO flow_deliveries (seq, run_id, flow, step) VALUES (?, 'run', ?, NULL)",
  )
  for (const seq of seqs) {
    if (random.integer(0, 2) > 0) {
      const { lastInsertRowid } = send.run(
        seq,
        seq,
        random.pick([200, 404, 500, null]),
        random.pick([1, 2, null]),
      )
      respond.run(
        seq,
        lastInsertRowid,
        random.pick(['acknowledged', 'rejected', 'failing', 'neutral']),
      )
    }
    if (random.integer(0, 2) === 0) mark.run(seq, random.pick(['visa', 'é', '4001']))
  }
}

const expressions = expressionsOf({
  words: [
    'coffee',
    'cof',
    'coffee house',
    'Café',
    'E',
    '4001',
    '東',
    'h coffee',
    'transaction auth',
    'sandbox',
    'content type',
    'u00e9',
  ],
  values: VALUES,
  headers: HEADERS,
  keys: KEYS,
  json: [
    '{}',
    '{"card":{}}',
    '{"amount":4001}',
    '{"card":{"amount":-12.5}}',
    '{"card":["visa"]}',
    '{"é":null}',
    '{"a b":9007199254740993}',
    '{"__proto__":4001}',
  ],
  times: [
    '2h',
    '30m',
    'now',
    'today',
    'yesterday',
    '2026-11-20',
    '2026-11-20T10:00Z',
    '2026-11-20T10:00:00.000+01:00',
    '11:30',
  ],
})

property.prop([expressions], { numRuns: times(30, 3_000) })(
  'a query finds what the plain filter finds',
  (expression) => {
    const query = queryFor(expression, { now: NOW, hooks })
    const expected = deliveries.filter(createFilter(query)).map(({ seq }) => seq)
    const { sql, values } = whereOf(query)
    const found = database.db
      .prepare<unknown[], number>(`SELECT d.seq FROM deliveries d WHERE ${sql} ORDER BY d.seq DESC`)
      .pluck()
      .all(...values)
    expect(found, `SEED=${seed} ${printQuery(expression)}`).toEqual(expected)
  },
)

property.prop([expressions], { numRuns: times(30, 3_000) })(
  'what is matched with consequences is always in the list of the same search',
  (expression) => {
    const meaning = queryFor(expression, { now: NOW, hooks })
    const isIdentified = createFilter(withAskedPossibleEvents(meaning))
    const isListed = createFilter(withPossibleEvents(meaning))
    const found = database.list(withAskedPossibleEvents(meaning)).map(({ seq }) => seq)
    expect(found, printQuery(expression)).toEqual(
      deliveries.filter(isIdentified).map(({ seq }) => seq),
    )
    expect(deliveries.filter((delivery) => isIdentified(delivery) && !isListed(delivery))).toEqual(
      [],
    )
  },
)

const read = (text: string) => readQuery(text, { now: NOW, hooks })

test.each([
  ['Café Zoë', 'cafe zoe'],
  ['Cafe\u0301 Zoe', '"CAFÉ Z"'],
  ['CREME', 'crème'],
  ['ÎLE DE RÉ', 'ile*re'],
  ['ΟΔΟΣ', 'οδος'],
])("accents and case of %s don't matter to %s", (stored, text) => {
  const [first] = deliveries
  const { seq = 0 } = first ?? {}
  database.db
    .prepare('INSERT OR REPLACE INTO details (seq, merchant) VALUES (?, ?)')
    .run(seq, stored)
  const value = text.startsWith('"') ? text : text.replaceAll(' ', '*')
  expect(database.list(read(`merchant:${value}`)).map((found) => found.seq)).toEqual([seq])
  expect(createFilter(read(`merchant:${value}`))({ ...first!, merchant: stored })).toBe(true)
  expect(database.list(read('merchant:bar'))).toEqual([])
})

test.each([`' OR 1=1 --`, `'); DROP TABLE deliveries; --`, '?', '%', '_', '*'])(
  'values of a query are never part of the SQL: %j',
  (text) => {
    expect(database.list(read(`event:"${text}"`))).toHaveLength(0)
    expect(database.list(read(`card:"${text}"`))).toHaveLength(
      deliveries.filter(createFilter(read(`card:"${text}"`))).length,
    )
    expect(database.list()).toHaveLength(deliveries.length)
  },
)

test('the database accepts a search with the most terms and levels', () => {
  for (const text of [
    'a '.repeat(200),
    'a OR '.repeat(199) + 'a',
    `${'-('.repeat(20)}card:x${')'.repeat(20)}`,
    `event:${'a,'.repeat(199)}a`,
  ])
    expect(database.list(read(text))).toHaveLength(
      deliveries.filter(createFilter(read(text))).length,
    )
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

  const found = (query: Query) => {
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
    expect(found(read(text))).toEqual(listed)
    expect(found(readIdentifiedQuery(text, { now: NOW, hooks }))).toEqual(identified)
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
