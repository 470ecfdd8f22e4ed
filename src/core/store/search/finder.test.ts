import { fc, test as property } from '@fast-check/vitest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateDeliveries } from '../../../../test/support/generated-deliveries.ts'
import { databaseInFolder } from '../../../../test/support/in-folder.ts'
import { expressionsOf } from '../../../../test/support/query-arbitraries.ts'
import { chooseSeed } from '../../../../test/support/seeded-random.ts'
import type { TestDatabase } from '../../../../test/support/test-database.ts'
import { interpretExpression } from '../../../shared/query/interpret.ts'
import type { Query } from '../../../shared/query/query.ts'
import { withPossibleEvents } from '../../../shared/query/possible-events.ts'
import { separateUnlisted } from '../../../shared/query/unlisted.ts'
import { readQuery } from '../../../shared/query/parse.ts'
import { listQuery } from '../../../shared/query/selected-values.ts'
import { wordsOfDelivery } from '../../../shared/query/search-words.ts'
import type { RawHeaders } from '../../../shared/model/delivery.ts'
import { printQuery } from '../../../../test/support/print-query.ts'
import { shownEventTypes } from '../../../shared/service/event-type.ts'
import { openForReading } from '../open.ts'
import { whereOf } from '../query-sql.ts'
import { times } from '../../../../test/support/long-form.ts'
import type { ReadableDb } from '../database.ts'
import { countMatches, findMatches } from './finder.ts'
import { searchFileOf } from './open-search.ts'
import { closeSearchTools, openSearchTools, searchJobs, type SearchTools } from './search-jobs.ts'
import { searchPlan } from './index-plan.ts'

const COUNT = 120
/** Seq above which deliveries are stored but not indexed. */
const INDEXED = 90
const seed = chooseSeed()
const hooks = shownEventTypes.map((event) => ({
  id: `hook-${event}`,
  event,
  url: `https://127.0.0.1:4430/h/${event}`,
  secret: event,
  environment: event.startsWith('card') ? 'sandbox-live' : 'sandbox-test',
  mode: event.startsWith('card') ? ('live' as const) : ('test' as const),
}))

let database: TestDatabase
let main: ReadableDb
let tools: SearchTools
let now = 0
beforeAll(() => {
  database = databaseInFolder()
  const deliveries = [...generateDeliveries(seed, COUNT, hooks)]
  now = deliveries.at(-1)?.row.receivedAt ?? 0
  database.put(deliveries)
  const fill = database.db.prepare(
    'UPDATE deliveries SET answer_status = ?, schema = ?, attempt_of = ?, event_candidates = ? WHERE seq = ?',
  )
  deliveries.forEach(({ answer: { status }, schema, row }, index) => {
    const candidates =
      row.event === null && index % 2 === 0 ? '["transaction.refund","transaction.clearing"]' : '[]'
    fill.run(status, schema, index % 9 === 0 ? 'first' : null, candidates, index + 1)
  })
  // Above and below the mark, and more of them than are examined one by one.
  const respond = database.db.prepare(
    'INSERT INTO handler_responses (seq, send_seq, outcome) VALUES (?, ?, ?)',
  )
  for (let seq = 1; seq <= COUNT; seq++)
    if (seq % 4 > 0) respond.run(seq, seq, seq % 4 === 1 ? 'failing' : 'acknowledged')
  const mark = database.db.prepare(
    "INSERT INTO flow_deliveries (seq, run_id, flow) VALUES (?, 'run', 'visa')",
  )
  for (const seq of [7, 8, 99]) mark.run(seq)
  const compose = database.db.prepare('INSERT INTO composed (seq, name) VALUES (?, ?)')
  for (const seq of [5, 9, 98]) compose.run(seq, seq === 5 ? 'big' : null)
  database.db.exec(`UPDATE progress SET described_seq = ${INDEXED}`)
  main = openForReading(database.file)
  tools = openSearchTools(main, searchFileOf(database.folder))
  while (searchJobs.fill(tools, 1_000).behind);
})
afterAll(() => {
  closeSearchTools(tools)
  main.close()
})

/** Finds matches by examining every delivery. */
function plainly(query: Query): number[] {
  const { sql, values } = whereOf(query)
  return main
    .prepare<unknown[], number>(`SELECT d.seq FROM deliveries d WHERE ${sql} ORDER BY d.seq DESC`)
    .pluck()
    .all(...values)
}

const expressions = expressionsOf({
  words: [
    'coffee',
    'cof',
    'c',
    'zq',
    'the corner',
    'Café',
    'London',
    'transaction auth',
    'application json',
    'gbp',
    'visa',
    'service webhooks',
    '東',
  ],
  values: [
    'transaction.auth',
    'sandbox-test',
    'POST',
    'visa',
    '4001',
    '/h/card.linked',
    'GBP',
    'true',
    'null',
    '%',
  ],
  headers: ['content-type', 'X-Service-Signature'],
  keys: ['card', 'scheme', 'amount', 'offer'],
  json: ['{}', '{"card":{"scheme":"visa"}}', '{"currency":"GBP"}'],
  times: ['2h', 'today', '2026-03-04', '2026-06-01T10:00Z', '2026-08-20'],
})

