import { expect, test } from 'vitest'
import type { SignatureReport } from '../../../shared/model/signature.ts'
import { freshnessSentence, verdictSentence } from './sentences.ts'

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
