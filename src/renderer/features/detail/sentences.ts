/** What a delivery is, said in sentences. */
import type { Delivery, Verdict } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { trailerSentence, type SignatureReport } from '../../../shared/model/signature.ts'
import { isAcknowledged } from '../../state/acknowledgement.ts'
import { duration, ordinal } from '../../ui/moment.ts'

/** The window of the interface: older or further ahead is stale or in the future (section 5.2). */
const WINDOW = '5-minute window'

const sentencesOfFile: Readonly<Record<Verdict, string>> = {
  valid: 'Valid according to the file. Not verified here: no known hook has its URL and secret.',
  invalid: 'Invalid according to the file. Not verified here.',
  unsigned: 'Unsigned according to the file. Not verified here.',
  'unknown-hook': 'Unknown hook according to the file. Not verified here.',
}

export function verdictSentence(
  { verdict, malformed, verifiedHere }: Pick<Delivery, 'verdict' | 'malformed' | 'verifiedHere'>,
  hook: Hook | undefined,
  report: Pick<SignatureReport, 'received' | 'timestamp' | 'inTrailer'> | null,
): string {
  if (!verifiedHere && malformed === null) return sentencesOfFile[verdict]
  if (malformed !== null) return 'The request was not well-formed, so there was nothing to check.'
  switch (verdict) {
    case 'valid':
      return hook === undefined
        ? 'A known secret proves this signature.'
        : `The secret of the hook for ${hook.event} proves this signature.`
    case 'invalid':
      return 'A hook has this path, but its secret does not give this signature.'
    case 'unsigned':
      return (
        trailerSentence(report?.inTrailer ?? []) ??
        `${report === null ? 'No signature or timestamp' : missingHeaders(report)}, so nothing proves who sent this.`
      )
    case 'unknown-hook':
      return 'It is signed, but no hook has this path and no known secret gives this signature.'
  }
}

/** What an unsigned request lacks, as the beginning of a sentence: `No timestamp header`. */
export function missingHeaders({ received, timestamp }: Pick<SignatureReport, 'received' | 'timestamp'>): string {
  if (received === null && timestamp === null) return 'No signature header and no timestamp header'
  return received === null ? 'No signature header' : 'No timestamp header'
}

/** What verifying once more says, beside the verdict that was given at receipt. */
export function againSentence(before: Verdict, { verdict, verifiedHere }: SignatureReport, hook: Hook | undefined): string {
  if (!verifiedHere) return 'still not verified. Import its hook, or try a secret and a URL below.'
  if (verdict === 'valid')
    return before === 'valid'
      ? 'still valid.'
      : `valid now${hook === undefined ? '' : `: the secret of the hook for ${hook.event} proves it`}. The verdict of its receipt stays.`
  if (verdict === before) return `still ${verdict === 'unknown-hook' ? 'for no known hook' : verdict}.`
  return `${verdict === 'unknown-hook' ? 'no known hook has this path any more' : `${verdict} now`}. The verdict of its receipt stays.`
}

const freshnessWords = { fresh: 'Fresh', stale: 'Stale', future: 'In the future', missing: 'No timestamp' } as const

/** Of an imported delivery: its time of receipt is the file's claim, and so is its freshness. */
function freshnessByFile(freshness: Delivery['freshness'], ageMs: number | null): string {
  const claim = `${freshnessWords[freshness]} according to the file`
  return ageMs === null
    ? `${claim}.`
    : `${claim}: signed ${duration(ageMs)} ${ageMs < 0 ? 'after' : 'before'} its time of receipt.`
}

const outsideMilliseconds = {
  fresh: `Fresh: inside the ${WINDOW}.`,
  stale: `Stale if read as milliseconds: outside the ${WINDOW}.`,
  future: `In the future if read as milliseconds: outside the ${WINDOW}.`,
} as const

