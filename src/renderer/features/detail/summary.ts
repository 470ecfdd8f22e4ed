/** The sentences about a delivery, without drawing them: verdict, cause and action; other checks; payload facts; signature and origin. */
import { childOf, readJson, type JsonNode } from '../../../shared/json/tree.ts'
import type { Delivery, DeliveryRow, Verdict } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { labelOf } from '../../../shared/model/outcomes.ts'
import {
  prefixEffect,
  prefixSentence,
  trailerSentence,
  type SignatureReport,
} from '../../../shared/model/signature.ts'
import { MAX_ATTEMPTS, NO_RESPONSE_IN_TIME } from '../../../shared/service/limits.ts'
import type { ClosestEvent } from '../../../shared/service/payload.ts'
import { counted, listed } from '../../../shared/text/counted.ts'
import type { Notice } from '../../core-data/act.ts'
import { isAcknowledged } from '../../ui-state/environments.ts'
import { duration, milliseconds, roughly } from '../../ui/moment.ts'
import { answerTone, handlerStatus, verdictStatus, type VerdictTone } from '../../ui/verdict.tsx'

type SummaryKind =
  | 'abandoned'
  | 'malformed'
  | 'unsigned'
  | 'invalid'
  | 'unknown-hook'
  | 'claimed'
  | 'stale'
  | 'future'
  | 'unknown-event'
  | 'schema-errors'
  | 'handler-failed'
  | 'valid'

export type SummaryAction =
  | 'replay-re-signed'
  | 'show-signature'
  | 'show-code'
  | 'try-secret'
  | 'edit-hook-url'
  | 'import-hook'
  | 'show-in-body'
  | 'show-body'
  | 'show-headers'
  | 'show-bytes'
  | 'show-response'
  | 'show-history'
  | 'compare-closest'
  | 'send-sample'
  | 'copy-https-url'
  | 'copy-ca-path'
  | 'use-prefix'

export interface DeliverySummary {
  readonly kind: SummaryKind
  readonly headline: string
  /** A sentence or two; data is between backticks. */
  readonly cause: string
  readonly tone: VerdictTone
  /** The color behind it: red for failures, amber for a wrong time, otherwise none. */
  readonly wash: 'bad' | 'warn' | null
  /** The URL that was signed and the registered one, if they explain the verdict. */
  readonly urls: { readonly signed: string; readonly registered: string } | null
  readonly action: SummaryAction
}

export interface SummaryInput {
  readonly delivery: Pick<
    Delivery,
    | 'malformed'
    | 'firstBytes'
    | 'verdict'
    | 'verifiedHere'
    | 'truncated'
    | 'freshness'
    | 'origin'
    | 'method'
    | 'path'
    | 'event'
    | 'eventCandidates'
    | 'schema'
    | 'handler'
  >
  readonly signature:
    | (Pick<
        SignatureReport,
        'received' | 'timestamp' | 'inTrailer' | 'expected' | 'url' | 'ageMs' | 'diagnosis'
      > &
        Partial<Pick<SignatureReport, 'unknownPrefix'>>)
    | null
  /** The messages of the schema errors; null if they couldn't be loaded. */
  readonly schemaErrors: readonly string[] | null
  readonly hook: (Pick<Hook, 'event' | 'remoteId'> & Partial<Pick<Hook, 'status'>>) | undefined
  readonly closest: ClosestEvent | null
  /** What the handler's response says; null if it says nothing, or isn't loaded yet. */
  readonly handlerWords: string | null
  /** Whether the service gave up: no attempt of the notification was acknowledged. */
  readonly isAbandoned: boolean
  readonly signatureHeader: string
}

/** The delivery's verdict, its cause, and what to do. If several apply, the one that makes the others unimportant. */
export function deliverySummary(input: SummaryInput): DeliverySummary {
  const found = summaryOfOne(input)
  if (!input.isAbandoned) return found
  const isFine = found.kind === 'valid'
  return {
    ...found,
    ...bad('abandoned'),
    headline: `Not acknowledged after ${MAX_ATTEMPTS} attempts`,
    cause: `${isFine ? '' : `${found.headline}. `}After the third failed attempt the service stops. Your system must reconcile another way.`,
    urls: found.urls,
    action: isFine ? 'show-history' : found.action,
  }
}

