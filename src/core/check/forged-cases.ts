/** Cases with deliveries that the service can't have sent. */
import { headerNames } from '../../shared/service/header-names.ts'
import { secretKey } from '../signature/sign.ts'
import { type RequestFactory, urlsFromRequest } from './requests.ts'
import { defineCases } from './case-definition.ts'

const publicUrlWhy =
  'Your endpoint is public. Anyone who finds its URL can send this, and you would process it as a purchase.'

const compareFix =
  'Compute the signature from the raw body, the configured URL and the timestamp header. Compare it with the signature header in constant time. If they differ, return 401 before you do anything else.'

function withoutHeader(factory: RequestFactory, header: 'signature' | 'timestamp', label: string) {
  const name = headerNames(factory.settings.prefix)[header]
  return factory.signed(`forged, ${label}`, {
    label,
    headers: (valid) => valid.filter(([headerName]) => headerName !== name),
  })
}

/** Changes one digit; the body stays valid JSON of the same length. */
function altered(text: string): string {
  return text.replace(
    /("amount":-?|-4)([0-9a-f])/,
    (_, before: string, digit: string) => `${before}${digit === '9' ? '8' : '9'}`,
  )
}

export const forgedCases = defineCases(
  { group: 'forged', section: '5.2', expectedResponse: 'refuse' },
  [
    {
      name: 'altered-body',
      title: 'Body changed by one character',
      severity: 'critical',
      sends: 'A delivery whose body differs by one digit from the signed body.',
      why: 'Only the signature reveals that someone changed an amount of 10 to 90 on the way.',
      fix: compareFix,
      requests: ({ baseBody, request }) => {
        const text = baseBody('forged, altered')
        return [request(text, { sentBody: altered(text) })]
      },
    },
    {
      name: 'wrong-secret',
      title: 'Wrong secret',
      severity: 'critical',
      sends: 'A valid delivery signed with another secret, and one signed with an empty secret.',
      why: `${publicUrlWhy} A handler without its configuration verifies with an empty secret.`,
      fix: `${compareFix} Don't start without a secret.`,
      requests: ({ baseBody, request }) => {
        const text = (purpose: string) => baseBody(`forged, ${purpose}`)
        return [
          request(text('another secret'), {
            label: 'another secret',
            key: secretKey('not-the-secret-of-this-hook'),
          }),
          request(text('an empty secret'), { label: 'an empty secret', key: secretKey('') }),
        ]
      },
    },
    {
      name: 'single-pass',
      title: 'Hashed once instead of twice',
      severity: 'critical',
      sends: 'A delivery with the first HMAC as its signature.',
      why: 'The spec hashes twice. A handler that accepts this delivery hashes once, and rejects real deliveries.',
      fix: 'Apply HMAC-SHA-256 with Base64 again, with the same secret, to the Base64 text of the first result.',
      requests: ({ signed }) => [
        signed('forged, single pass', {
          signature: ({ inner }) => inner,
        }),
      ],
    },
    {
      name: 'host-url',
      title: "Signed over the request's URL instead of the hook's",
      severity: 'critical',
      sends:
        "Deliveries signed over the URL from the request's Host header, with https and with http.",
      why: 'The signature covers the registered URL. A handler that builds the URL from the Host header lets the sender choose it, and rejects real deliveries behind a proxy or tunnel.',
      fix: "Take the URL from your configuration, exactly as registered. Don't build it from the request.",
      obstacle: ({ target, registeredUrl }) =>
        urlsFromRequest(target).includes(registeredUrl)
          ? "The target's URL is the registered URL, so this mistake wouldn't show. Pass the hook's registered URL (--registered-url) to check it."
          : null,
      requests: ({ settings, signed }) =>
        urlsFromRequest(settings.target).map((signedUrl) =>
          signed(`forged, ${signedUrl}`, {
            label: `over ${signedUrl}`,
            signedUrl,
          }),
        ),
    },
    {
      name: 'no-signature',
      title: 'Signature missing or empty',
      severity: 'critical',
      sends: 'A delivery without the signature header, and one with an empty signature.',
      why: `${publicUrlWhy} If you verify only requests that have a signature, you verify nothing.`,
      fix: 'Treat a missing or empty signature as invalid and return 401.',
      requests: (factory) => [
        withoutHeader(factory, 'signature', 'no signature'),
        factory.signed('forged, empty signature', {
          label: 'an empty signature',
          signature: () => '',
        }),
      ],
    },
    {
      name: 'no-timestamp',
      title: 'Timestamp missing',
      severity: 'critical',
      sends: 'A delivery without the timestamp header, signed over a timestamp.',
      why: 'The signature covers the timestamp. Without it, no signature can be valid.',
      fix: 'Treat a missing timestamp as an invalid signature and return 401.',
      requests: (factory) => [withoutHeader(factory, 'timestamp', 'no timestamp')],
    },
    {
      name: 'spelling',
      title: 'Signature in another encoding',
      severity: 'minor',
      sends: 'Deliveries with the correct digest in hexadecimal, and in Base64 without padding.',
      why: 'A delivery is authentic only if the two strings are equal. A lenient comparison may accept a truncated signature one day.',
      fix: "Compare the strings byte by byte. Don't decode the header first.",
      requests: ({ baseBody, request }) => {
        const text = (purpose: string) => baseBody(`forged, ${purpose}`)
        return [
          request(text('hexadecimal'), {
            label: 'hexadecimal',
            signature: ({ signature }) => Buffer.from(signature, 'base64').toString('hex'),
          }),
          request(text('without padding'), {
            label: 'without padding',
            signature: ({ signature }) => signature.replace(/(?<!=)=+$/, ''),
          }),
        ]
      },
    },
    {
      name: 'other-ending',
      title: 'Signature with another ending',
      severity: 'critical',
      sends:
        'A delivery whose signature differs in its last characters, and one with only the first half of it.',
      why: 'A handler that compares only the beginning accepts signatures that are easy to guess.',
      fix: 'Compare the whole strings, in constant time.',
      requests: ({ baseBody, request }) => {
        const text = (which: string) => baseBody(`forged, ${which}`)
        const turned = (signature: string) =>
          `${signature.slice(0, -9)}${signature.at(-9) === 'A' ? 'B' : 'A'}${signature.slice(-8)}`
        return [
          request(text('another ending'), {
            label: 'another ending',
            signature: ({ signature }) => turned(signature),
          }),
          request(text('the first half'), {
            label: 'the first half',
            signature: ({ signature }) => signature.slice(0, 22),
          }),
        ]
      },
    },
    {
      name: 'letter-case',
      title: 'Signature in another letter case',
      severity: 'major',
      sends: 'A delivery whose signature is in lowercase.',
      why: 'Base64 distinguishes letter cases. Ignoring them makes a signature much easier to guess.',
      fix: "Compare the strings exactly, in constant time. Don't change their letter case.",
      requests: ({ signed }) => [
        signed('forged, lowercase', { signature: ({ signature }) => signature.toLowerCase() }),
      ],
    },
    {
      name: 'other-letters',
      title: 'Signature with other letters',
      severity: 'major',
      sends: "A delivery whose signature header isn't ASCII, of the right length.",
      why: 'Functions that compare in constant time may fail for such a text. After a 500, the service tries again.',
      fix: "Treat a signature that isn't ASCII as invalid, and return 401. Compare bytes, after comparing their lengths.",
      requests: ({ signed }) => [
        signed('forged, not ASCII', {
          signature: ({ signature }) => `\u00e9${signature.slice(1)}`,
        }),
      ],
    },
  ],
)
