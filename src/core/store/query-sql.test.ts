import { fc, test as property } from '@fast-check/vitest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Query, Term } from '../../shared/query/query.ts'
import { STATES } from '../../shared/query/query.ts'
import { chooseSeed, createSeededRandom } from '../../../test/support/seeded-random.ts'
import { openTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import { captureOf } from '../../../test/support/test-store.ts'
import { anchorsOf, countDeliveries, listDeliveries, pageOfRows } from './deliveries-repo.ts'
import { prepareDescribe } from './describe-repo.ts'

/** Pieces that texts are made of: what LIKE, JSON and C strings give a meaning to, among the ordinary. */
const PIECES = ['a', 'B', 'café', 'É', '%', '_', '\\', '"', ',', '[', ']', '\0', '東京', ' ', ':', "'", '\n', '*'] as const
const EVENTS = ['transaction.auth', 'transaction.auth.qualified', 'transaction_auth', 'card.linked', null] as const

interface Row {
  readonly seq: number
  readonly path: string | null
  readonly method: string | null
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer
  readonly event: string | null
  readonly states: ReadonlySet<string>
}

const asciiLower = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

function globMatches(pattern: string, event: string): boolean {
  const source = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${source.join('.*')}$`, 's').test(event)
}

/** The meaning of a term, without any cleverness. */
function holds(term: Term, row: Row): boolean {
  const positive = () => {
    switch (term.kind) {
      case 'is':
        return row.states.has(term.state)
      case 'event':
        return row.event !== null && globMatches(term.pattern, row.event)
      case 'text': {
        const places = [row.path, row.method, ...row.headers.flat(), row.body.toString('utf8')]
        return places.some((place) => place !== null && asciiLower(place).includes(asciiLower(term.text)))
      }
    }
  }
  return positive() !== term.negated
}

let database: TestDatabase
let rows: Row[]
const seed = chooseSeed()

beforeAll(() => {
  database = openTestDatabase()
  const random = createSeededRandom(seed)
  const text = (most: number) => Array.from({ length: random.integer(0, most) }, () => random.pick(PIECES)).join('')
  const captures = Array.from({ length: 300 }, () => {
    const headers = Array.from({ length: random.integer(0, 3) }, (): [string, string] => [
      'X-A',
      text(4).replaceAll(/[^\x01-\xff]/g, ''),
    ])
    const verdict = random.pick(['valid', 'invalid', 'unsigned', 'unknown-hook'] as const)
    const freshness = random.pick(['fresh', 'stale', 'future', 'missing'] as const)
    const isMalformed = random.integer(0, 5) === 0
    const truncated = random.integer(0, 5) === 0
    const capture = captureOf(text(8), {
      method: isMalformed ? null : random.pick(['POST', 'GET']),
      path: isMalformed ? null : `/h/${text(3).replaceAll('\0', '')}`,
      malformed: isMalformed ? 'The request line has an invalid address.' : null,
      headers: JSON.stringify(headers),
      event: random.pick(EVENTS),
      verdict,
      freshness,
      truncated,
    })
    const states = new Set<string>([
      verdict,
      freshness,
      ...(isMalformed ? ['malformed'] : []),
      ...(truncated ? ['truncated'] : []),
    ])
    return { capture, headers, states, link: random.integer(0, 3) }
  })
  const seqs = database.put(captures.map(({ capture }) => capture))
  const setLink = database.db.prepare('UPDATE deliveries SET attempt_of = ?, duplicate_of = ? WHERE seq = ?')
  rows = captures.map(({ capture: { row, body }, headers, states, link }, index) => {
    const seq = seqs[index] ?? 0
    if (link === 0) states.add('retry')
    if (link === 1) states.add('duplicate')
    setLink.run(link === 0 ? 'first' : null, link === 1 ? 'first' : null, seq)
    return { seq, path: row.path, method: row.method, headers, body: Buffer.from(body), event: row.event, states }
  })
})
afterAll(() => {
  database.dispose()
})

const term: fc.Arbitrary<Term> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('text' as const),
      text: fc
        .array(fc.constantFrom(...PIECES, 'A', 'b', 'x-a', 'POST', '/h/'), { minLength: 1, maxLength: 2 })
        .map((pieces) => pieces.join('')),
      negated: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('is' as const), state: fc.constantFrom(...STATES), negated: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('event' as const),
      pattern: fc.constantFrom('transaction.*', '*', '*.auth', 'card.linked', 'transaction_auth', 'transaction_*', 'none', '%'),
      negated: fc.boolean(),
    }),
  },
)
const query: fc.Arbitrary<Query> = fc.array(term, { maxLength: 3 }).map((terms) => ({ terms }))

property.prop([query, fc.integer({ min: 20, max: 120 })], { numRuns: 200 })(
  'a query finds what a plain filter finds, page by page',
  (given, size) => {
    const expected = rows.filter((row) => given.terms.every((one) => holds(one, row))).map(({ seq }) => seq)
    const newestFirst = expected.toReversed()
    expect(countDeliveries(database.db, given), `SEED=${seed}`).toBe(expected.length)

    const { total, anchors, newest } = anchorsOf(database.db, { query: given, pageSize: size })
    expect({ total, newest }).toEqual({ total: expected.length, newest: rows.length })
    const pages = anchors.map((from) => pageOfRows(database.db, { query: given, from, limit: size }).map(({ seq }) => seq))
    expect(pages.flat(), `SEED=${seed}`).toEqual(newestFirst)

    const listed: number[] = []
    for (;;) {
      const before = listed.at(-1)
      const page = listDeliveries(database.db, { query: given, limit: size, before }).map(({ seq }) => seq)
      listed.push(...page)
      if (page.length < size) break
    }
    expect(listed).toEqual(newestFirst)
  },
)

describe('values of a query are never part of the SQL', () => {
  test.each([`' OR 1=1 --`, `"); DROP TABLE deliveries; --`, '?', '%', '_'])('%j', (text) => {
    const found = countDeliveries(database.db, { terms: [{ kind: 'text', text, negated: false }] })
    expect(found).toBe(rows.filter((row) => holds({ kind: 'text', text, negated: false }, row)).length)
    expect(countDeliveries(database.db, { terms: [{ kind: 'event', pattern: text, negated: false }] })).toBe(0)
    expect(countDeliveries(database.db, { terms: [] })).toBe(rows.length)
  })
})

test('what came after a seq is given oldest part first, so that a reader misses none', () => {
  const after = listDeliveries(database.db, { query: { terms: [] }, limit: 10, after: 100 }).map(({ seq }) => seq)
  expect(after).toEqual([110, 109, 108, 107, 106, 105, 104, 103, 102, 101])
})

test('a filled-in delivery is found by what was filled in', () => {
  const [seq = 0] = database.put([captureOf('{}')])
  const describe = prepareDescribe(database.db)
  describe({ answers: [], descriptions: [{ seq, schema: 'ok', events: ['program.status'] }], lenientEnvironments: [] })
  const found = listDeliveries(database.db, {
    query: { terms: [{ kind: 'event', pattern: 'program.status', negated: false }] },
    limit: 10,
  })
  expect(found).toMatchObject([{ seq, event: 'program.status', eventSource: 'payload', schema: 'ok' }])
})
