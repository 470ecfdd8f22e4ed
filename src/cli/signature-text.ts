/** Prints a signature: the verdict, its inputs, then the mistake and its fix. */
import {
  prefixCommand,
  prefixSentence,
  trailerSentence,
  type ComputedDigest,
  type SignatureReport,
} from '../shared/model/signature.ts'
import { freshnessCell, verdictCell } from './delivery-table.ts'
import { pick, printedFacts, type Output } from './print.ts'
import { listed } from '../shared/text/english.ts'

const NONE = 'none'

/** Returns an age in milliseconds as `3.2 s before receipt`, `12 min after receipt`. */
function ageText(ageMs: number): string {
  const size = Math.abs(ageMs)
  const text =
    size < 60_000
      ? `${(size / 1_000).toFixed(1)} s`
      : size < 7_200_000
        ? `${Math.round(size / 60_000)} min`
        : `${Math.round(size / 3_600_000)} h`
  return ageMs < 0 ? `${text} after receipt` : `${text} before receipt`
}

/**
 * Subject of a report, for which a fix names a command: a stored delivery's ID, a request, or its
 * parts.
 */
export type VerifiedSubject = { readonly delivery: string } | 'request' | 'parts'

function commandFor(verified: VerifiedSubject): string {
  if (verified === 'parts') return 'countersign verify'
  return verified === 'request'
    ? 'countersign verify --request FILE'
    : `countersign verify --delivery ${verified.delivery}`
}

/** Returns `transaction.auth at https://example.com/hooks (deleted), ID`. */
export function hookText({ hookId, hookEvent, hookDeleted, url }: SignatureReport): string {
  if (hookEvent === null) return hookId ?? ''
  return `${hookEvent}${url === null ? '' : ` at ${url}`}${hookDeleted ? ' (deleted)' : ''}, ${hookId}`
}

export function signatureLines(
  output: Output,
  report: SignatureReport,
  verified: VerifiedSubject,
  about: readonly (readonly [string, string | null])[] = [],
): string[] {
  const { freshness, timestamp, ageMs, diagnosis, received, expected, firstDifference } = report
  const age = ageMs === null ? '' : ` (signed ${ageText(ageMs)})`
  const lines = printedFacts(output, [
    ['verdict', verdictCell(report, { isExplained: true })],
    ...about,
    ['freshness', freshnessCell(freshness)],
    ['URL', report.url ?? NONE],
    ['timestamp', (timestamp ?? NONE) + age],
    ['received', received ?? NONE],
    ['expected', expected ?? NONE],
    ['inner', report.inner ?? NONE],
    ['differs', received === null || expected === null ? null : differenceText(firstDifference)],
  ])
  if (diagnosis !== null) {
    const color = report.verdict === 'valid' ? 'yellow' : 'red'
    const { causes, message, fix } = diagnosis
    lines.push(
      '',
      ...printedFacts(output, [
        ['cause', { text: causes.join(', '), color }],
        ['why', message],
        ['fix', fix],
      ]),
    )
  } else if (report.verdict !== 'valid' || !report.verifiedHere)
    lines.push('', ...printedFacts(output, Object.entries(explainUndiagnosed(report, verified))))
  return lines
}

function differenceText(at: number | null): string | null {
  return at === null ? null : `from character ${at + 1}`
}

/**
 * Forms of a signature's parts as the service writes them. Sentences quote no value, which the
 * sender chose.
 */
const partRules = [
  {
    part: 'url',
    fits: (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text),
    why: "The URL isn't a complete one.",
    fix: "Pass the hook's URL exactly as registered, such as https://example.com/hooks.",
  },
  {
    part: 'timestamp',
    fits: (text: string) => /^\d{13}$/.test(text),
    why: "The timestamp isn't in milliseconds since 1970.",
    fix: 'Pass the value of the timestamp header, such as 1764410000000.',
  },
  {
    part: 'received',
    fits: (text: string) => /^[A-Za-z0-9+/]{43}=$/.test(text),
    why: "The signature isn't Base64 of 32 bytes.",
    fix: 'Pass the value of the signature header unchanged.',
  },
] as const

/** Explains a part that no request of the service has; undefined if there is none. */
export function explainOddPart(
  parts: Readonly<Partial<Record<(typeof partRules)[number]['part'], string | null>>>,
): { readonly why: string; readonly fix: string } | undefined {
  const rule = partRules.find(({ part, fits }) => {
    const text = parts[part]
    return typeof text === 'string' && !fits(text)
  })
  return rule && pick(rule, 'why', 'fix')
}

/** Explains why a signature without a diagnosis isn't verified, and what to do. */
export function explainUndiagnosed(report: SignatureReport, verified: VerifiedSubject) {
  const command = commandFor(verified)
  if (report.verdict === 'valid')
    return {
      why: 'This delivery was imported, and no known hook matches it, so its signature was not verified here.',
      fix: `Add its hook with "countersign hooks import", or try a secret and a URL with "${command} --secret S --url U".`,
    }
  if (report.verdict === 'unsigned') return explainUnsigned(report, verified)
  if (report.verdict === 'unknown-hook')
    return {
      why:
        verified === 'request'
          ? 'No hook has this path, and no known secret matches.'
          : 'No hook had this path when the delivery arrived, and no known secret matches.',
      fix: `Add its hook with "countersign hooks import", then run "${command}", which can also try a secret and a URL.`,
    }
  if (report.url === null)
    return {
      why: "The hook's secret is unknown.",
      fix: `Add the secret with "countersign hooks rotate", or try one with "${command} --secret SECRET".`,
    }
  if (report.expected === null)
    return {
      why: "Only the start of the body is stored, so the signature can't be computed.",
      fix: 'Raise the limit with "countersign settings --body-limit SIZE", then have the delivery sent again.',
    }
  const implausiblePart = explainOddPart(report)
  if (implausiblePart !== undefined) return implausiblePart
  return {
    why: 'No known mistake explains this signature.',
    fix: `The body probably changed in transit, or was signed with an unknown secret. Try another secret with "${command} --secret SECRET".`,
  }
}

function explainUnsigned(report: SignatureReport, verified: VerifiedSubject) {
  const { unknownPrefix } = report
  if (unknownPrefix !== null)
    return {
      why: prefixSentence(unknownPrefix),
      fix: `Run "${prefixCommand(unknownPrefix)}" if it's your account's. ${verified === 'request' ? 'Then verify the request again.' : 'Stored deliveries are then judged again.'}`,
    }
  const why = trailerSentence(report.inTrailer)
  if (why !== null) return { why, fix: 'Send both before the body.' }
  const { received, timestamp } = report
  const missing = [
    ...(received === null ? ['signature'] : []),
    ...(timestamp === null ? ['timestamp'] : []),
  ]
  return {
    why: `No ${listed(missing, 'or')} header, so it can't be verified.`,
    fix: 'The service signs every delivery. Either another sender sent this, a proxy dropped the headers, or the environment has another prefix. To send a signed request yourself, create both headers with "countersign sign".',
  }
}

const outcomes = {
  right: { text: 'right', color: 'green' },
  explained: { text: 'explained', color: 'red' },
  unexplained: { text: 'not explained', color: 'red' },
} as const

export function computedLines(output: Output, computed: ComputedDigest): string[] {
  const { digest, outcome, diagnosis, message, fix, firstDifference } = computed
  return [
    '',
    ...printedFacts(output, [
      ['computed', digest],
      ['outcome', outcomes[outcome]],
      ['differs', differenceText(firstDifference)],
      ['cause', diagnosis && diagnosis.causes.join(', ')],
      ['why', message],
      ['fix', fix],
    ]),
  ]
}
