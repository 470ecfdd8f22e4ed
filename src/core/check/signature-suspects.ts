/** Suspects whose signature, timestamp or headers differ. */
import { headerNames } from '../../shared/service/header-names.ts'
import type { RequestFactory, MistakenSigning } from './requests.ts'
import { isRefusal, isSuccess } from './judge.ts'
import { exchangeStatus } from './response-words.ts'
import { isFurther, type Suspect, type SuspectGroup, type TrialDelivery } from './suspect.ts'

export const secondsTimestamp: SuspectGroup = {
  suspects: ({ request, now }, { control }) => [
    {
      finding: {
        cause: 'timestamp:unit',
        what: 'The timestamp was in seconds.',
        fix: 'The timestamp header is in milliseconds (spec 5.2): compare it with your clock in milliseconds.',
      },
      delivery: {
        ...control,
        label: 'timestamp in seconds',
        sign: (body) => request(body, { timestamp: String(Math.trunc(now() / 1_000)) }),
      },
    },
  ],
  pick: (answered) => answered.find(({ exchange }) => isSuccess(exchange.got)),
  most: () => 1,
}

/**
 * Returns a suspect for each mistake. If the mistake is impossible in a body, that body is signed
 * like the control.
 */
function mistakenSuspects(
  mistakesIn: (body: string) => readonly MistakenSigning[],
  control: TrialDelivery,
): readonly Suspect[] {
  const bySignature = new Map(
    // Reversed, so that the likeliest of equal signatures stays.
    mistakesIn(control.body('methods'))
      .toReversed()
      .map((mistake) => [mistake.signature(), mistake]),
  )
  return [...bySignature.values()].toReversed().map(({ id, finding }) => ({
    finding,
    delivery: {
      ...control,
      label: `signed by another method, ${finding.cause}`,
      sign: (body) =>
        mistakesIn(body)
          .find((mistake) => mistake.id === id)
          ?.request() ?? control.sign(body),
    },
  }))
}

/**
 * Suspects with likely signing methods. If most get another response than the valid delivery, its
 * signature is accepted and nothing is picked.
 */
export const likelyMethods: SuspectGroup = {
  suspects: ({ mistaken }, { control }) => mistakenSuspects((body) => mistaken(body, [1]), control),
  pick(answered, rejectedStatus) {
    const differing = answered.filter(({ exchange }) => exchangeStatus(exchange) !== rejectedStatus)
    if (differing.length > answered.length / 2) return undefined
    return differing.find(({ exchange }) => isSuccess(exchange.got)) ?? differing[0]
  },
  most: ({ mistaken }) => mistaken('{}', [1]).length,
}

const hex = (signature: string): string => Buffer.from(signature, 'base64').toString('hex')

type SignatureEncoding = readonly [cause: string, words: string, write: (text: string) => string]

/** Other encodings of the right signature. */
const SIGNATURE_ENCODINGS: readonly SignatureEncoding[] = [
  ['hex', 'in hexadecimal', hex],
  ['prefixed', 'in hexadecimal after `sha256=`', (text) => `sha256=${hex(text)}`],
  ['base64url', 'in Base64url', (text) => Buffer.from(text, 'base64').toString('base64url')],
  ['no-padding', 'without the `=` at its end', (text) => text.replace(/(?<!=)=+$/, '')],
]

function encodingSuspects({ request }: RequestFactory, control: TrialDelivery): readonly Suspect[] {
  return SIGNATURE_ENCODINGS.map(([cause, words, write]) => ({
    finding: {
      cause: `encoding:${cause}`,
      what: `The signature was ${words}.`,
      fix: 'Compare the header with the Base64 text of the second HMAC (spec 5.2).',
    },
    delivery: {
      ...control,
      label: `signature ${words}`,
      sign: (body) => request(body, { signature: ({ signature }) => write(signature) }),
    },
  }))
}

/** Returns likely mistakes with the signature in hexadecimal. */
function hexadecimalMistakes(
  { mistaken, request }: RequestFactory,
  body: string,
): MistakenSigning[] {
  return mistaken(body, [1]).map(({ finding: { cause, what, fix }, ...mistake }) => {
    const signature = () => hex(mistake.signature())
    return {
      ...mistake,
      finding: {
        cause: `${cause} encoding:hex`,
        what: `${what} The signature was in hexadecimal.`,
        fix: `${fix} Compare the header with the Base64 text of the second HMAC (spec 5.2).`,
      },
      signature,
      request: () => request(body, { timestamp: mistake.timestamp, signature }),
    }
  })
}

