import { expect, test } from 'vitest'
import type { Send } from '../../../shared/model/send.ts'
import { defaultVolatileFields } from '../../../shared/diff/volatile-fields.ts'
import { sendOf } from '../../../../test/support/model-values.ts'
import { messageChange } from '../../ui/message-differences.tsx'
import { answerAdvice } from '../../ui/send-advice.ts'

const send = (part: Partial<Send>): Send => sendOf({ startedAt: null, ...part })

test.each<[string, Partial<Send>, string | null]>([
  ['an acknowledgement', {}, null],
  ['an accepted forgery', { tamper: 'secret', outcome: 'failed' }, 'accepted a forged delivery'],
  [
    'an accepted original signature',
    { edited: ['signature'], expected: 'either', outcome: 'failed' },
    'without a fresh signature. Correct only if',
  ],
  [
    'a rejected forgery',
    { tamper: 'secret', status: 401, outcome: 'passed', validPassed: true },
    'as expected',
  ],
  [
    'a forgery and a valid delivery that are both rejected',
    { tamper: 'secret', status: 401, outcome: 'passed', validPassed: false },
    'Inconclusive',
  ],
  [
    'a rejected original signature',
    { edited: ['signature'], expected: 'either', status: 401, outcome: 'passed' },
    'Replay the valid delivery',
  ],
  [
    'a response from our own receiver',
    { outcome: 'recorded' },
    'Countersign responded, not your handler',
  ],
  [
    'a forgery that makes the handler fail',
    { tamper: 'body', status: 500, outcome: 'failed' },
    'Your handler failed',
  ],
  ['a rejected valid delivery', { status: 401, outcome: 'regressed' }, 'rejected the signature'],
  ['a rejected changed body', { edited: ['body'], status: 422, outcome: 'failed' }, 'may say why'],
  ['another success', { status: 201, outcome: 'failed' }, 'only 200 acknowledges'],
  ['a redirect', { status: 302, outcome: 'failed' }, 'follows redirects'],
  [
    'no response, which the core explains',
    { status: null, error: 'Nothing listens.', outcome: 'failed' },
    null,
  ],
])('%s', (_name, part, words) => {
  const advice = answerAdvice(send(part))
  if (words === null) expect(advice).toBe(null)
  else expect(advice).toContain(words)
})

test.each<[string, string, string, string, readonly string[]]>([
  ['equal bodies', '{"a":1}', '{"a":1}', 'Same headers. Same body.', []],
  [
    'JSON by structure',
    '{"id":"1","error":"amount"}',
    '{"id":"2","error":"currency"}',
    'Same headers. Different body.',
    ['- error: "amount"', '+ error: "currency"'],
  ],
  [
    'fields that always differ',
    '{"id":"1"}',
    '{"id":"2"}',
    'Same headers. Only ignored fields differ.',
    [],
  ],
  [
    'an empty body',
    '',
    '{"error":"amount"}',
    'Same headers. Different body.',
    ['+ {"error":"amount"}'],
  ],
  [
    'other text by line',
    'no\nyes',
    'no\nmaybe',
    'Same headers. Different body.',
    ['- yes', '+ maybe'],
  ],
])('two responses: %s', (_name, before, now, words, lines) => {
  const message = (text: string) => ({ headers: [], base64: btoa(text), truncated: false })
  expect(messageChange(message(before), message(now), defaultVolatileFields)).toEqual({
    words,
    lines,
  })
})

test('two responses: headers, without those that always differ', () => {
  const message = (date: string, why: string): Parameters<typeof messageChange>[0] => ({
    headers: [
      ['date', date],
      ['x-why', why],
    ],
    base64: '',
    truncated: false,
  })
  expect(
    messageChange(message('1', 'body'), message('2', 'amount'), defaultVolatileFields),
  ).toEqual({
    words: 'Different headers. Same body.',
    lines: ['- x-why: body', '+ x-why: amount'],
  })
})