/** The summary without regard to the other attempts. */
function summaryOfOne(input: SummaryInput): DeliverySummary {
  return (
    troubleOfSignature(input) ??
    unknownEvent(input) ??
    schemaErrors(input) ??
    handlerFailed(input) ??
    signatureSummary(input)
  )
}

function troubleOfSignature(input: SummaryInput): DeliverySummary | null {
  return (
    malformed(input) ??
    claimed(input) ??
    unsigned(input) ??
    invalid(input) ??
    unknownHook(input) ??
    wrongTime(input)
  )
}

/** The verdict with its cause, whatever else is wrong with the delivery. */
export function signatureSummary(input: SummaryInput): DeliverySummary {
  const { delivery } = input
  const trouble = troubleOfSignature(input)
  if (trouble !== null) return trouble
  if (!delivery.verifiedHere) return claim(input)
  const { sentence, tone } = verdictStatus(delivery)
  return {
    ...plain('valid', tone),
    headline: sentence,
    cause: validCause(input),
    action: 'show-signature',
  }
}

/** Whether a row alone tells the headline and its actions. Other headlines need the signature's report or the schema's. */
export function isCertain({ kind }: Pick<DeliverySummary, 'kind'>): boolean {
  return kind === 'valid' || kind === 'handler-failed' || kind === 'malformed'
}

/** A summary before anything but the row is known: the verdict, with a line kept free for the cause. */
export function summaryOfRow(summary: DeliverySummary, row: DeliveryRow): DeliverySummary {
  // Which mistake or which header it was comes with the signature's report.
  const isOpen = summary.kind === 'invalid' || summary.kind === 'unsigned'
  const headline = isOpen ? verdictStatus(row).sentence : summary.headline
  return {
    ...summary,
    headline,
    cause: summary.kind === 'malformed' ? summary.cause : '\u00a0',
    urls: null,
  }
}

const plain = (kind: SummaryKind, tone: VerdictTone) => ({ kind, tone, wash: null, urls: null })
const bad = (kind: SummaryKind) => ({ kind, tone: 'bad', wash: 'bad', urls: null }) as const

/** The first sentence without its full stop, and the rest. */
function split(text: string): readonly [first: string, rest: string] {
  const [, first = text, rest = ''] = /^(.+?)\.(?:\s+(.*))?$/s.exec(text) ?? []
  return [first, rest]
}

function malformed({
  delivery: { malformed: found, firstBytes },
}: SummaryInput): DeliverySummary | null {
  if (found === null) return null
  const [reason, rest] = split(found.reason)
  const bytes = spaced(firstBytes ?? '')
  const received = bytes === '' ? '' : `Received \`${bytes}\``
  const cause = [rest, received === '' ? '' : `${received} first.`, rest === '' ? NOT_READ : '']
  return {
    ...bad('malformed'),
    headline: reason,
    cause: cause.filter((part) => part !== '').join(' '),
    action: /https:\/\//.test(rest)
      ? 'copy-https-url'
      : /ca\.pem/.test(rest)
        ? 'copy-ca-path'
        : 'show-bytes',
  }
}

const NOT_READ = "Countersign couldn't read a request, so nothing was verified."

function spaced(hex: string): string {
  return hex.replaceAll(/\s/g, '').replaceAll(/(..)(?=.)/g, '$1 ')
}

/** A verdict other than valid that only a file claims. A claim of validity doesn't hide problems found here. */
function claimed(input: SummaryInput): DeliverySummary | null {
  const { verdict, verifiedHere } = input.delivery
  return verifiedHere || verdict === 'valid' ? null : claim(input)
}

