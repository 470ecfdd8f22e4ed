/** Sentences about single facts of a delivery: freshness, event, schema, origin, response. */
import { isWritten, type Delivery, type Verdict } from '../../../shared/model/delivery.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import type { SignatureReport } from '../../../shared/model/signature.ts'
import { listed } from '../../../shared/text/english.ts'
import type { Notice } from '../../core-data/act.ts'
import { duration } from '../../ui/moment.ts'

/** Replay window of the service (spec 5.2). */
const WINDOW = '5-minute window'

const NO_HEADERS = 'No signature or timestamp header'

export interface Explanation {
  readonly message: string
  readonly fix: string
}

/** Returns the missing headers of an unsigned request: `No timestamp header`. */
export function missingHeaders({
  received,
  timestamp,
}: Pick<SignatureReport, 'received' | 'timestamp'>): string {
  if (received === null && timestamp === null) return NO_HEADERS
  return received === null ? 'No signature header' : 'No timestamp header'
}

/** Returns the notice for the result of verifying again, which never changes the verdict. */
export function reverificationNotice(
  before: Verdict,
  { verdict, verifiedHere }: SignatureReport,
  hook: Hook | undefined,
): Notice {
  const how = verdict === before ? 'still' : 'now'
  const outcome = verdict === 'unknown-hook' ? 'without a matching hook' : verdict
  const by =
    how === 'now' && verdict === 'valid' && hook !== undefined
      ? `Signed with the ${hook.event} hook's secret. `
      : ''
  return verifiedHere
    ? {
        tone: verdict === 'valid' ? 'ok' : 'neutral',
        title: `Verified again: ${how} ${outcome}`,
        ...(how === 'still' ? {} : { message: `${by}The original verdict is kept.` }),
      }
    : {
        tone: 'neutral',
        title: 'Verified again: still not verified',
        message: 'Import its hook, or try a secret and URL.',
      }
}

const freshnessWords = {
  fresh: 'Fresh',
  stale: 'Stale',
  future: 'In the future',
  missing: 'No timestamp',
  unknown: 'Age unknown',
} as const

const claimants: Readonly<Partial<Record<Delivery['origin'], string>>> = {
  reported: 'reported time',
  composed: 'time of composing',
}

/** Returns the freshness of an imported or reported delivery, whose time of receipt is a claim. */
function freshnessByClaim(
  { freshness, origin }: Pick<Delivery, 'freshness' | 'origin'>,
  ageMs: number | null,
): string {
  if (freshness === 'unknown') return "Age unknown: the time of receipt wasn't reported."
  const freshnessClaim = `${freshnessWords[freshness]} according to the ${claimants[origin] ?? 'file'}`
  return ageMs === null
    ? `${freshnessClaim}.`
    : `${freshnessClaim}: signed ${duration(ageMs)} ${ageMs < 0 ? 'after' : 'before'} receipt.`
}

const wrongUnitSentences = {
  fresh: `Fresh: within the ${WINDOW}.`,
  stale: `Stale if read as milliseconds: outside the ${WINDOW}.`,
  future: `In the future if read as milliseconds: outside the ${WINDOW}.`,
} as const

/** Returns the freshness in words, with the age if `of` has the signature's report. */
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
  if (ageMs === null) return wrongUnitSentences[freshness]
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
  if (event !== null)
    return { text: event, note: eventSource === null ? 'As chosen' : 'Inferred from the payload' }
  if (eventCandidates.length > 0)
    return {
      text: `possibly ${listed(eventCandidates, 'or')}`,
      note: 'The payload fits each of these events.',
    }
  return { text: 'unknown', note: 'Body matches no known event' }
}

/**
 * Returns the result of the schema check.
 * @param failures Number of schema errors; null if it isn't loaded.
 */
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

/** Returns the origin of an imported, reported or shared delivery; null if it was received here. */
export function originSentence({
  origin,
  verifiedHere,
}: Pick<Delivery, 'origin' | 'verifiedHere'>): string | null {
  if (origin === 'received') return null
  if (origin === 'reported')
    return 'Reported, not received. The signature was verified here; the request was copied from elsewhere.'
  if (origin === 'composed')
    return 'Composed here, not received. It is signed again for each send, and lists leave it out.'
  if (origin === 'shared')
    return 'Shared, re-signed. Personal data and secrets are replaced, and the signature was made again with a throw-away secret.'
  return verifiedHere
    ? 'Imported. The signature was verified here; time of receipt and freshness are from the file.'
    : 'Imported. The verdict and time of receipt are from the file.'
}

export function responseStatusText({
  answer: { status, ms },
  origin,
}: Pick<Delivery, 'answer' | 'origin'>): string {
  if (status !== null) return String(status)
  if (isWritten(origin)) return 'No response here'
  return ms === null ? 'No response yet' : 'Connection dropped'
}
