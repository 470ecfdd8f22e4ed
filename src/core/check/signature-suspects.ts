/**
 * Suspects whose signature, timestamp or headers differ, as the handler may compute or read them.
 */
import { headerNames } from '../../shared/service/header-rules.ts'
import type { Bench, MistakenSigning } from './requests.ts'
import { isRefusal, isSuccess } from './judge.ts'
import { exchangeStatus } from './response-words.ts'
import { isFurther, type Suspect, type SuspectGroup, type TrialDelivery } from './suspect.ts'

/** Another unit of the timestamp, which is also signed. */
export const units: SuspectGroup = {
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
  pick: (all) => all.find(({ exchange }) => isSuccess(exchange.got)),
  most: () => 1,
}

/** Returns a delivery for each of the mistakes that `mistakesIn` finds for its body. */
function mistakenSuspects(
  mistakesIn: (body: string) => readonly MistakenSigning[],
  control: TrialDelivery,
): readonly Suspect[] {
  const bySignature = new Map(
    // The likeliest of those that sign alike is set last.
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
 * The likeliest wrong signing methods. Only one is the handler's: if most get another response than
 * the valid delivery, that one is verified.
 */
export const likelyMethods: SuspectGroup = {
  suspects: ({ mistaken }, { control }) => mistakenSuspects((body) => mistaken(body, [1]), control),
  pick(all, rejected) {
    const others = all.filter(({ exchange }) => exchangeStatus(exchange) !== rejected)
    if (others.length > all.length / 2) return undefined
    return others.find(({ exchange }) => isSuccess(exchange.got)) ?? others[0]
  },
  most: ({ mistaken }) => mistaken('{}', [1]).length,
}

const hex = (signature: string): string => Buffer.from(signature, 'base64').toString('hex')

type Writing = readonly [cause: string, words: string, write: (text: string) => string]

/** Other ways to write the right signature. */
const WRITINGS: readonly Writing[] = [
  ['hex', 'in hexadecimal', hex],
  ['prefixed', 'in hexadecimal after `sha256=`', (text) => `sha256=${hex(text)}`],
  ['base64url', 'in Base64url', (text) => Buffer.from(text, 'base64').toString('base64url')],
  ['no-padding', 'without the `=` at its end', (text) => text.replace(/(?<!=)=+$/, '')],
]

function writtenSuspects({ request }: Bench, control: TrialDelivery): readonly Suspect[] {
  return WRITINGS.map(([cause, words, write]) => ({
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

/** Returns the likeliest mistakes, with the signature in hexadecimal. */
function hexadecimalMistakes({ mistaken, request }: Bench, body: string): MistakenSigning[] {
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

/** Returns the likely mistakes in each way to make them, the others in their likeliest way. */
function rareMistakes({ mistaken }: Bench, body: string): readonly MistakenSigning[] {
  const causes = new Set<string>()
  return mistaken(body, [2, 3, 4, 5, 6, 7]).filter(
    ({ rank, finding: { cause } }) => rank <= 3 || causes.size < causes.add(cause).size,
  )
}

/** The other rows of the diagnosis, if the signature is all that a handler may object to. */
export const rareMethods: SuspectGroup = {
  suspects: (bench, { control, exchange, isSignatureAccepted }) =>
    isSignatureAccepted || ![400, 401, 403].includes(exchangeStatus(exchange))
      ? []
      : [
          ...writtenSuspects(bench, control),
          ...mistakenSuspects((body) => hexadecimalMistakes(bench, body), control),
          ...mistakenSuspects((body) => rareMistakes(bench, body), control),
        ],
  pick: (all, rejected) =>
    all.find(
      ({ exchange: { got } }) =>
        isSuccess(got) || (isRefusal(got.status) && got.status !== rejected),
    ),
  isLong: true,
  most: (bench) =>
    WRITINGS.length + hexadecimalMistakes(bench, '{}').length + rareMistakes(bench, '{}').length,
}

/** Header names that handlers read instead, with the signature's first. */
const OTHER_NAMES = [
  ['x-signature', 'x-timestamp'],
  ['signature', 'timestamp'],
  ['x-webhook-signature', 'x-webhook-timestamp'],
  ['webhook-signature', 'webhook-timestamp'],
] as const

/**
 * Returns other names of the two headers: without a part, with underscores, and with the other
 * known prefixes.
 */
function otherNames({ settings: { prefix }, otherPrefixes }: Bench): (readonly [string, string])[] {
  const { signature, timestamp } = headerNames(prefix)
  return [
    ...otherPrefixes.map((other) => {
      const names = headerNames(other)
      return [names.signature, names.timestamp] as const
    }),
    [`${prefix}-signature`, `${prefix}-timestamp`],
    [`x-${prefix}-webhook-signature`, `x-${prefix}-webhook-timestamp`],
    [signature.replaceAll('-', '_'), timestamp.replaceAll('-', '_')],
    ...OTHER_NAMES,
  ]
}

/** Deliveries that have signature and timestamp under other names too. */
export const otherHeaders: SuspectGroup = {
  suspects: (bench, { control, isSignatureAccepted }) => {
    const sent = headerNames(bench.settings.prefix)
    const valueOf = (headers: readonly (readonly [string, string])[], name: string) =>
      headers.find(([each]) => each === name)?.[1] ?? ''
    return (isSignatureAccepted ? [] : otherNames(bench)).map(([signature, timestamp]) => ({
      finding: {
        cause: `header:${signature}`,
        what: `It reads the signature from \`${signature}\`, but the service sends \`${sent.signature}\` and \`${sent.timestamp}\`.`,
        fix: `Read \`${sent.signature}\` and \`${sent.timestamp}\`. If the service has another name, run the check again with its prefix (--prefix).`,
      },
      delivery: {
        ...control,
        label: `also as ${signature}`,
        sign: (body: string) => {
          const made = control.sign(body)
          const { headers } = made
          const added: [string, string][] = [
            [signature, valueOf(headers, sent.signature)],
            [timestamp, valueOf(headers, sent.timestamp)],
          ]
          return { ...made, headers: [...headers, ...added] }
        },
      },
    }))
  },
  pick: (all, rejected) =>
    all.find(
      ({ exchange }) =>
        isFurther(exchange, rejected) ||
        (isRefusal(rejected) && isRefusal(exchange.got.status) && exchange.got.status !== rejected),
    ),
  most: (bench) => otherNames(bench).length,
}