function claim({ delivery, signature, hook }: SummaryInput): DeliverySummary {
  const claimOnly = { ...plain('claimed', 'quiet'), headline: verdictStatus(delivery).sentence }
  if (signature !== null && (signature.received === null || signature.timestamp === null))
    return {
      ...claimOnly,
      cause: `${missingHeaders(signature)}, so nothing can be verified here.`,
      action: 'show-headers',
    }
  if (delivery.truncated)
    return {
      ...claimOnly,
      cause: 'Not verified here: only the start of the body was kept.',
      action: 'show-signature',
    }
  // A delivery that is valid according to the file was signed for another hook than those known here.
  if (hook === undefined || delivery.verdict === 'valid')
    return {
      ...claimOnly,
      cause: 'Not verified here: no hook has its URL and secret. Import the hook to verify it.',
      action: 'import-hook',
    }
  const likely =
    signature?.diagnosis == null ? '' : ` Likely cause: ${split(signature.diagnosis.message)[0]}.`
  const cause =
    signature?.expected == null
      ? `Not verified here: the ${hook.event} hook's secret isn't stored here.`
      : `The signature doesn't match the ${hook.event} hook's secret here either.${likely}`
  return { ...claimOnly, cause, action: 'show-signature' }
}

function unsigned({
  delivery: { verdict },
  signature,
  signatureHeader,
}: SummaryInput): DeliverySummary | null {
  if (verdict !== 'unsigned') return null
  const unknown = signature?.unknownPrefix ?? null
  if (unknown !== null)
    return {
      ...plain('unsigned', 'quiet'),
      headline: prefixSentence(unknown).replace(/\.$/, ''),
      cause: `If \`${unknown.prefix}\` is your account's, use it in \`${unknown.environment}\`. ${prefixEffect(unknown.prefix, 'then')} Stored deliveries are judged again.`,
      action: 'use-prefix',
    }
  const headline = missingHeaders(signature ?? { received: null, timestamp: null })
  const timestampHeader = signatureHeader.replace(/signature$/, 'timestamp')
  const missing =
    headline === 'No signature header'
      ? `\`${signatureHeader}\` is`
      : headline === 'No timestamp header'
        ? `\`${timestampHeader}\` is`
        : `\`${signatureHeader}\` and \`${timestampHeader}\` are`
  return {
    ...plain('unsigned', 'quiet'),
    headline,
    cause:
      trailerSentence(signature?.inTrailer ?? []) ??
      `${missing} missing, so nothing can be verified. Check the sender's signing step.`,
    action: 'send-sample',
  }
}

/** An invalid signature that no known mistake explains: headline and cause. */
function unexplained({ delivery, signature }: SummaryInput): readonly [string, string] {
  const noMatch = "Signature doesn't match this hook's secret"
  if (delivery.truncated) return [noMatch, 'Cause unknown: only the start of the body was kept.']
  if (signature?.expected === null) return ['No secret to verify with', "Add the hook's secret."]
  return [
    noMatch,
    'No known mistake explains the difference. Check whether the body changed on the way or the sender uses another secret.',
  ]
}

function invalid(input: SummaryInput): DeliverySummary | null {
  const { delivery, signature, hook } = input
  if (delivery.verdict !== 'invalid') return null
  const diagnosis = signature?.diagnosis ?? null
  if (diagnosis === null) {
    const [headline, cause] = unexplained(input)
    return { ...bad('invalid'), headline, cause, action: 'try-secret' }
  }
  const { signedUrl } = diagnosis
  const [headline, rest] = split(diagnosis.message.replace(` (${signedUrl})`, ''))
  const registered = signature?.url ?? null
  const isOther = signedUrl !== null && registered !== null
  // Only a complete URL can be registered; a sender that signs a part of it has to change.
  const canRegister = isOther && /^https?:\/\/./i.test(signedUrl) && URL.canParse(signedUrl)
  return {
    ...bad('invalid'),
    headline,
    cause: rest === '' ? diagnosis.fix : `${rest} ${diagnosis.fix}`,
    urls: isOther ? { signed: signedUrl, registered } : null,
    action: canRegister ? (isChangeable(hook) ? 'edit-hook-url' : 'import-hook') : 'show-code',
  }
}

/** Whether the hook's URL can be changed at the service. */
function isChangeable(hook: SummaryInput['hook']): boolean {
  return (
    hook !== undefined &&
    hook.remoteId !== null &&
    hook.status !== 'deleted' &&
    hook.status !== 'gone'
  )
}

function unknownHook({
  delivery: { verdict, method, path },
}: SummaryInput): DeliverySummary | null {
  if (verdict !== 'unknown-hook') return null
  return {
    ...plain('unknown-hook', 'quiet'),
    headline: 'No hook for this path',
    cause: `\`${`${method ?? ''} ${path ?? ''}`.trim()}\` matches no hook's path, and the signature matches no known secret.`,
    action: 'import-hook',
  }
}

