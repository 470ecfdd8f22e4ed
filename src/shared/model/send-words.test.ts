import { expect, test } from 'vitest'
import { saidOfSend, type ToldSend } from './send-words.ts'

const genuine: ToldSend = { outcome: 'first-pass', state: 'settled', tamper: null, edited: [], status: 200, error: null }
const tampered: ToldSend = { ...genuine, tamper: 'stale' }
const kept: ToldSend = { ...genuine, edited: ['signature'] }

test.each<[string, ToldSend, string, string]>([
  ['an acknowledgement', genuine, 'passes', 'good'],
  ['a refusal after acknowledgements', { ...genuine, outcome: 'regressed', status: 401 }, 'regressed', 'bad'],
  ['an acknowledgement after refusals', { ...genuine, outcome: 'fixed' }, 'fixed', 'good'],
  [
    'another body, signed anew, that is refused',
    { ...genuine, edited: ['body'], outcome: 'first-fail', status: 422 },
    'fails',
    'bad',
  ],
  ['a forgery that is taken', tampered, 'taken', 'bad'],
  ['one that is taken as ever', { ...tampered, outcome: 'still-passing' }, 'still taken', 'bad'],
  ['one that was not taken before', { ...tampered, outcome: 'fixed' }, 'now taken', 'bad'],
  ['one that is refused at first', { ...tampered, outcome: 'first-fail', status: 403 }, 'refused', 'good'],
  ['one that was taken before and is refused', { ...tampered, outcome: 'regressed', status: 400 }, 'now refused', 'good'],
  ['one over which the endpoint falls', { ...tampered, outcome: 'still-failing', status: 500 }, 'fails', 'bad'],
  ['one over which it falls after it took it', { ...tampered, outcome: 'regressed', status: 500 }, 'fails', 'bad'],
  ['one without an answer', { ...tampered, outcome: 'regressed', status: null, error: 'Nothing listens.' }, 'fails', 'bad'],
  ['a kept signature that is refused', { ...kept, outcome: 'regressed', status: 401 }, 'now refused', 'good'],
  ['a kept signature that is taken', { ...kept, outcome: 'fixed' }, 'now taken', 'doubtful'],
  ['one that could not be made', { ...tampered, outcome: null, state: 'not-sent', status: null }, 'not sent', 'doubtful'],
])('%s', (_name, send, word, tone) => {
  expect(saidOfSend(send)).toMatchObject({ word, tone })
})
