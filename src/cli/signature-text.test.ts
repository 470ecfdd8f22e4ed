import { expect, test } from 'vitest'
import type { SignatureReport } from '../shared/model/signature.ts'
import { Output } from './print.ts'
import { signatureLines } from './signature-text.ts'

const output = new Output({
  stdout: process.stdout,
  stderr: process.stderr,
  env: { NO_COLOR: '1' },
})
const proved: SignatureReport = {
  verdict: 'valid',
  verifiedHere: true,
  freshness: 'fresh',
  url: 'https://example.com/hooks',
  timestamp: '1795233622527',
  ageMs: 5,
  received: 'a',
  expected: 'a',
  inner: 'b',
  bodySize: 2,
  firstDifference: null,
  hookId: 'hook',
  hookEvent: null,
  hookDeleted: false,
  hookInferred: false,
  inTrailer: [],
  secretHint: '…cret',
  unknownPrefix: null,
  diagnosis: null,
}

test.each([
  [
    'no signature',
    { verdict: 'unsigned', received: null },
    /No signature header, .*fix +The service signs every delivery/,
  ],
  [
    'no header at all',
    { verdict: 'unsigned', received: null, timestamp: null },
    /No signature or timestamp header, /,
  ],
  [
    'no hook',
    { verdict: 'unknown-hook', url: null, expected: null },
    /No hook had this path.*hooks import/,
  ],
  [
    'no secret',
    { verdict: 'invalid', url: null, expected: null },
    /secret is unknown.*hooks rotate/,
  ],
  ['half a body', { verdict: 'invalid', expected: null }, /Only the start.*settings --body-limit/],
  [
    'another signature',
    { verdict: 'invalid', received: `${'c'.repeat(43)}=` },
    /No known mistake.*verify --delivery 0199 --secret/,
  ],
  ['no signature at all', { verdict: 'invalid', received: 'c' }, /isn't Base64.*header unchanged/],
  [
    'a path for a URL',
    { verdict: 'invalid', url: '/hooks' },
    /isn't a complete one.*as registered/,
  ],
  [
    'a word for a time',
    { verdict: 'invalid', timestamp: 'now' },
    /isn't in milliseconds.*such as 17/,
  ],
] as const)(
  "%s: explains why the signature isn't verified and what to do",
  (_name, found, said) => {
    expect(signatureLines(output, { ...proved, ...found }, { delivery: '0199' }).join(' ')).toMatch(
      said,
    )
  },
)

test('a verified signature needs no explanation', () => {
  expect(signatureLines(output, proved, 'parts').join('\n')).not.toMatch(/^(why|fix) /m)
})

test('a diagnosis replaces the explanation', () => {
  const diagnosis = {
    cause: 'passes:once',
    causes: ['passes:once'],
    message: 'One pass.',
    fix: 'Do two.',
    signedUrl: null,
  }
  const text = signatureLines(
    output,
    {
      ...proved,
      verdict: 'invalid',
      received: 'b',
      diagnosis,
    },
    'parts',
  ).join('\n')
  expect(text).toMatch(/why +One pass\.\nfix +Do two\.$/)
})

test.each([
  [
    { verdict: 'unknown-hook', url: null, expected: null },
    /run "countersign verify --request FILE"/,
  ],
  [
    { verdict: 'invalid', received: `${'c'.repeat(43)}=` },
    /with "countersign verify --request FILE --secret SECRET"/,
  ],
  [{ verdict: 'invalid', url: null, expected: null }, /verify --request FILE --secret/],
] as const)('a fix for a copied request never names a delivery: %j', (given, fix) => {
  const text = signatureLines(output, { ...proved, ...given }, 'request').join(' ')
  expect(text).toMatch(fix)
  expect(text).not.toMatch(/--delivery|arrived/)
})