property.prop([expressions])(
  'the index finds what looking at every delivery finds',
  (expression) => {
    const query = withPossibleEvents(interpretExpression(expression, { now, hooks: [] }))
    expect(findMatches(main, { query }).seqs, `SEED=${seed} ${printQuery(expression)}`).toEqual(
      plainly(query),
    )
  },
)

property.prop([expressions, fc.integer({ min: 5, max: 60 }), fc.boolean()], {
  numRuns: times(20, 1_600),
})(
  'in parts it is the same, newest or oldest first, and counts as many',
  (expression, limit, oldestFirst) => {
    const query = withPossibleEvents(interpretExpression(expression, { now, hooks: [] }))
    const expected = oldestFirst ? plainly(query).reverse() : plainly(query)
    const found: number[] = []
    for (let from: number | undefined; ;) {
      const { seqs, next } = findMatches(main, { query, from, limit, oldestFirst })
      found.push(...seqs)
      if (next === null) break
      from = next
    }
    expect(found).toEqual(expected)
    const [first, last] = [expected[2], expected[limit]]
    if (first !== undefined && last !== undefined)
      expect(findMatches(main, { query, from: first, to: last, oldestFirst }).seqs).toEqual(
        expected.slice(2, limit + 1),
      )
    expect(countMatches(main, { query, most: limit, withinMs: 60_000 })).toEqual({
      count: Math.min(expected.length, limit),
      more: expected.length > limit,
    })
  },
)

test.each([
  ['is:invalid', true],
  ['event:transaction.*', true],
  ['is:possible', true],
  ['event:transaction.refund is:possible', true],
  ['-event:transaction.refund', true],
  ['hook:hook-card.linked', true],
  ['-status:200', false],
  ['attempt:>1', true],
  ['is:retry', true],
  ['mode:live coffee', true],
  ['coffee OR is:invalid', true],
  ['-coffee', true],
  ['environment:sandbox-* -(is:stale OR schema:issues)', true],
  ['coffee size:>1kB', false],
  ['size:>1kB', false],
])('%s uses only the index: %j', (text, alone) => {
  const plan = searchPlan(
    main,
    readQuery(text, { now, hooks: hooks.map((hook) => ({ ...hook, remoteId: null, path: '' })) }),
  )
  expect(plan.match !== undefined && plan.rest === undefined).toBe(alone)
})

test.each([
  'response:failing',
  'response:failing is:invalid',
  'flow:visa',
  'flow:vi*,x coffee',
  'response:500 flow:visa',
  '-flow:visa',
  'is:flow',
  'is:flow coffee',
  '-is:flow coffee',
  'is:any coffee',
  'is:composed',
  'is:composed coffee',
  'name:b*',
  'has:name is:flow',
  'response:none',
])('%s is found without looking at every delivery, and finds the same', (text) => {
  const query = readQuery(text, { now, hooks: [] })
  const found = findMatches(main, { query }).seqs
  expect(found).toEqual(plainly(query))
})

test.each(['', 'coffee', 'coffee OR is:invalid', 'is:pinned OR coffee', 'response:none'])(
  'a list leaves out flow runs and composed requests without reading them: "%s"',
  (text) => {
    const query = listQuery(text, readQuery(text, { now, hooks: [] }))
    const unlisted = new Set(plainly(readQuery('is:flow OR is:composed', { now, hooks: [] })))
    const found = findMatches(main, { query }).seqs
    expect(found).toEqual(plainly(query))
    expect(found).toEqual(
      plainly(readQuery(text, { now, hooks: [] })).filter((seq) => !unlisted.has(seq)),
    )
    expect(separateUnlisted(query)).toEqual({
      query: separateUnlisted(readQuery(text, { now, hooks: [] })).query,
      leftOut: ['flow_deliveries', 'composed'],
    })
  },
)

test('a phrase longer than what the index compares is found like by looking at every delivery', () => {
  const { path, headers, bytes } = main
    .prepare<[], { path: string; headers: string; bytes: Uint8Array }>(
      'SELECT path, headers, bytes FROM deliveries JOIN bodies USING (seq) WHERE seq = 5',
    )
    .get()!
  const words = wordsOfDelivery({
    path,
    headers: JSON.parse(headers) as RawHeaders,
    body: bytes,
  }).slice(0, 20)
  for (const [text, most] of [
    [words.join(' '), COUNT],
    [[...words.slice(0, -1), 'other'].join(' '), 0],
  ] as const) {
    const query = readQuery(`"${text}"`, { now, hooks: [] })
    const { seqs } = findMatches(main, { query })
    expect(seqs).toEqual(plainly(query))
    expect(seqs.includes(5)).toBe(most > 0)
  }
})
