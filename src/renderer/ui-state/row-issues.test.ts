import { expect, test } from 'vitest'
import { deliveryRow } from '../../../test/support/delivery-row.ts'
import { issuesOf } from './row-issues.ts'

const words = (changes: Parameters<typeof deliveryRow>[1]) =>
  issuesOf(deliveryRow(1, changes)).map((issue) => issue.words)

test('rows say what is wrong, in one order: diagnosis, schema errors, age, attempt, duplicate', () => {
  const row = deliveryRow(1, {
    verdict: 'invalid',
    cause: 'url:trailing-slash',
    schemaErrors: 3,
    freshness: 'stale',
    attempt: 2,
    duplicateOf: 'x',
  })
  expect(issuesOf(row).map((issue) => [issue.words, issue.short, issue.tone])).toEqual([
    ['Trailing slash', '', 'bad'],
    ['3 schema errors', '3', 'bad'],
    ['Stale signature', '', 'warn'],
    ['Attempt 2 of 3', '2/3', 'warn'],
    ['Duplicate', '', 'quiet'],
  ])
})

test('a fresh first attempt without errors has no issues', () => {
  expect(words({ verdict: 'valid', freshness: 'fresh', schemaErrors: 0 })).toEqual([])
})

test('every delivery that is not valid says why, also before or without a diagnosis', () => {
  const first = (changes: Parameters<typeof deliveryRow>[1]) => {
    const [issue] = issuesOf(deliveryRow(1, { freshness: 'fresh', ...changes }))
    return [issue?.words, issue?.tone]
  }
  expect(first({ verdict: 'invalid' })).toEqual(["Doesn't match", 'bad'])
  expect(first({ verdict: 'invalid', verifiedHere: false })).toEqual(['Not verified here', 'quiet'])
  expect(first({ verdict: 'unsigned' })).toEqual(['No signature header', 'quiet'])
  // It would repeat the verdict "Unsigned".
  expect(words({ verdict: 'unsigned', freshness: 'missing' })).toEqual([])
  expect(first({ verdict: 'unknown-hook' })).toEqual(['No hook for this path', 'quiet'])
  expect(first({ verdict: 'invalid', malformed: { reason: 'TLS handshake' } })).toEqual([
    'TLS handshake',
    'bad',
  ])
})

test("a valid delivery whose body isn't JSON says so; a malformed request shows only its reason", () => {
  const [issue] = issuesOf(deliveryRow(1, { schema: 'not-json' }))
  expect([issue?.words, issue?.tone, issue?.term]).toEqual([
    "Body isn't JSON",
    'bad',
    'schema:not-json',
  ])
  expect(words({ schema: 'not-json', malformed: { reason: 'TLS handshake' } })).toEqual([
    'TLS handshake',
  ])
})

test('an unlisted cause is read from its name; a cause from a file is neutral', () => {
  expect(words({ verdict: 'invalid', freshness: 'fresh', cause: 'body:key-order' })).toEqual([
    'Body: key order',
  ])
  const [claimed] = issuesOf(
    deliveryRow(1, {
      verdict: 'invalid',
      freshness: 'fresh',
      cause: 'passes:once',
      verifiedHere: false,
    }),
  )
  expect([claimed?.words, claimed?.tone]).toEqual(['Hashed once', 'quiet'])
})

test.each([
  ['stale', 10 * 60_000 + 4_000, '10 min old'],
  ['stale', 3 * 3_600_000, '3 h old'],
  ['stale', 49 * 3_600_000, '2 days old'],
  ['stale', null, 'Stale signature'],
  ['future', -10 * 60_000, '10 min ahead'],
  ['future', null, 'Signed in the future'],
] as const)('a %s signature of %s ms says %s', (freshness, signatureAgeMs, expected) => {
  expect(words({ freshness, signatureAgeMs })).toEqual([expected])
})