/** A length of time in words: `10 minutes`, `3 hours`, `12 days`. */
function roughWords(ms: number): string {
  const { count, unit } = roughly(ms)
  return counted(count, unit)
}

function wrongTime({
  delivery: { freshness, verifiedHere },
  signature,
}: SummaryInput): DeliverySummary | null {
  // Both times of an unverified import are the file's claims.
  if (!verifiedHere) return null
  const unit = signature?.diagnosis ?? null
  const status = (kind: 'stale' | 'future') =>
    ({ kind, tone: 'warn', wash: 'warn', urls: null }) as const
  if (unit !== null && freshness !== 'fresh')
    return {
      ...status(freshness === 'future' ? 'future' : 'stale'),
      headline: split(unit.message)[0].replace(/;.*/s, ''),
      cause: `Valid signature. ${unit.fix}`,
      action: 'show-headers',
    }
  const age = signature?.ageMs ?? null
  if (freshness === 'stale')
    return {
      ...status('stale'),
      headline: age === null ? 'Stale' : `Signed ${roughWords(age)} before receipt`,
      cause:
        'Valid signature, older than 5 minutes. Handlers with replay protection reject old deliveries.',
      action: 'replay-re-signed',
    }
  if (freshness === 'future')
    return {
      ...status('future'),
      headline: age === null ? 'Signed in the future' : `Signed ${roughWords(age)} in the future`,
      cause: "Valid signature, more than 5 minutes ahead. Check the sender's clock.",
      action: 'show-headers',
    }
  return null
}

function isValidSentence(verifiedHere: boolean): string {
  return verifiedHere ? 'The signature is valid.' : 'Valid according to the file.'
}

/** Neither known nor one of several possible events. */
function isUnknownEvent({
  event,
  eventCandidates,
}: Pick<DeliveryRow, 'event' | 'eventCandidates'>): boolean {
  return event === null && eventCandidates.length === 0
}

function unknownEvent({
  delivery,
  schemaErrors: errors,
  closest,
}: SummaryInput): DeliverySummary | null {
  if (!isUnknownEvent(delivery)) return null
  const valid = isValidSentence(delivery.verifiedHere)
  const [reason = ''] = errors ?? []
  return {
    ...plain('unknown-event', 'quiet'),
    headline: 'Body matches no known event',
    cause:
      closest === null
        ? `${valid} ${delivery.schema === 'not-json' ? (reason === '' ? "The body isn't JSON." : reason) : 'The body shares no fields with any event.'}`
        : `${valid} Closest match: ${closest.event}, ${closest.found} of ${closest.required} fields.`,
    action: closest === null ? 'show-body' : 'compare-closest',
  }
}

function schemaErrors({ delivery, schemaErrors: errors }: SummaryInput): DeliverySummary | null {
  if (delivery.schema !== 'issues' && delivery.schema !== 'not-json') return null
  const [first] = errors ?? []
  const more = (errors?.length ?? 0) - 1
  const valid = isValidSentence(delivery.verifiedHere)
  return {
    ...bad('schema-errors'),
    headline:
      delivery.schema === 'not-json'
        ? "Body isn't JSON"
        : schemaSentence(delivery, errors?.length ?? null),
    cause:
      first === undefined
        ? valid
        : more > 0
          ? `${valid} ${first.replace(/\.$/, '')}, and ${more} more.`
          : `${valid} ${first}`,
    action: 'show-in-body',
  }
}

function handlerFailed({
  delivery: { handler, verifiedHere, ...delivery },
  handlerWords,
}: SummaryInput): DeliverySummary | null {
  if (handler?.outcome !== 'failing') return null
  const { from } = handlerStatus({ ...delivery, handler })
  const { status, timedOut, ms } = handler
  const after = ms === null ? '' : ` after \`${milliseconds(ms)} ms\``
  const happened =
    status !== null
      ? `${from} returned ${handlerWords ?? status}${after}`
      : timedOut
        ? `${labelOf({ word: NO_RESPONSE_IN_TIME })} from ${from}`
        : `No response from ${from}${after}`
  return {
    ...bad('handler-failed'),
    headline:
      status !== null
        ? `Your handler returned ${status}`
        : timedOut
          ? 'Your handler timed out'
          : "Your handler didn't respond",
    cause: `${isValidSentence(verifiedHere)} ${happened}.`,
    action: 'show-response',
  }
}

