import { expect, test } from 'vitest'
import type { Send } from '../../../shared/model/send.ts'
import { answerAdvice } from './answer-change.tsx'

const send = (part: Partial<Send>): Send => ({
  id: 'j.1',
  jobId: 'j',
  position: 1,
  deliveryId: 'd',
  target: 'http://127.0.0.1:3000/',
  registeredUrl: null,
  tamper: null,
  edited: [],
  kind: 'replay',
  tries: 0,
  state: 'settled',
  startedAt: null,
  status: 200,
  ms: 1,
  phases: null,
  errorKind: null,
  error: null,
  outcome: 'first-pass',
  validPassed: null,
  certificateProblem: null,
  ...part,
})

test.each<[string, Partial<Send>, string | null]>([
  ['an acknowledgement', {}, null],
  ['a forgery that is taken', { tamper: 'secret' }, 'accepted a forged delivery'],
  ['a kept signature that is taken', { edited: ['signature'] }, 'without a fresh signature. That is correct only if'],
  ['a forgery that is rejected', { tamper: 'secret', status: 401, outcome: 'first-fail', validPassed: true }, 'as expected'],
  [
    'a rejected forgery beside a rejected valid delivery',
    { tamper: 'secret', status: 401, outcome: 'first-fail', validPassed: false },
    'Inconclusive',
  ],
  [
    'a kept signature that is rejected',
    { edited: ['signature'], status: 401, outcome: 'first-fail' },
    'Replay the valid delivery',
  ],
  ['a response of our own receiver', { outcome: 'recorded' }, 'Only Countersign responded'],
  ['a forgery over which the handler falls', { tamper: 'body', status: 500, outcome: 'first-fail' }, 'The handler failed'],
  ['a refusal of a genuine one', { status: 401, outcome: 'regressed' }, 'does not take it for genuine'],
  ['a changed body that is refused', { edited: ['body'], status: 422, outcome: 'first-fail' }, 'may say why'],
  ['another success', { status: 201, outcome: 'first-fail' }, 'Only 200 acknowledges'],
  ['a redirect', { status: 302, outcome: 'first-fail' }, 'not followed'],
  ['no answer, which the core explains', { status: null, error: 'Nothing listens.', outcome: 'first-fail' }, null],
])('%s', (_name, part, words) => {
  const advice = answerAdvice(send(part))
  if (words === null) expect(advice).toBe(null)
  else expect(advice).toContain(words)
})
