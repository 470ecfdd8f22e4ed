import { expect, test } from 'vitest'
import { describeFailure } from './send-failure.ts'

test.each([
  ['CERT_HAS_EXPIRED', 'certificate has expired', /does not verify \(it has expired\)\. Renew it/],
  ['CERT_NOT_YET_VALID', 'certificate is not yet valid', /\(it is not valid yet\)\..*clock/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'Hostname/IP does not match', /\(it is of another name\)\. Make one for this name/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', /\(it is self-signed\)\. Give the authority/],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'unable to verify the first certificate',
    /\(no authority .* signed it\)\. Give the authority/,
  ],
  ['CERT_REVOKED', 'certificate revoked', /\(certificate revoked\)\./],
])('%s: what is the matter with a certificate and what mends it', (code, message, sentence) => {
  const failure = describeFailure(Object.assign(new Error(message), { code }), '127.0.0.1:9443')
  expect(failure).toMatchObject({ kind: 'certificate', message: expect.stringMatching(sentence) as unknown })
})
