import { expect, test } from 'vitest'
import type { SignatureReport } from '../../../shared/model/signature.ts'
import { answerSentence, freshnessSentence, verdictSentence } from './sentences.ts'

const unsigned = { verdict: 'unsigned', malformed: null, verifiedHere: true } as const
const sentence = (report: Pick<SignatureReport, 'received' | 'timestamp' | 'inTrailer'> | null) =>
  verdictSentence(unsigned, undefined, report)

test('an unsigned delivery says which header is missing, and nothing of a secret', () => {
  expect(sentence({ received: null, timestamp: '1763800000000', inTrailer: [] })).toBe(
    'No signature header, so nothing proves who sent this.',
  )
  expect(sentence({ received: 'c2ln', timestamp: null, inTrailer: [] })).toBe(
    'No timestamp header, so nothing proves who sent this.',
  )
  expect(sentence({ received: null, timestamp: null, inTrailer: [] })).toBe(
    'No signature header and no timestamp header, so nothing proves who sent this.',
  )
  expect(sentence({ received: null, timestamp: null, inTrailer: ['signature', 'timestamp'] })).toBe(
    'The signature and timestamp were sent as trailers, after the body. The service sends both as headers.',
  )
  expect(sentence({ received: 'c2ln', timestamp: null, inTrailer: ['timestamp'] })).toBe(
    'The timestamp was sent as a trailer, after the body. The service sends both as headers.',
  )
  expect(sentence(null)).toBe('No signature or timestamp, so nothing proves who sent this.')
})

test('the freshness of an imported delivery is said to be the file’s', () => {
  expect(freshnessSentence({ freshness: 'fresh', ageMs: 60_000 }, 'imported')).toBe(
    'Fresh according to the file: signed 1 min before its time of receipt.',
  )
})

const answered = (status: number | null, ms: number | null = 3) => ({ status, ms })

test('what is said of an answer follows the same rule', () => {
  expect(answerSentence({ answer: answered(202) }, '200')).toContain('anything but 200 as a failure')
  expect(answerSentence({ answer: answered(202) }, '2xx')).toBe('The service takes this as received.')
  expect(answerSentence({ answer: answered(500) }, '2xx')).toContain('anything but a 2xx as a failure')
})

test('a timestamp that was sent as a trailer is not called absent', () => {
  expect(freshnessSentence({ freshness: 'missing', timestamp: null, inTrailer: ['timestamp'] })).toBe(
    'No timestamp: it was sent as a trailer.',
  )
  expect(freshnessSentence({ freshness: 'missing', timestamp: null, inTrailer: [] })).toBe('No timestamp header.')
})
