import { expect, test } from 'vitest'
import type { SignatureReport } from '../../../shared/model/signature.ts'
import { explanationOf, freshnessSentence, schemaSentence, verdictSentence } from './sentences.ts'

const unsigned = { verdict: 'unsigned', malformed: null, verifiedHere: true } as const
const sentence = (report: Pick<SignatureReport, 'received' | 'timestamp' | 'inTrailer'> | null) =>
  verdictSentence(unsigned, undefined, report)

test('an unsigned delivery names the missing header', () => {
  expect(sentence({ received: null, timestamp: '1763800000000', inTrailer: [] })).toBe(
    "No signature header. The sender can't be verified.",
  )
  expect(sentence({ received: 'c2ln', timestamp: null, inTrailer: [] })).toBe(
    "No timestamp header. The sender can't be verified.",
  )
  expect(sentence({ received: null, timestamp: null, inTrailer: [] })).toBe(
    "No signature or timestamp header. The sender can't be verified.",
  )
  expect(sentence({ received: null, timestamp: null, inTrailer: ['signature', 'timestamp'] })).toBe(
    'The signature and timestamp were sent as trailers, after the body. The service sends both as headers.',
  )
  expect(sentence({ received: 'c2ln', timestamp: null, inTrailer: ['timestamp'] })).toBe(
    'The timestamp was sent as a trailer, after the body. The service sends both as headers.',
  )
  expect(sentence(null)).toBe("No signature or timestamp header. The sender can't be verified.")
})

test('the freshness of an imported delivery comes from the file', () => {
  expect(freshnessSentence({ freshness: 'fresh', ageMs: 60_000 }, 'imported')).toBe(
    'Fresh according to the file: signed 1 min before receipt.',
  )
})

test('a timestamp sent as a trailer is not reported as absent', () => {
  expect(
    freshnessSentence({ freshness: 'missing', timestamp: null, inTrailer: ['timestamp'] }),
  ).toBe('No timestamp: it was sent as a trailer.')
  expect(freshnessSentence({ freshness: 'missing', timestamp: null, inTrailer: [] })).toBe(
    'No timestamp header.',
  )
})

const invalid = {
  verdict: 'invalid',
  malformed: null,
  verifiedHere: true,
  truncated: false,
} as const
const slash = {
  cause: 'url:trailing-slash',
  causes: ['url:trailing-slash'],
  signedUrl: null,
  message: 'Signed over the URL with a slash.',
  fix: 'Sign the URL as registered.',
}

test('the cause of an invalid signature is its headline', () => {
  expect(explanationOf(invalid, { diagnosis: slash, expected: 'c2ln' })).toBe(slash)
  expect(explanationOf(invalid, { diagnosis: null, expected: 'c2ln' })?.message).toBe(
    "Signature doesn't match this hook's secret.",
  )
  expect(explanationOf(invalid, { diagnosis: null, expected: null })?.message).toBe(
    'No secret to verify with.',
  )
  expect(
    explanationOf({ ...invalid, verdict: 'valid' }, { diagnosis: slash, expected: 'c2ln' }),
  ).toBeNull()
  expect(
    explanationOf({ ...invalid, verifiedHere: false }, { diagnosis: slash, expected: 'c2ln' }),
  ).toBeNull()
})

test('schema errors are counted', () => {
  const issues = { schema: 'issues', event: 'transaction.auth' } as const
  expect([schemaSentence(issues, 1), schemaSentence(issues, 3)]).toEqual([
    '1 schema error',
    '3 schema errors',
  ])
  expect(schemaSentence({ ...issues, schema: 'not-json' }, null)).toBe('Not JSON')
  expect(schemaSentence({ ...issues, schema: 'not-json' }, 1)).toBe('Not checked')
  expect(schemaSentence({ ...issues, schema: 'ok' }, 0)).toBe('Matches the transaction.auth schema')
})
