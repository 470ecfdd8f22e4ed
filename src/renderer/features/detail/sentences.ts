/** Sentences that describe a delivery. */
import type { Delivery, Verdict } from '../../../shared/model/delivery.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import {
  prefixSentence,
  trailerSentence,
  type SignatureReport,
} from '../../../shared/model/signature.ts'
import { duration } from '../../ui/moment.ts'
import { listed } from '../../../shared/text/counted.ts'

/** The replay window of the spec: an older timestamp is stale, one further ahead is in the future (spec 5.2). */
const WINDOW = '5-minute window'

const sentencesOfFile: Readonly<Record<Verdict, string>> = {
  valid: 'Valid according to the file. Not verified here: no hook has its URL and secret.',
  invalid: 'Invalid according to the file. Not verified here.',
  unsigned: 'Unsigned according to the file. Not verified here.',
  'unknown-hook': 'Unknown hook according to the file. Not verified here.',
}

const NO_MATCH = "Signature doesn't match this hook's secret."
const NO_HEADERS = 'No signature or timestamp header'

export interface Explanation {
  readonly message: string
  readonly fix: string
  /** Names of the mistakes, as in `docs/diagnosis.md`. */
  readonly causes: readonly string[]
}

/** Why an invalid signature doesn't match, and how to fix it; null if it isn't invalid, or if only a file says so. */
export function explanationOf(
  {
    verdict,
    malformed,
    verifiedHere,
    truncated,
  }: Pick<Delivery, 'verdict' | 'malformed' | 'verifiedHere' | 'truncated'>,
  signature: Pick<SignatureReport, 'diagnosis' | 'expected'> | null,
): Explanation | null {
  if (verdict !== 'invalid' || malformed !== null || !verifiedHere || signature === null)
    return null
  if (signature.diagnosis !== null) return signature.diagnosis
  if (truncated)
    return {
      message: NO_MATCH,
      fix: 'Cause unknown: only the start of the body was kept.',
      causes: [],
    }
  if (signature.expected === null)
    return {
      message: 'No secret to verify with.',
      fix: "Add the hook's secret, or try one below.",
      causes: [],
    }
  return {
    message: NO_MATCH,
    fix: 'No known mistake explains it. The body may have changed in transit, or the sender used another secret: try it below.',
    causes: [],
  }
}

export function verdictSentence(
  { verdict, malformed, verifiedHere }: Pick<Delivery, 'verdict' | 'malformed' | 'verifiedHere'>,
  hook: Hook | undefined,
  report:
    | (Pick<SignatureReport, 'received' | 'timestamp' | 'inTrailer'> &
        Partial<Pick<SignatureReport, 'unknownPrefix'>>)
    | null,
): string {
  if (!verifiedHere && malformed === null) return sentencesOfFile[verdict]
  if (malformed !== null) return 'Malformed request: nothing to verify.'
  switch (verdict) {
    case 'valid':
      return hook === undefined
        ? 'Valid. Signed with a known secret.'
        : `Valid. Signed with the ${hook.event} hook's secret.`
    case 'invalid':
      return NO_MATCH
    case 'unsigned':
      return (
        (report?.unknownPrefix == null ? null : prefixSentence(report.unknownPrefix)) ??
        trailerSentence(report?.inTrailer ?? []) ??
        `${report === null ? NO_HEADERS : missingHeaders(report)}. The sender can't be verified.`
      )
    case 'unknown-hook':
      return 'Signed, but no hook matches its path or signature.'
  }
}

/** The missing headers of an unsigned request: `No timestamp header`. */
export function missingHeaders({
  received,
  timestamp,
}: Pick<SignatureReport, 'received' | 'timestamp'>): string {
  if (received === null && timestamp === null) return NO_HEADERS
  return received === null ? 'No signature header' : 'No timestamp header'
}

/** The result of verifying again, shown beside the original verdict. */
export function againSentence(
  before: Verdict,
  { verdict, verifiedHere }: SignatureReport,
  hook: Hook | undefined,
): string {
  if (!verifiedHere) return 'still not verified. Import its hook, or try a secret and URL below.'
  if (verdict === 'valid')
    return before === 'valid'
      ? 'still valid.'
      : `now valid${hook === undefined ? '' : `, signed with the ${hook.event} hook's secret`}. The original verdict is kept.`
  if (verdict === before)
    return `still ${verdict === 'unknown-hook' ? 'without a matching hook' : verdict}.`
  return `now ${verdict === 'unknown-hook' ? 'without a matching hook' : verdict}. The original verdict is kept.`
}

const freshnessWords = {
  fresh: 'Fresh',
  stale: 'Stale',
  future: 'In the future',
  missing: 'No timestamp',
  unknown: 'Age unknown',
} as const

