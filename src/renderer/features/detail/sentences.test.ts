import { expect, test } from 'vitest'
import type { SignatureReport } from '../../../shared/model/signature.ts'
import { answerSentence, freshnessSentence, verdictSentence } from './sentences.ts'

const unsigned = { verdict: 'unsigned', malformed: null, verifiedHere: true } as const
const sentence = (report: Pick<SignatureReport, 'received' | 'timestamp' | 'inTrailer'> | null) =>
  verdictSentence(unsigned, undefined, report)

test('an unsigned delivery says which header is missing, and nothing of a secret', () => {
  expect(sentence({ received: null, timestamp: '1763800000000', inTrailer: false })).toBe(
    'No signature header, so nothing proves who sent this.',
  )
  expect(sentence({ received: 'c2ln', timestamp: null, inTrailer: false })).toBe(
    'No timestamp header, so nothing proves who sent this.',
  )
  expect(sentence({ received: null, timestamp: null, inTrailer: false })).toBe(
    'No signature header and no timestamp header, so nothing proves who sent this.',
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