/** Without a report only the freshness is known. A timestamp in another unit than milliseconds has no age to name. */
export function freshnessSentence(
  of: Pick<Delivery, 'freshness'> & Partial<Pick<SignatureReport, 'ageMs' | 'timestamp' | 'inTrailer'>>,
  origin: Delivery['origin'] = 'received',
): string {
  const { freshness, timestamp, ageMs = null } = of
  if (origin !== 'received') return freshnessByFile(freshness, ageMs)
  if (freshness === 'missing' && of.inTrailer?.includes('timestamp') === true) return 'No timestamp: it was sent as a trailer.'
  if (freshness === 'missing')
    return timestamp === null ? 'No timestamp header.' : 'Age unknown: no timestamp header in milliseconds.'
  if (ageMs === null) return outsideMilliseconds[freshness]
  if (Math.round(ageMs) === 0) return `Fresh: signed at the moment of receipt, inside the ${WINDOW}.`
  const age = duration(ageMs)
  switch (freshness) {
    case 'fresh':
      return ageMs < 0
        ? `Fresh: signed ${age} ahead of receipt, inside the ${WINDOW}.`
        : `Fresh: signed ${age} before receipt, inside the ${WINDOW}.`
    case 'stale':
      return `Stale: signed ${age} before receipt, outside the ${WINDOW}. A handler with replay protection refuses it.`
    case 'future':
      return `In the future: signed ${age} ahead of receipt, outside the ${WINDOW}. Compare the clocks of both sides.`
  }
}

export function eventSentence({
  event,
  eventSource,
  eventCandidates,
  verifiedHere,
}: Pick<Delivery, 'event' | 'eventSource' | 'eventCandidates' | 'verifiedHere'>): { text: string; note: string } {
  if (event !== null && eventSource === 'hook' && !verifiedHere) return { text: event, note: 'According to the file.' }
  if (event !== null && eventSource === 'hook')
    return { text: event, note: 'Proved: the secret that verifies belongs to a hook for this event.' }
  if (event !== null) return { text: event, note: 'Guessed from the shape of the body: no secret proves it.' }
  if (eventCandidates.length > 0)
    return {
      text: `possible ${eventCandidates.join(' or ')}`,
      note: 'The body fits each of these events, and no hook secret identifies which.',
    }
  return { text: 'unknown', note: 'Body not recognized as a known event.' }
}

export function schemaSentence({ schema, event }: Pick<Delivery, 'schema' | 'event'>): string {
  switch (schema) {
    case 'ok':
      return 'It has the fields that the interface lists for its event.'
    case 'issues':
      return 'A field that the interface lists is missing, or has another type.'
    case 'not-json':
      return 'It is not JSON.'
    case 'unknown':
      return event === null ? 'Not checked: unknown event.' : 'Not checked.'
  }
}

/** Where an imported delivery is from; null for one that was received here. */
export function originSentence({ origin, verifiedHere }: Pick<Delivery, 'origin' | 'verifiedHere'>): string | null {
  if (origin === 'received') return null
  return verifiedHere
    ? 'Imported from a file. The signature was verified here; the time of receipt and the freshness are the file’s.'
    : 'Imported from a file. The verdict and the time of receipt are the file’s.'
}

export function attemptSentence({ attempt, duplicateOf }: Pick<Delivery, 'attempt' | 'duplicateOf'>): string {
  if (duplicateOf !== null) return 'A duplicate: the same notification had been acknowledged before.'
  return attempt === 1
    ? 'The first of its notification.'
    : `The ${ordinal(attempt)} of its notification: the one before was not acknowledged.`
}

export function answerWords({ status, ms }: Delivery['answer']): string {
  if (status !== null) return String(status)
  return ms === null ? 'Not answered yet' : 'Connection dropped'
}

export function answerSentence({ answer }: Pick<Delivery, 'answer'>, rule: Environment['ack']): string {
  if (answer.status === null && answer.ms === null) return 'The service waits for 20 s, then counts it as a failure.'
  if (answer.status === null) return 'The service counts this as a failure and tries again.'
  return isAcknowledged(answer, rule) === true
    ? 'The service takes this as received.'
    : `The service counts anything but ${rule === '200' ? '200' : 'a 2xx'} as a failure, and tries again.`
}
