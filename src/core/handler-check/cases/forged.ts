/** Deliveries that the service cannot have sent: who accepts one of them books what anybody sends. */
import { headerNames } from '../../../shared/service/header-names.ts'
import { secretKey } from '../../signature/sign.ts'
import { urlsOfRequest, type Bench, type CheckCase } from '../bench.ts'

const refuses = 'an answer from 400 to 499, such as 401'
const anybody = 'The endpoint is on the internet: whoever finds its address can send this, and it would be booked as a purchase.'
const compare =
  'Compute the signature from the raw body, the configured URL and the timestamp header, compare it with the header in constant time, and answer 401 where they differ, before anything else is done.'

function withoutHeader(bench: Bench, which: 'signature' | 'timestamp', label: string) {
  const name = headerNames(bench.settings.prefix)[which]
  return bench.request(bench.payloads.of(bench.payloads.base, 'forged'), {
    label,
    headers: (genuine) => genuine.filter(([each]) => each !== name),
  })
}

/** The body with one digit of its amount, or of an id, changed: still JSON, still of the same length. */
function altered(text: string): string {
  return text.replace(/("amount":-?|-4)([0-9a-f])/, (_, before: string, digit: string) => `${before}${digit === '9' ? '8' : '9'}`)
}

export const forgedCases: readonly CheckCase[] = [
  {
    name: 'altered-body',
    group: 'forged',
    title: 'One character of the body was changed',
    severity: 'critical',
    section: '5.2',
    sends: 'A delivery whose body differs in one digit from the one that was signed.',
    expected: refuses,
    why: 'Only the signature tells an amount of 10 from one of 90 that somebody made of it on the way.',
    fix: compare,
    wanted: 'refuse',
    requests: ({ payloads, request }) => {
      const text = payloads.of(payloads.base, 'forged')
      return [request(text, { sentBody: altered(text) })]
    },
  },
  {
    name: 'wrong-secret',
    group: 'forged',
    title: 'Signed with another secret',
    severity: 'critical',
    section: '5.2',
    sends: 'A delivery that is right in all but its secret, and one signed with an empty secret.',
    expected: refuses,
    why: `${anybody} An empty secret is what a handler has whose configuration is missing.`,
    fix: `${compare} Refuse to start without a secret.`,
    wanted: 'refuse',
    requests: ({ payloads, request }) => {
      const text = payloads.of(payloads.base, 'forged')
      return [
        request(text, { label: 'another secret', key: secretKey('not-the-secret-of-this-hook') }),
        request(text, { label: 'an empty secret', key: secretKey('') }),
      ]
    },
  },
  {
    name: 'single-pass',
    group: 'forged',
    title: 'Hashed once instead of twice',
    severity: 'critical',
    section: '5.2',
    sends: 'A delivery with the result of the first HMAC alone as its signature.',
    expected: refuses,
    why: 'The hash is applied twice. A handler that takes this one applies it once, and refuses what the service really sends.',
    fix: 'Apply HMAC-SHA-256 with Base-64 once more, with the same secret, over the Base-64 text of the first result.',
    wanted: 'refuse',
    requests: ({ payloads, request }) => [request(payloads.of(payloads.base, 'forged'), { signature: ({ inner }) => inner })],
  },
  {
    name: 'host-url',
    group: 'forged',
    title: "Signed over the address of the request, not over the hook's",
    severity: 'critical',
    section: '5.2',
    sends: 'Deliveries signed over the URL that the request itself shows by its Host header, with https and with http.',
    expected: refuses,
    why: "The signature is over the registered URL. A handler that puts the URL together from the Host header lets the sender choose it, and refuses the service's own deliveries behind any proxy or tunnel.",
    fix: 'Take the URL from the configuration, exactly as it was registered, and not from the request.',
    wanted: 'refuse',
    obstacle: ({ target, registeredUrl }) =>
      urlsOfRequest(target).includes(registeredUrl)
        ? "The registered URL is the target's own, so the two cannot be told apart. Give the URL under which the hook is registered (--registered-url) to check this."
        : null,
    requests: ({ payloads, request, settings }) =>
      urlsOfRequest(settings.target).map((signedUrl) =>
        request(payloads.of(payloads.base, 'forged'), { label: `over ${signedUrl}`, signedUrl }),
      ),
  },
  {
    name: 'no-signature',
    group: 'forged',
    title: 'No signature, or an empty one',
    severity: 'critical',
    section: '5.2',
    sends: 'A delivery without the signature header, and one where it is empty.',
    expected: refuses,
    why: `${anybody} A handler that only checks a signature where there is one checks nothing.`,
    fix: 'Treat a missing or empty signature as a wrong one, and answer 401.',
    wanted: 'refuse',
    requests: (bench) => [
      withoutHeader(bench, 'signature', 'no signature'),
      bench.request(bench.payloads.of(bench.payloads.base, 'forged'), { label: 'an empty signature', signature: () => '' }),
    ],
  },
  {
    name: 'no-timestamp',
    group: 'forged',
    title: 'No timestamp',
    severity: 'critical',
    section: '5.2',
    sends: 'A delivery without the timestamp header, whose signature is over a timestamp all the same.',
    expected: refuses,
    why: 'The timestamp is part of what is signed: without it the signature cannot be right.',
    fix: 'Treat a missing timestamp as a wrong signature, and answer 401.',
    wanted: 'refuse',
    requests: (bench) => [withoutHeader(bench, 'timestamp', 'no timestamp')],
  },
  {
    name: 'spelling',
    group: 'forged',
    title: 'The right digest, written in another way',
    severity: 'minor',
    section: '5.2',
    sends: 'Deliveries whose signature is the right digest in hexadecimal, and in Base-64 without its last sign.',
    expected: refuses,
    why: 'A delivery is authentic when the texts are equal. A lenient comparison is how a truncated signature gets accepted one day.',
    fix: 'Compare the two texts as they are, byte by byte; do not decode the header first.',
    wanted: 'refuse',
    requests: ({ payloads, request }) => {
      const text = payloads.of(payloads.base, 'forged')
      return [
        request(text, {
          label: 'hexadecimal',
          signature: ({ signature }) => Buffer.from(signature, 'base64').toString('hex'),
        }),
        request(text, { label: 'without padding', signature: ({ signature }) => signature.replace(/=+$/, '') }),
      ]
    },
  },
]