/** For an imported or reported delivery, time of receipt and freshness are claims. */
function freshnessByClaim(
  { freshness, origin }: Pick<Delivery, 'freshness' | 'origin'>,
  ageMs: number | null,
): string {
  if (freshness === 'unknown') return "Age unknown: the time of receipt wasn't reported."
  const claim = `${freshnessWords[freshness]} according to the ${origin === 'reported' ? 'reported time' : 'file'}`
  return ageMs === null
    ? `${claim}.`
    : `${claim}: signed ${duration(ageMs)} ${ageMs < 0 ? 'after' : 'before'} receipt.`
}

const outsideMilliseconds = {
  fresh: `Fresh: within the ${WINDOW}.`,
  stale: `Stale if read as milliseconds: outside the ${WINDOW}.`,
  future: `In the future if read as milliseconds: outside the ${WINDOW}.`,
} as const

/** Without a report only the freshness is known. A timestamp in another unit has no known age. */
export function freshnessSentence(
  of: Pick<Delivery, 'freshness'> &
    Partial<Pick<SignatureReport, 'ageMs' | 'timestamp' | 'inTrailer'>>,
  origin: Delivery['origin'] = 'received',
): string {
  const { freshness, timestamp, ageMs = null } = of
  if (origin !== 'received' || freshness === 'unknown')
    return freshnessByClaim({ freshness, origin }, ageMs)
  if (freshness === 'missing' && of.inTrailer?.includes('timestamp') === true)
    return 'No timestamp: it was sent as a trailer.'
  if (freshness === 'missing')
    return timestamp === null
      ? 'No timestamp header.'
      : "Age unknown: the timestamp header isn't in milliseconds."
  if (ageMs === null) return outsideMilliseconds[freshness]
  if (Math.round(ageMs) === 0) return `Fresh: signed at the time of receipt, within the ${WINDOW}.`
  const age = duration(ageMs)
  switch (freshness) {
    case 'fresh':
      return ageMs < 0
        ? `Fresh: signed ${age} ahead of receipt, within the ${WINDOW}.`
        : `Fresh: signed ${age} before receipt, within the ${WINDOW}.`
    case 'stale':
      return `Stale: signed ${age} before receipt, outside the ${WINDOW}. A handler with replay protection rejects it.`
    case 'future':
      return `In the future: signed ${age} ahead of receipt, outside the ${WINDOW}. Compare the clocks of sender and receiver.`
  }
}

export function eventSentence({
  event,
  eventSource,
  eventCandidates,
  verifiedHere,
}: Pick<Delivery, 'event' | 'eventSource' | 'eventCandidates' | 'verifiedHere'>): {
  text: string
  note: string
} {
  if (event !== null && eventSource === 'hook' && !verifiedHere)
    return { text: event, note: 'According to the file' }
  if (event !== null && eventSource === 'hook')
    return { text: event, note: "Identified by the hook's secret" }
  if (event !== null) return { text: event, note: 'Inferred from the payload' }
  if (eventCandidates.length > 0)
    return {
      text: `possibly ${listed(eventCandidates, 'or')}`,
      note: 'The payload fits each of these events.',
    }
  return { text: 'unknown', note: 'Body matches no known event' }
}

/** `failures`: the number of schema errors, if known. */
export function schemaSentence(
  { schema, event }: Pick<Delivery, 'schema' | 'event'>,
  failures: number | null,
): string {
  switch (schema) {
    case 'ok':
      return event === null ? 'Matches the schema' : `Matches the ${event} schema`
    case 'issues':
      if (failures === null) return 'Schema errors'
      return failures === 1 ? '1 schema error' : `${failures} schema errors`
    case 'not-json':
      // The error listed below says that the body isn't JSON.
      return failures === null ? 'Not JSON' : 'Not checked'
    case 'unknown':
      return event === null ? 'Not checked: unknown event' : 'Not checked'
  }
}

/** The origin of a delivery that wasn't received here; null for one that was. */
export function originSentence({
  origin,
  verifiedHere,
}: Pick<Delivery, 'origin' | 'verifiedHere'>): string | null {
  if (origin === 'received') return null
  if (origin === 'reported')
    return 'Reported, not received. The signature was verified here; the request was copied from elsewhere.'
  return verifiedHere
    ? 'Imported. The signature was verified here; time of receipt and freshness are from the file.'
    : 'Imported. The verdict and time of receipt are from the file.'
}

export function answerWords({
  answer: { status, ms },
  origin,
}: Pick<Delivery, 'answer' | 'origin'>): string {
  if (status !== null) return String(status)
  if (origin === 'reported') return 'No response here'
  return ms === null ? 'No response yet' : 'Connection dropped'
}
