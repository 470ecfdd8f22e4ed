import { expect, test } from 'vitest'
import type { Delivery } from '../../shared/model/delivery.ts'
import { describeAttempts } from './attempts.ts'

const delivery: Delivery = {
  ...{ seq: 1, id: 'a', receivedAt: '2026-11-21T12:00:00.000Z', method: 'POST', path: '/h', malformed: null, bodySize: 2 },
  ...{ truncated: false, event: null, eventSource: null, eventCandidates: [], hookId: null, environment: null, mode: null },
  ...{ verdict: 'valid', freshness: 'fresh', attempt: 1, attemptOf: null, duplicateOf: null, schema: 'ok', pinned: false },
  ...{
    note: null,
    colour: null,
    httpVersion: '1.1',
    headers: [],
    trailers: [],
    bodySha256: '',
    bodyLost: false,
    replayOf: null,
    remote: null,
  },
  answer: { status: null, ms: null },
  origin: 'received',
  verifiedHere: true,
}

test.each([
  [
    { status: null, ms: 19_905 },
    'The sender gave up after 19.9 s, before an answer: a failure. The next attempt follows 1 min later.',
  ],
  [{ status: null, ms: 5 }, 'The connection was dropped without an answer: a failure. The next attempt follows 1 min later.'],
  [
    { status: 200, ms: 20_500 },
    'Answered 200, but only after 20.5 s: a failure, since 20 s had passed. The next attempt follows 1 min later.',
  ],
  [{ status: 503, ms: 5 }, 'Answered 503: a failure. The next attempt follows 1 min later.'],
])('an attempt that was answered %j is told as the failure that it was', (answer, message) => {
  expect(describeAttempts([{ ...delivery, answer }], () => false)[0]?.message).toBe(message)
})
