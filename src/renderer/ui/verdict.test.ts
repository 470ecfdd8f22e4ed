import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { handlerResponseOf } from '../../../test/support/model-values.ts'
import type { HandlerResponse } from '../../shared/model/delivery.ts'
import {
  answerTone,
  answerWord,
  attemptTone,
  handlerStatus,
  VerdictBadge,
  type VerdictParts,
} from './verdict.tsx'

const answered = (status: number | null, ms: number | null = 3, attempt = 1) => ({
  answer: { status, ms },
  attempt,
})

test('a response is quiet if it acknowledges or is open; any other 2xx is a warning, and the rest is bad', () => {
  expect([200, 202].map((status) => answerTone(answered(status), '200'))).toEqual(['quiet', 'warn'])
  for (const rule of ['200', '2xx'] as const) {
    expect(
      [answered(302), answered(500), answered(null)].map((answer) => answerTone(answer, rule)),
    ).toEqual(['bad', 'bad', 'bad'])
    expect(answerTone(answered(null, null), rule)).toBe('quiet')
  }
})

test('a request that was reported is not waiting for a response', () => {
  const answer = { status: null, ms: null }
  expect(answerWord({ answer, origin: 'received' })).toBe('pending')
  expect(answerWord({ answer, origin: 'reported' })).toBe('–')
})

test('an attempt is bad if the service gave up after it, and a retry otherwise a warning', () => {
  const tones = (status: number | null, ms: number | null, rule: '200' | '2xx') =>
    [1, 2, 3, 4].map((attempt) => attemptTone(answered(status, ms, attempt), rule))
  expect(tones(500, 3, '2xx')).toEqual(['quiet', 'warn', 'bad', 'bad'])
  expect(tones(null, 20_000, '2xx')).toEqual(['quiet', 'warn', 'bad', 'bad'])
  for (const held of [tones(200, 3, '200'), tones(202, 3, '2xx'), tones(null, null, '200')])
    expect(held).toEqual(['quiet', 'warn', 'warn', 'warn'])
  expect(attemptTone(answered(202, 3, 3), '200')).toBe('bad')
  expect(answerTone(answered(202, 3, 3), '200')).toBe('bad')
})

test("a handler's response is green only if it is right, red if failing, and quiet otherwise", () => {
  const returned = (
    outcome: HandlerResponse['outcome'],
    status: number | null = 200,
    timedOut = false,
    signed = true,
  ) => handlerResponseOf({ outcome, status, timedOut, signed })
  const valid = { verdict: 'valid', freshness: 'fresh' } as const
  const invalid = { verdict: 'invalid', freshness: 'fresh' } as const
  const status = (
    row: typeof valid | typeof invalid | { verdict: 'valid'; freshness: 'stale' },
    handler: HandlerResponse,
  ) => {
    const { tone, short, reason } = handlerStatus({ ...row, handler })
    return [short, tone, reason]
  }
  expect(status(valid, returned('acknowledged'))).toEqual([
    '200',
    'ok',
    'Your handler acknowledged it.',
  ])
  expect(status(valid, returned('failing', 500))).toEqual([
    '500',
    'bad',
    "Your handler didn't acknowledge a valid delivery.",
  ])
  expect(status(valid, returned('failing', null))[0]).toBe('Error')
  expect(status(valid, returned('failing', null, true))[0]).toBe('No response')
  expect(handlerStatus({ ...valid, handler: returned('failing', null, true) }).word).toBe(
    'No response within 20 s',
  )
  expect(status(invalid, returned('failing', 200, false, false))).toEqual([
    '200',
    'bad',
    'Your handler acknowledged an invalid delivery.',
  ])
  expect(status(invalid, returned('rejected', 401, false, false))).toEqual([
    '401',
    'ok',
    'Your handler rejected it, as expected for an invalid delivery.',
  ])
  expect(status({ verdict: 'valid', freshness: 'stale' }, returned('neutral', 401))).toEqual([
    '401',
    'quiet',
    'Neutral: the delivery is stale.',
  ])
  expect(status(invalid, returned('failing', 401))[2]).toBe(
    "Your handler didn't acknowledge it, although re-signed.",
  )
  expect(status(invalid, returned('failing', 500, false, false))[2]).toBe(
    "Your handler didn't reject an invalid delivery.",
  )
})

test('a badge says what the list says: a valid delivery that is stale or from the future is amber', () => {
  const badge = (parts: Partial<VerdictParts>) =>
    renderToStaticMarkup(
      VerdictBadge({ of: { verdict: 'valid', malformed: null, verifiedHere: true, ...parts } }),
    )
  expect(badge({ freshness: 'fresh' })).toMatch(/text-ok.*>Valid</)
  expect(badge({ freshness: 'stale' })).toMatch(/text-warn.*>Stale</)
  expect(badge({ freshness: 'future' })).toMatch(/text-warn.*>Future</)
  expect(badge({ freshness: 'stale', verdict: 'invalid' })).toMatch(/>Invalid</)
  expect(badge({ freshness: 'stale', verifiedHere: false })).toMatch(/>Valid \(file\)</)
})