/** Returns rare mistakes; beyond rank 3 only the likeliest of each cause. */
function rareMistakes({ mistaken }: RequestFactory, body: string): readonly MistakenSigning[] {
  const causes = new Set<string>()
  return mistaken(body, [2, 3, 4, 5, 6, 7]).filter(
    ({ rank, finding: { cause } }) => rank <= 3 || causes.size < causes.add(cause).size,
  )
}

/** Suspects with rare mistakes, if only the signature may be at fault. */
export const rareMethods: SuspectGroup = {
  suspects: (factory, { control, exchange, isSignatureAccepted }) =>
    isSignatureAccepted || ![400, 401, 403].includes(exchangeStatus(exchange))
      ? []
      : [
          ...encodingSuspects(factory, control),
          ...mistakenSuspects((body) => hexadecimalMistakes(factory, body), control),
          ...mistakenSuspects((body) => rareMistakes(factory, body), control),
        ],
  pick: (answered, rejectedStatus) =>
    answered.find(
      ({ exchange: { got } }) =>
        isSuccess(got) || (isRefusal(got.status) && got.status !== rejectedStatus),
    ),
  isLong: true,
  most: (factory) =>
    SIGNATURE_ENCODINGS.length +
    hexadecimalMistakes(factory, '{}').length +
    rareMistakes(factory, '{}').length,
}

/** Signature and timestamp headers of other services. */
const OTHER_HEADER_PAIRS = [
  ['x-signature', 'x-timestamp'],
  ['signature', 'timestamp'],
  ['x-webhook-signature', 'x-webhook-timestamp'],
  ['webhook-signature', 'webhook-timestamp'],
] as const

/** Returns names of the signature and timestamp headers that a handler may read by mistake. */
function otherHeaderPairs({
  settings: { prefix },
  otherPrefixes,
}: RequestFactory): (readonly [string, string])[] {
  const { signature, timestamp } = headerNames(prefix)
  return [
    ...otherPrefixes.map((otherPrefix) => {
      const names = headerNames(otherPrefix)
      return [names.signature, names.timestamp] as const
    }),
    [`${prefix}-signature`, `${prefix}-timestamp`],
    [`x-${prefix}-webhook-signature`, `x-${prefix}-webhook-timestamp`],
    [signature.replaceAll('-', '_'), timestamp.replaceAll('-', '_')],
    ...OTHER_HEADER_PAIRS,
  ]
}

/** Suspects that repeat signature and timestamp under other names. */
export const otherHeaders: SuspectGroup = {
  suspects: (factory, { control, isSignatureAccepted }) => {
    const names = headerNames(factory.settings.prefix)
    const valueOf = (headers: readonly (readonly [string, string])[], name: string) =>
      headers.find(([headerName]) => headerName === name)?.[1] ?? ''
    return (isSignatureAccepted ? [] : otherHeaderPairs(factory)).map(([signature, timestamp]) => ({
      finding: {
        cause: `header:${signature}`,
        what: `Your handler reads the signature from \`${signature}\`, but the service sends \`${names.signature}\` and \`${names.timestamp}\`.`,
        fix: `Read \`${names.signature}\` and \`${names.timestamp}\`. If the service has another name, run the check again with its prefix (--prefix).`,
      },
      delivery: {
        ...control,
        label: `also as ${signature}`,
        sign: (body: string) => {
          const signed = control.sign(body)
          const { headers } = signed
          const copies: [string, string][] = [
            [signature, valueOf(headers, names.signature)],
            [timestamp, valueOf(headers, names.timestamp)],
          ]
          return { ...signed, headers: [...headers, ...copies] }
        },
      },
    }))
  },
  pick: (answered, rejectedStatus) =>
    answered.find(
      ({ exchange }) =>
        isFurther(exchange, rejectedStatus) ||
        (isRefusal(rejectedStatus) &&
          isRefusal(exchange.got.status) &&
          exchange.got.status !== rejectedStatus),
    ),
  most: (factory) => otherHeaderPairs(factory).length,
}
