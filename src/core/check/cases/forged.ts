/** Deliveries that the service can't have sent. A handler that accepts one processes anything that anyone sends. */
import { headerNames } from '../../../shared/service/header-rules.ts'
import { secretKey } from '../../signature/sign.ts'
import { urlsOfRequest, type Bench, type CaseDefinition } from '../bench.ts'

const refuses = 'a 4xx status, such as 401'
const anybody =
  'Your endpoint is public. Anyone who finds its URL can send this, and you would process it as a purchase.'
const compare =
  'Compute the signature from the raw body, the configured URL and the timestamp header. Compare it with the signature header in constant time. If they differ, return 401 before you do anything else.'

function withoutHeader(bench: Bench, which: 'signature' | 'timestamp', label: string) {
  const name = headerNames(bench.settings.prefix)[which]
  return bench.request(bench.plain(`forged, ${label}`), {
    label,
    headers: (genuine) => genuine.filter(([each]) => each !== name),
  })
}

/** The body with one digit of its amount or an id changed: still valid JSON of the same length. */
function altered(text: string): string {
  return text.replace(
    /("amount":-?|-4)([0-9a-f])/,
    (_, before: string, digit: string) => `${before}${digit === '9' ? '8' : '9'}`,
  )
}

export const forgedCases: readonly CaseDefinition[] = [
  {
    name: 'altered-body',
    group: 'forged',
    title: 'Body changed by one character',
    severity: 'critical',
    section: '5.2',
    sends: 'A delivery whose body differs by one digit from the signed body.',
    expected: refuses,
    why: 'Only the signature reveals that someone changed an amount of 10 to 90 on the way.',
    fix: compare,
    wanted: 'refuse',
    requests: ({ plain, request }) => {
      const text = plain('forged, altered')
      return [request(text, { sentBody: altered(text) })]
    },
  },
  {
    name: 'wrong-secret',
    group: 'forged',
    title: 'Wrong secret',
    severity: 'critical',
    section: '5.2',
    sends: 'A valid delivery signed with another secret, and one signed with an empty secret.',
    expected: refuses,
    why: `${anybody} A handler without its configuration verifies with an empty secret.`,
    fix: `${compare} Don't start without a secret.`,
    wanted: 'refuse',
    requests: ({ plain, request }) => {
      const text = (which: string) => plain(`forged, ${which}`)
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
    group: 'forged',
    title: 'Hashed once instead of twice',
    severity: 'critical',
    section: '5.2',
    sends: 'A delivery with the first HMAC as its signature.',
    expected: refuses,
    why: 'The spec hashes twice. A handler that accepts this delivery hashes once, and rejects real deliveries.',
    fix: 'Apply HMAC-SHA-256 with Base64 again, with the same secret, to the Base64 text of the first result.',
    wanted: 'refuse',
    requests: ({ plain, request }) => [
      request(plain('forged, single pass'), {
        signature: ({ inner }) => inner,
      }),
    ],
  },
  {
    name: 'host-url',
    group: 'forged',
    title: "Signed over the request's URL instead of the hook's",
    severity: 'critical',
    section: '5.2',
    sends:
      "Deliveries signed over the URL from the request's Host header, with https and with http.",
    expected: refuses,
    why: 'The signature covers the registered URL. A handler that builds the URL from the Host header lets the sender choose it, and rejects real deliveries behind a proxy or tunnel.',
    fix: "Take the URL from your configuration, exactly as registered. Don't build it from the request.",
    wanted: 'refuse',
    obstacle: ({ target, registeredUrl }) =>
      urlsOfRequest(target).includes(registeredUrl)
        ? "The target's URL is the registered URL, so this mistake wouldn't show. Pass the hook's registered URL (--registered-url) to check it."
        : null,
    requests: ({ plain, request, settings }) =>
      urlsOfRequest(settings.target).map((signedUrl) =>
        request(plain(`forged, ${signedUrl}`), {
          label: `over ${signedUrl}`,
          signedUrl,
        }),
      ),
  },
  {
    name: 'no-signature',
    group: 'forged',
    title: 'Signature missing or empty',
    severity: 'critical',
    section: '5.2',
    sends: 'A delivery without the signature header, and one with an empty signature.',
    expected: refuses,
    why: `${anybody} If you verify only requests that have a signature, you verify nothing.`,
    fix: 'Treat a missing or empty signature as invalid and return 401.',
    wanted: 'refuse',
    requests: (bench) => [
      withoutHeader(bench, 'signature', 'no signature'),
      bench.request(bench.plain('forged, empty signature'), {
        label: 'an empty signature',
        signature: () => '',
      }),
    ],
  },
  {
    name: 'no-timestamp',
    group: 'forged',
    title: 'Timestamp missing',
    severity: 'critical',
    section: '5.2',
    sends: 'A delivery without the timestamp header, signed over a timestamp.',
    expected: refuses,
    why: 'The signature covers the timestamp. Without it, no signature can be valid.',
    fix: 'Treat a missing timestamp as an invalid signature and return 401.',
    wanted: 'refuse',
    requests: (bench) => [withoutHeader(bench, 'timestamp', 'no timestamp')],
  },
  {
    name: 'spelling',
    group: 'forged',
    title: 'Signature in another encoding',
    severity: 'minor',
    section: '5.2',
    sends: 'Deliveries with the correct digest in hexadecimal, and in Base64 without padding.',
    expected: refuses,
    why: 'A delivery is authentic only if the two strings are equal. A lenient comparison may accept a truncated signature one day.',
    fix: "Compare the strings byte by byte. Don't decode the header first.",
    wanted: 'refuse',
    requests: ({ plain, request }) => {
      const text = (which: string) => plain(`forged, ${which}`)
      return [
        request(text('hexadecimal'), {
          label: 'hexadecimal',
          signature: ({ signature }) => Buffer.from(signature, 'base64').toString('hex'),
        }),
        request(text('without padding'), {
          label: 'without padding',
          signature: ({ signature }) => signature.replace(/=+$/, ''),
        }),
      ]
    },
  },
]
