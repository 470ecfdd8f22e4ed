import { expect, test } from 'vitest'
import { replayWith } from '../../../test/support/model-values.ts'
import * as checks from './check-outcomes.ts'
import * as flows from './flow-outcomes.ts'
import * as sends from './send-outcomes.ts'
import * as service from './service-outcomes.ts'
import { responseWords, type Outcome } from './outcomes.ts'
import {
  outcomeOfForwarded,
  outcomeOfReplay,
  outcomeOfSend,
  type ShownSend,
} from './send-outcomes.ts'
import type { Replay } from './send.ts'

const valid: ShownSend = {
  ...{
    outcome: 'passed',
    state: 'settled',
    expected: 'acknowledged',
    status: 200,
    error: null,
    validPassed: null,
  },
}
const tampered: ShownSend = { ...valid, expected: 'rejected', outcome: 'passed', status: 401 }
const kept: ShownSend = { ...valid, expected: 'either' }

test.each<[string, ShownSend, string, string]>([
  ['an acknowledgement', valid, 'passed', 'good'],
  ['a failed replay', { ...valid, outcome: 'failed', status: 401 }, 'failed', 'bad'],
  [
    'a failure after acknowledgements',
    { ...valid, outcome: 'regressed', status: 401 },
    'regressed',
    'bad',
  ],
  ['an acknowledgement after failures', { ...valid, outcome: 'fixed' }, 'fixed', 'good'],
  [
    'another body, re-signed, that is rejected',
    { ...valid, outcome: 'failed', status: 422 },
    'failed',
    'bad',
  ],
  [
    "a response of Countersign's own receiver",
    { ...valid, outcome: 'recorded' },
    'recorded here',
    'neutral',
  ],
  [
    'a forgery that only our receiver responded to',
    { ...tampered, outcome: 'recorded' },
    'recorded here',
    'neutral',
  ],
  ['a rejected forgery, nothing to compare with', tampered, 'rejected', 'neutral'],
  [
    'a rejected forgery, the valid one accepted',
    { ...tampered, validPassed: true },
    'rejected',
    'good',
  ],
  [
    'a rejected forgery, the valid one failed too',
    { ...tampered, validPassed: false },
    'inconclusive',
    'neutral',
  ],
  [
    'a forgery rejected after it was accepted',
    { ...tampered, outcome: 'fixed', validPassed: true },
    'now rejected',
    'good',
  ],
  ['an accepted forgery', { ...tampered, outcome: 'failed', status: 200 }, 'accepted', 'bad'],
  [
    'a forgery that is accepted as before',
    { ...tampered, outcome: 'still-failing', status: 204 },
    'accepted',
    'bad',
  ],
  [
    'a forgery that was rejected before',
    { ...tampered, outcome: 'regressed', status: 200 },
    'now accepted',
    'bad',
  ],
  [
    'a forgery that the endpoint fails on',
    { ...tampered, outcome: 'still-failing', status: 500, validPassed: true },
    'failed',
    'bad',
  ],
  [
    'a forgery without a response',
    { ...tampered, outcome: 'failed', status: null, error: 'Nothing listens.' },
    'failed',
    'bad',
  ],
  [
    'a kept signature that is rejected',
    { ...kept, outcome: 'fixed', status: 401, validPassed: true },
    'now rejected',
    'good',
  ],
  ['a kept signature that is accepted', { ...kept, outcome: 'regressed' }, 'now accepted', 'warn'],
  [
    'a forgery that is redirected',
    { ...tampered, outcome: 'failed', status: 302 },
    'failed',
    'bad',
  ],
  [
    'a send that could not be made',
    { ...tampered, outcome: null, state: 'not-sent', status: null },
    'not sent',
    'warn',
  ],
])('%s', (_name, send, word, tone) => {
  expect(outcomeOfSend(send)).toMatchObject({ word, tone })
})

