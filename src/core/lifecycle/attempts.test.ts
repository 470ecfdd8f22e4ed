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
  handler: null,
  flowRun: null,
}

test.each([
  [{ status: null, ms: 19_905 }, 'The sender timed out after 19.9 s: failed. The next attempt follows after 1 min.'],
  [{ status: null, ms: 5 }, 'The connection was dropped without a response: failed. The next attempt follows after 1 min.'],
  [
    { status: 200, ms: 20_500 },
    'Responded 200 after 20.5 s, over the limit of 20 s: failed. The next attempt follows after 1 min.',
  ],
  [{ status: 503, ms: 5 }, 'Responded 503: failed. The next attempt follows after 1 min.'],
])('an attempt that got %j is described as failed', (answer, message) => {
  expect(describeAttempts([{ ...delivery, answer }], () => false)[0]?.message).toBe(message)
})
