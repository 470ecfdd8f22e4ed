/** Finished sends on their way to the writer's thread. */
import { fc, test } from '@fast-check/vitest'
import { expect } from 'vitest'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { packSends, type EndedSend, packSentHeaders, unpackSentHeaders } from './sends-batch.ts'

const ended = (headers: RawHeaders): EndedSend => ({
  seq: 1,
  state: 'settled',
  startedAt: 1,
  registeredUrl: null,
  status: 200,
  ms: 1,
  phases: null,
  errorKind: null,
  error: null,
  passed: true,
  forged: false,
  certificateProblem: null,
  headers,
  body: new Uint8Array(),
  truncated: false,
  request: null,
})

/** Few names and values, so that many lists are equal or nearly. */
const word = fc.constantFrom('Date', 'date', '', 'a')
const list = fc.array(fc.tuple(word, word), { maxLength: 3 })

test.prop([fc.array(list)])(
  'each response keeps its own headers, whichever came first',
  (lists) => {
    const { ended: rows } = packSends({
      reached: [],
      begun: [],
      ended: lists.map(ended),
      released: [],
    })
    expect(
      rows.map((row) => row.find((value) => typeof value === 'string' && value.startsWith('['))),
    ).toEqual(lists.map((headers) => JSON.stringify(headers)))
  },
)

const captured: RawHeaders = [
  ['Host', 'localhost:7373'],
  ['X-Tag', 'a'],
  ['x-signature', 'the old one'],
  ['X-Tag', 'b'],
  ['Content-Length', '12'],
]

test("only a replay's differences are stored", () => {
  const sent: RawHeaders = [
    ['X-Tag', 'a'],
    ['x-signature', 'the new one'],
    ['X-Tag', 'b'],
  ]
  const packed = packSentHeaders(sent, captured)
  expect(JSON.parse(packed)).toEqual({
    but: [
      [0, null],
      [2, 'the new one'],
      [4, null],
    ],
  })
  expect(unpackSentHeaders(packed, captured)).toEqual(sent)
})

test('headers in another order, or added ones, are stored completely', () => {
  const sent: RawHeaders = [
    ['X-Tag', 'b'],
    ['x-signature', 'the new one'],
    ['x-more', '1'],
  ]
  const packed = packSentHeaders(sent, captured)
  expect(JSON.parse(packed)).toEqual(sent)
})

// Few names, so that duplicates, omissions and other orders occur.
const line = fc.tuple(
  fc.constantFrom('a', 'A', 'b', '__proto__', '0'),
  fc.constantFrom('', '1', '2', 'ü'),
)
test.prop([fc.array(line, { maxLength: 8 }), fc.array(line, { maxLength: 8 })])(
  'sent headers are read back exactly',
  (before, sent) => {
    expect(unpackSentHeaders(packSentHeaders(sent, before), before)).toEqual(sent)
  },
)