test('a rejected original signature is right only if its timestamp is old; a rejection by an endpoint that fails everything proves nothing', () => {
  const why = (send: ShownSend) => outcomeOfSend({ ...send, status: 401 }).why
  expect([
    why({ ...kept, validPassed: true }),
    why({ ...tampered, validPassed: true }),
    why({ ...kept, validPassed: false }),
  ]).toEqual([
    'right for an old timestamp; the valid delivery is accepted',
    'as expected; the valid delivery is accepted',
    'your endpoint fails the valid delivery too, so this proves nothing',
  ])
})

test("an endpoint's response is shown with its status and time", () => {
  expect(responseWords(401, 4.21)).toBe('Returned 401 in 4.2 ms')
  expect(responseWords(200, 1_234.5)).toMatch(/^Returned 200 in 123[45] ms$/)
  expect(responseWords(null, 20_000)).toBe('No response')
})

test.each<[string, Partial<Replay>, string, string]>([
  ['every delivery was acknowledged', {}, 'all passed', 'good'],
  ['the only delivery was acknowledged', { total: 1, passed: 1 }, 'passed', 'good'],
  ['some deliveries were only recorded here', { total: 5, recorded: 2 }, '3 of 5 passed', 'good'],
  [
    'some deliveries failed',
    { total: 1_005, passed: 5, failed: 1_000 },
    '1,000 of 1,005 failed',
    'bad',
  ],
  ['the only delivery failed', { total: 1, passed: 0, failed: 1 }, 'failed', 'bad'],
  ['one delivery could not be sent', { total: 4, notSent: 1 }, '1 of 4 not sent', 'bad'],
  [
    'some deliveries failed and some could not be sent',
    { passed: 1, failed: 1, notSent: 1 },
    '1 of 3 failed',
    'bad',
  ],
  ['only Countersign responded', { passed: 0, recorded: 3 }, 'recorded here', 'neutral'],
  ['there was nothing to send', { total: 0, passed: 0 }, 'nothing to send', 'neutral'],
  ['forged deliveries were rejected', { tamper: 'secret', passed: 3 }, 'all rejected', 'neutral'],
  [
    'a forged delivery was accepted',
    { tamper: 'secret', passed: 2, failed: 1 },
    '1 of 3 not rejected',
    'bad',
  ],
  ['something stopped it', { problem: 'The disk is full.' }, 'stopped', 'bad'],
  ['the rest was cancelled', { state: 'cancelled' }, 'cancelled', 'neutral'],
])('a replay: %s', (_name, part, word, tone) => {
  expect(outcomeOfReplay(replayWith({ total: 3, passed: 3, ...part }))).toMatchObject({
    word,
    tone,
  })
})

test("a forwarded delivery shows the target's response", () => {
  expect(
    outcomeOfForwarded({ ...valid, outcome: 'still-failing', status: 500, tries: 2 }),
  ).toMatchObject({
    word: 'returned 500 after 3 tries',
    tone: 'bad',
  })
})

const tables = Object.entries({ ...checks, ...flows, ...sends, ...service }).filter(
  ([, value]) => typeof value === 'object',
)
const failures =
  /fail|missing|reject|unexpected|duplicate|regressed|no response|unreachable|down|not |stopped|elsewhere/
const unproven =
  /skip|cancel|pending|recorded|uncertain|interrupted|inconclusive|paused|unchanged|off/

test.each(tables)(
  'in the table %s, green never marks a failure or anything unproven; red marks only failures',
  (name, values) => {
    for (const [key, { tone, glyph, word }] of Object.entries(values as Record<string, Outcome>)) {
      if (failures.test(`${key} ${word}`))
        expect([name, key, tone === 'good', glyph === 'pass']).toEqual([name, key, false, false])
      if (unproven.test(`${key} ${word}`))
        expect([name, key, tone]).not.toEqual([name, key, 'good'])
      expect(word).toBe(word.toLowerCase())
      if (tone === 'good') expect(['pass', 'fixed', 'rejected']).toContain(glyph)
    }
  },
)
