import { expect, test } from 'vitest'
import type { SignatureReport } from '../../../shared/model/signature.ts'
import { verdictSentence } from './sentences.ts'

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