function validCause({ delivery: { schema }, signature, hook }: SummaryInput): string {
  const age = signature?.ageMs ?? null
  const secret = hook === undefined ? 'a known secret' : `the ${hook.event} hook's secret`
  const when =
    age === null
      ? ''
      : Math.round(age) === 0
        ? ' at receipt'
        : `, ${duration(age)} ${age < 0 ? 'ahead of' : 'before'} receipt`
  return `Signed with ${secret}${when}.${schema === 'ok' ? ' No schema errors.' : ''}`
}

export interface ShownCheck {
  readonly tone: VerdictTone
  readonly text: string
}

/** The checks that the headline doesn't mention: passed ones, claims of a file, and further failures. */
export function checksOf(
  { kind }: Pick<DeliverySummary, 'kind'>,
  delivery: SummaryInput['delivery'],
  signature: (SummaryInput['signature'] & Partial<Pick<SignatureReport, 'freshness'>>) | null,
  errors: number | null,
): readonly ShownCheck[] {
  const { verdict, malformed: unread, verifiedHere, freshness, origin, schema } = delivery
  if (unread !== null) return []
  const checks: ShownCheck[] = []
  const isHeadline = (...kinds: readonly SummaryKind[]) => kinds.includes(kind)
  if (verdict === 'valid' && !isHeadline('valid', 'claimed'))
    checks.push(
      verifiedHere
        ? { tone: 'ok', text: 'Signature valid' }
        : { tone: 'quiet', text: 'Signature valid according to the file' },
    )
  if (verdict !== 'unsigned' && freshness !== 'missing' && !isHeadline('stale', 'future'))
    checks.push({
      tone: origin !== 'received' ? 'quiet' : freshness === 'fresh' ? 'ok' : 'warn',
      text: split(freshnessSentence({ freshness, ...signature }, origin))[0].replace(
        /, (?:with|out)(?:in|side) the [^]*$/,
        '',
      ),
    })
  if (!isHeadline('schema-errors') && !(isUnknownEvent(delivery) && isHeadline('unknown-event')))
    checks.push({
      tone: schema === 'ok' ? 'ok' : schema === 'unknown' ? 'quiet' : 'bad',
      text: schema === 'not-json' ? "Body isn't JSON" : schemaSentence(delivery, errors),
    })
  return checks
}

/** What the payload is about. Amounts are as sent; anything may be missing. */
export interface PayloadFacts {
  readonly amount: string | null
  readonly currency: string | null
  readonly merchant: string | null
  readonly scheme: string | null
  readonly lastNumbers: string | null
}

/** Reads the facts from a body: a transaction, a card, a brand, a location or a program. Null if it isn't a JSON object. */
export function payloadFacts(bytes: Uint8Array): PayloadFacts | null {
  const root = readJson(new TextDecoder().decode(bytes))
  if (root?.kind !== 'object') return null
  const at = (...path: readonly string[]) => path.reduce<JsonNode | null>(childOf, root)
  const text = (...path: readonly string[]) => at(...path)?.string || null
  const amount = at('amount')
  const isBrand = at('logoURL') !== null
  const card = at('card') === null ? [] : ['card']
  return {
    amount: amount?.kind === 'number' ? amount.raw : null,
    currency: text('currency'),
    merchant: text('brand', 'name') ?? (isBrand ? text('name') : null),
    scheme: text(...card, 'scheme'),
    lastNumbers: text(...card, 'lastNumbers'),
  }
}

/** The facts that a row has; null without an amount and a merchant, because the cells that follow would then move. */
export function factsOfRow({ amount, currency, merchant }: DeliveryRow): PayloadFacts | null {
  if (amount === null || merchant === null) return null
  return { amount, currency, merchant, scheme: '\u00a0', lastNumbers: null }
}

