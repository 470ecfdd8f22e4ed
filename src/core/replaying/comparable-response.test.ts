import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { ResponseFolder, type RecordedResponse } from './comparable-response.ts'
import { judgePair } from './judge-pair.ts'

const plain = new ResponseFolder({ ignore: [], headers: [] })

function response(body: unknown, more: Partial<RecordedResponse> = {}): RecordedResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    ...{ status: 200, ms: 5, errorKind: null, passed: true, headers: [], truncated: false },
    body: Buffer.from(text),
    ...more,
  }
}

const judge = (before: RecordedResponse, after: RecordedResponse, folder = plain) => {
  const { outcome, differences } = judgePair(folder.fold(before), folder.fold(after))
  return [outcome, ...differences.map(({ kind, path }) => `${kind} ${path}`)]
}

const leaf = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.constantFrom('a', 'b'))
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('amount', 'card', 'items', 'ok'), tie('value')),
  ),
}))
const moment = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
const volatile = fc.record({
  id: fc.uuid(),
  requestId: fc.string(),
  createdAt: moment.map((at) => at.toISOString()),
  message: fc.tuple(fc.uuid(), moment).map(([id, at]) => `${id} at ${at.toISOString()}`),
  durationMs: fc.nat(),
})

property.prop([value, volatile, volatile])(
  'two responses that differ only in ids and times are the same, at any depth',
  (shared, one, other) => {
    const body = (changing: object) => response({ shared, changing, list: [{ ...changing }] })
    expect(judge(body(one), body(other))).toEqual(['same'])
  },
)

property.prop([value, value])('only values that differ as JSON are changed', (one, other) => {
  const isEqual = judge(response({ one }), response({ one: other }))[0] === 'same'
  const sorted = (inner: unknown): unknown =>
    Array.isArray(inner)
      ? inner.map(sorted)
      : typeof inner === 'object' && inner !== null
        ? {
            entries: Object.entries(inner)
              .map(([name, child]) => [name, sorted(child)] as const)
              .toSorted(([left], [right]) => (left < right ? -1 : 1)),
          }
        : Object.is(inner, -0)
          ? 0
          : inner
  expect(isEqual).toBe(JSON.stringify(sorted(one)) === JSON.stringify(sorted(other)))
})

test('the kind of an id or time still counts', () => {
  expect(judge(response({ id: 'a' }), response({ id: null }))).toEqual(['changed', 'changed id'])
  expect(judge(response({ at: 1 }), response({ at: 2 }))).toEqual(['changed', 'changed at'])
  expect(judge(response({ paidAt: 1 }), response({ paidAt: 2 }))).toEqual(['same'])
})

test('notation and order of fields have no meaning, the order of items has', () => {
  expect(judge(response('{"a":1.0,"b":"\\u0061"}'), response('{"b":"a","a":1}'))).toEqual(['same'])
  expect(judge(response('[1,2]'), response('[2,1]'))).toEqual(['changed', 'changed [*]'])
})

test('ignored fields are left out, in the notation of paths or patterns', () => {
  const [one, other] = [
    { items: [{ total: 1 }], sum: 1 },
    { items: [{ total: 2 }], sum: 2 },
  ]
  const ignoring = (...ignore: string[]) =>
    judge(response(one), response(other), new ResponseFolder({ ignore, headers: [] }))
  expect(ignoring('items[0].total', '$.sum')).toEqual(['same'])
  expect(ignoring('**.total')).toEqual(['changed', 'changed sum'])
  expect(ignoring('items[*].total', 'sum')).toEqual(['same'])
})

test('named headers are compared in any case; others are not', () => {
  const folder = new ResponseFolder({ ignore: [], headers: ['X-Ledger'] })
  const versions = (one: string, other: string) =>
    judge(
      response('', {
        headers: [
          ['x-ledger', one],
          ['x-other', one],
        ],
      }),
      response('', {
        headers: [
          ['X-LEDGER', other],
          ['x-other', other],
        ],
      }),
      folder,
    )
  expect(versions('1', '2')).toEqual(['changed', 'changed x-ledger'])
  expect(versions('1', '1')).toEqual(['same'])
})

test.each<[string, Partial<RecordedResponse>, Partial<RecordedResponse>, string]>([
  ['acknowledged, then not', {}, { status: 500, passed: false }, 'regressed'],
  ['not acknowledged, then acknowledged', { status: 500, passed: false }, {}, 'fixed'],
  ['another status that is acknowledged too', {}, { status: 204 }, 'changed'],
  ['another failure', { status: 500, passed: false }, { status: 400, passed: false }, 'changed'],
  ['another time below 20 s', { ms: 1 }, { ms: 19_999 }, 'same'],
  ['a time above 20 s', { ms: 1 }, { ms: 20_001 }, 'regressed'],
  ['no response in time', {}, { status: null, passed: false, errorKind: 'timeout' }, 'regressed'],
  ['no connection', {}, { status: null, passed: false, errorKind: 'refused' }, 'unreachable'],
  [
    'no connection before',
    { status: null, passed: false, errorKind: 'refused' },
    {},
    'unreachable',
  ],
])('%s', (_, before, after, outcome) => {
  expect(judge(response('', before), response('', after))[0]).toBe(outcome)
})

test('an empty body lacks the fields of a JSON body; other texts are compared whole', () => {
  expect(judge(response(''), response({ error: 'x' }))).toEqual(['changed', 'added error'])
  expect(judge(response('OK'), response({ error: 'x' }))).toEqual(['changed', 'changed '])
  const binary = response('', { body: Uint8Array.of(0xff, 0x00) })
  expect(judge(binary, binary)).toEqual(['same'])
  expect(judge(binary, response('', { body: Uint8Array.of(0xff, 0x01) }))[0]).toBe('changed')
})

test("a deeply nested body doesn't overflow the stack", () => {
  const deep = (core: string) => response('['.repeat(9_000) + core + ']'.repeat(9_000))
  expect(judge(deep('1'), deep('1'))).toEqual(['same'])
  const deeper = response('['.repeat(30_000))
  expect(judge(deeper, deeper)).toEqual(['same'])
})