/** Fields that error responses put their message in. */
const MESSAGE_FIELDS = [
  'message',
  'error',
  'detail',
  'title',
  'reason',
  'error_description',
] as const
const LONGEST_WORDS = 80

/** What a response says, in quotation marks: the message of a JSON error, or the first line of its text; null if it says nothing. */
export function responseMessage(bytes: Uint8Array): string | null {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, 4_096)).trim()
  } catch {
    // Binary, or cut inside a character.
    return null
  }
  const root = readJson(text)
  const fields = MESSAGE_FIELDS.map((name) => childOf(root, name))
  const nested = fields.flatMap((field) => MESSAGE_FIELDS.map((name) => childOf(field, name)))
  const found = [root, ...fields, ...nested].find((node) => node?.kind === 'string')
  const said = root === null ? text : (found?.string ?? '')
  const line = said.trim().split(/\r?\n/)[0] ?? ''
  if (line === '' || line.startsWith('<')) return null
  return `"${line.length > LONGEST_WORDS ? `${line.slice(0, LONGEST_WORDS)}…` : line}"`
}

/** What follows our own response, and its color. Green only if it acknowledges, and only if it was sent from here. */
export function responseStatus(
  delivery: Pick<Delivery, 'answer' | 'attempt' | 'origin' | 'malformed' | 'verdict'>,
  rule: Environment['ack'],
): { readonly tone: VerdictTone; readonly note: string } {
  const { answer, attempt, origin, malformed: unread } = delivery
  const acknowledged = isAcknowledged(answer, rule)
  if (origin === 'reported') return { tone: 'quiet', note: 'Reported, not received' }
  if (origin !== 'received') return { tone: 'quiet', note: 'According to the file' }
  if (unread !== null) return { tone: 'quiet', note: 'Malformed requests are rejected' }
  if (acknowledged === null) return { tone: 'quiet', note: 'The service waits 20 seconds' }
  // Green would read as if we had accepted it.
  if (acknowledged && delivery.verdict !== 'valid') return { tone: 'quiet', note: 'Recorded only' }
  if (acknowledged) return { tone: 'ok', note: 'No retry expected' }
  const tone = answerTone(delivery, rule)
  return {
    tone,
    note: attempt >= MAX_ATTEMPTS ? 'Last attempt: the service stops' : 'The service retries',
  }
}

// Sentences of single facts.

/** The replay window of the spec: an older timestamp is stale, one further ahead is in the future (spec 5.2). */
const WINDOW = '5-minute window'

const NO_HEADERS = 'No signature or timestamp header'

export interface Explanation {
  readonly message: string
  readonly fix: string
  /** Names of the mistakes, as in `docs/diagnosis.md`. */
  readonly causes: readonly string[]
}

/** The missing headers of an unsigned request: `No timestamp header`. */
export function missingHeaders({
  received,
  timestamp,
}: Pick<SignatureReport, 'received' | 'timestamp'>): string {
  if (received === null && timestamp === null) return NO_HEADERS
  return received === null ? 'No signature header' : 'No timestamp header'
}

/** The result of verifying again. The original verdict never changes. */
export function againNotice(
  before: Verdict,
  { verdict, verifiedHere }: SignatureReport,
  hook: Hook | undefined,
): Notice {
  const how = verdict === before ? 'still' : 'now'
  const found = verdict === 'unknown-hook' ? 'without a matching hook' : verdict
  const by =
    how === 'now' && verdict === 'valid' && hook !== undefined
      ? `Signed with the ${hook.event} hook's secret. `
      : ''
  return verifiedHere
    ? {
        tone: verdict === 'valid' ? 'ok' : 'neutral',
        title: `Verified again: ${how} ${found}`,
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

/** For an imported or reported delivery, time of receipt and freshness are claims. */
function freshnessByClaim(
  { freshness, origin }: Pick<Delivery, 'freshness' | 'origin'>,
  ageMs: number | null,
): string {
  if (freshness === 'unknown') return "Age unknown: the time of receipt wasn't reported."
  const said = `${freshnessWords[freshness]} according to the ${origin === 'reported' ? 'reported time' : 'file'}`
  return ageMs === null
    ? `${said}.`
    : `${said}: signed ${duration(ageMs)} ${ageMs < 0 ? 'after' : 'before'} receipt.`
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
