/** What the Overview says about a delivery, without drawing it: the verdict with its cause and actions, other checks, payload facts. */
import {
  memberOf,
  readJson,
  stringOf,
  textOf,
  type JsonNode,
  createInterner,
} from '../../../shared/json/document.ts'
import type { Delivery, DeliveryRow } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { labelOf } from '../../../shared/model/outcomes.ts'
import {
  prefixSentence,
  trailerSentence,
  type SignatureReport,
} from '../../../shared/model/signature.ts'
import { MAX_ATTEMPTS, NO_RESPONSE_IN_TIME } from '../../../shared/service/limits.ts'
import type { ClosestEvent } from '../../../shared/service/payload.ts'
import { counted } from '../../../shared/text/counted.ts'
import { isAcknowledged } from '../../state/acknowledgement.ts'
import { duration, milliseconds } from '../../ui/moment.ts'
import { answerTone, handlerLook, verdictLook, type VerdictTone } from '../../ui/verdict.tsx'
import { explanationOf, freshnessSentence, missingHeaders, schemaSentence } from './sentences.ts'

type SummaryKind =
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
  | 'replay'
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
  | 'compare-previous'
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
  /** The main action and the next best. */
  readonly actions: readonly [SummaryAction, SummaryAction]
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
  /** Whether there is an earlier delivery to compare with. */
  readonly hasPrevious: boolean
  /** The name of the signature header in the delivery's environment. */
  readonly signatureHeader: string
}

/** The delivery's verdict, its cause, and what to do. If several apply, the one that makes the others unimportant. */
export function deliverySummary(input: SummaryInput): DeliverySummary {
  const { delivery, closest } = input
  const found =
    malformed(input) ??
    claimed(input) ??
    unsigned(input) ??
    invalid(input) ??
    unknownHook(input) ??
    wrongTime(input) ??
    unknownEvent(input, closest) ??
    schemaErrors(input) ??
    handlerFailed(input)
  if (found !== null) return found
  if (!delivery.verifiedHere) return claim(input)
  const { sentence, tone } = verdictLook(delivery)
  return {
    ...plain('valid', tone),
    headline: sentence,
    cause: validCause(input),
    actions: ['replay', 'show-signature'],
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
  const headline = isOpen ? verdictLook(row).sentence : summary.headline
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

const THEN_SAMPLE = ['show-bytes', 'send-sample'] as const

function malformed({
  delivery: { malformed: found, firstBytes },
}: SummaryInput): DeliverySummary | null {
  if (found === null) return null
  const [reason, rest] = split(found.reason)
  const bytes = spaced(firstBytes ?? '')
  const received = bytes === '' ? '' : `Received \`${bytes}\``
  const actions = /https:\/\//.test(rest)
    ? (['copy-https-url', 'show-bytes'] as const)
    : /ca\.pem/.test(rest)
      ? (['copy-ca-path', 'show-bytes'] as const)
      : THEN_SAMPLE
  const cause = [rest, received === '' ? '' : `${received} first.`, rest === '' ? NOT_READ : '']
  return {
    ...bad('malformed'),
    headline: reason,
    cause: cause.filter((part) => part !== '').join(' '),
    actions,
  }
}

const NOT_READ = "Countersign couldn't read a request, so nothing was verified."

/** Bytes in hex, separated by spaces. */
function spaced(hex: string): string {
  return hex.replaceAll(/\s/g, '').replaceAll(/(..)(?=.)/g, '$1 ')
}

/** A verdict other than valid that only a file claims. A claim of validity doesn't hide problems found here. */
function claimed(input: SummaryInput): DeliverySummary | null {
  const { verdict, verifiedHere } = input.delivery
  return verifiedHere || verdict === 'valid' ? null : claim(input)
}

function claim({ delivery, signature, hook }: SummaryInput): DeliverySummary {
  const claimOnly = { ...plain('claimed', 'quiet'), headline: verdictLook(delivery).sentence }
  if (signature !== null && (signature.received === null || signature.timestamp === null))
    return {
      ...claimOnly,
      cause: `${missingHeaders(signature)}, so nothing can be verified here.`,
      actions: ['show-headers', 'show-signature'],
    }
  if (delivery.truncated)
    return {
      ...claimOnly,
      cause: 'Not verified here: only the start of the body was kept.',
      actions: ['show-signature', 'show-headers'],
    }
  // A delivery that is valid according to the file was signed for another hook than those known here.
  if (hook === undefined || delivery.verdict === 'valid')
    return {
      ...claimOnly,
      cause: 'Not verified here: no hook has its URL and secret. Import the hook to verify it.',
      actions: ['import-hook', 'show-signature'],
    }
  const likely =
    signature?.diagnosis == null ? '' : ` Likely cause: ${split(signature.diagnosis.message)[0]}.`
  const cause =
    signature?.expected == null
      ? `Not verified here: the ${hook.event} hook's secret isn't stored here.`
      : `The signature doesn't match the ${hook.event} hook's secret here either.${likely}`
  return { ...claimOnly, cause, actions: ['show-signature', 'try-secret'] }
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
      cause: `If \`${unknown.prefix}\` is your account's, use it in \`${unknown.environment}\`. Stored deliveries are then judged again.`,
      actions: ['use-prefix', 'show-headers'],
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
    actions: ['send-sample', 'show-headers'],
  }
}

const UNEXPLAINED =
  'No known mistake explains the difference. Check whether the body changed on the way or the sender uses another secret.'

function invalid({ delivery, signature, hook }: SummaryInput): DeliverySummary | null {
  if (delivery.verdict !== 'invalid') return null
  const diagnosis = signature?.diagnosis ?? null
  if (diagnosis === null) {
    const { message, fix } = explanationOf(delivery, signature) ?? { message: '', fix: '' }
    const isUnexplained = message === '' || (!delivery.truncated && signature?.expected !== null)
    return {
      ...bad('invalid'),
      headline: message === '' ? "Signature doesn't match this hook's secret" : split(message)[0],
      cause: isUnexplained ? UNEXPLAINED : fix.replace(', or try one below', ''),
      actions: ['try-secret', 'show-signature'],
    }
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
    actions: [
      canRegister
        ? hook === undefined ||
          hook.remoteId === null ||
          hook.status === 'deleted' ||
          hook.status === 'gone'
          ? 'import-hook'
          : 'edit-hook-url'
        : 'show-code',
      'show-signature',
    ],
  }
}

function unknownHook({
  delivery: { verdict, method, path },
}: SummaryInput): DeliverySummary | null {
  if (verdict !== 'unknown-hook') return null
  return {
    ...plain('unknown-hook', 'quiet'),
    headline: 'No hook for this path',
    cause: `\`${`${method ?? ''} ${path ?? ''}`.trim()}\` matches no hook's path, and the signature matches no known secret.`,
    actions: ['import-hook', 'show-signature'],
  }
}

/** A length of time in words, as exact as a headline needs: `10 minutes`, `3 hours`, `12 days`. */
function roughly(ms: number): string {
  const minutes = Math.floor(Math.abs(ms) / 60_000)
  if (minutes < 120) return counted(Math.max(1, minutes), 'minute')
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? counted(hours, 'hour') : counted(Math.floor(hours / 24), 'day')
}

function wrongTime({
  delivery: { freshness, verifiedHere },
  signature,
}: SummaryInput): DeliverySummary | null {
  // Both times of an unverified import are the file's claims.
  if (!verifiedHere) return null
  const unit = signature?.diagnosis ?? null
  const look = (kind: 'stale' | 'future') =>
    ({ kind, tone: 'warn', wash: 'warn', urls: null }) as const
  if (unit !== null && freshness !== 'fresh')
    return {
      ...look(freshness === 'future' ? 'future' : 'stale'),
      headline: split(unit.message)[0].replace(/;.*/s, ''),
      cause: `Valid signature. ${unit.fix}`,
      actions: ['show-headers', 'show-signature'],
    }
  const age = signature?.ageMs ?? null
  if (freshness === 'stale')
    return {
      ...look('stale'),
      headline: age === null ? 'Stale' : `Signed ${roughly(age)} before receipt`,
      cause:
        'Valid signature, older than 5 minutes. Handlers with replay protection reject old deliveries.',
      actions: ['replay-re-signed', 'show-signature'],
    }
  if (freshness === 'future')
    return {
      ...look('future'),
      headline: age === null ? 'Signed in the future' : `Signed ${roughly(age)} in the future`,
      cause: "Valid signature, more than 5 minutes ahead. Check the sender's clock.",
      actions: ['show-headers', 'replay-re-signed'],
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

function unknownEvent(
  { delivery, schemaErrors: errors }: SummaryInput,
  closest: ClosestEvent | null,
): DeliverySummary | null {
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
    actions: closest === null ? ['show-body', 'show-signature'] : ['compare-closest', 'show-body'],
  }
}

function schemaErrors({
  delivery,
  schemaErrors: errors,
  hasPrevious,
}: SummaryInput): DeliverySummary | null {
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
    actions: ['show-in-body', hasPrevious ? 'compare-previous' : 'show-signature'],
  }
}

function handlerFailed({
  delivery: { handler, verifiedHere, ...delivery },
  handlerWords,
}: SummaryInput): DeliverySummary | null {
  if (handler?.outcome !== 'failing') return null
  const { from } = handlerLook({ ...delivery, handler })
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
    actions: ['replay', 'show-response'],
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
        /, (?:with|out)(?:in|side) the .*$/,
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
  /** The time of the purchase as sent, without a time zone. */
  readonly paidAt: string | null
  readonly merchant: string | null
  readonly address: string | null
  readonly scheme: string | null
  readonly firstNumbers: string | null
  readonly lastNumbers: string | null
}

/** Reads the facts from a body: a transaction, a card, a brand, a location or a program. Null if it isn't a JSON object. */
export function payloadFacts(bytes: Uint8Array): PayloadFacts | null {
  const document = readJson(new TextDecoder().decode(bytes), createInterner())
  if (document?.root.kind !== 'object') return null
  const { root } = document
  const at = (...path: readonly string[]) =>
    path.reduce<JsonNode | null>((node, name) => memberOf(node, name), root)
  const text = (...path: readonly string[]) => {
    const node = at(...path)
    const found = node === null ? null : stringOf(document, node)
    return found === '' ? null : found
  }
  const amount = at('amount')
  const isBrand = at('logoURL') !== null
  const location = at('location') === null ? [] : ['location']
  const card = at('card') === null ? [] : ['card']
  const address = [
    text(...location, 'address'),
    [text(...location, 'city'), text(...location, 'postcode')].filter(Boolean).join(' '),
  ]
  return {
    amount: amount?.kind === 'number' ? textOf(document, amount) : null,
    currency: text('currency'),
    paidAt: text('datetime'),
    merchant: text('brand', 'name') ?? (isBrand ? text('name') : null),
    address: address.filter(Boolean).join(', ') || null,
    scheme: text(...card, 'scheme'),
    firstNumbers: text(...card, 'firstNumbers'),
    lastNumbers: text(...card, 'lastNumbers'),
  }
}

/** The facts that a row has; null without an amount and a merchant, because the cells that follow would then move. */
export function factsOfRow({ amount, currency, merchant }: DeliveryRow): PayloadFacts | null {
  if (amount === null || merchant === null) return null
  const later = '\u00a0'
  return {
    amount,
    currency,
    merchant,
    paidAt: null,
    address: later,
    scheme: later,
    firstNumbers: null,
    lastNumbers: null,
  }
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
  const document = readJson(text, createInterner())
  const fields =
    document === null ? [] : MESSAGE_FIELDS.map((name) => memberOf(document.root, name))
  const nested = fields.flatMap((field) => MESSAGE_FIELDS.map((name) => memberOf(field, name)))
  const found =
    document === null
      ? undefined
      : [document.root, ...fields, ...nested].find((node) => node?.kind === 'string')
  const said =
    document !== null && found != null
      ? (stringOf(document, found) ?? '')
      : document === null
        ? text
        : ''
  const line = said.trim().split(/\r?\n/)[0] ?? ''
  if (line === '' || line.startsWith('<')) return null
  return `"${line.length > LONGEST_WORDS ? `${line.slice(0, LONGEST_WORDS)}…` : line}"`
}

/** What follows our own response, and its color. Green only if it acknowledges, and only if it was sent from here. */
export function respondedLook(
  delivery: Pick<Delivery, 'answer' | 'attempt' | 'origin' | 'malformed'>,
  rule: Environment['ack'],
): { readonly tone: VerdictTone; readonly note: string } {
  const { answer, attempt, origin, malformed: unread } = delivery
  const acknowledged = isAcknowledged(answer, rule)
  if (origin === 'reported') return { tone: 'quiet', note: 'Reported, not received.' }
  if (origin !== 'received') return { tone: 'quiet', note: 'According to the file.' }
  if (unread !== null) return { tone: 'quiet', note: 'Malformed requests are rejected.' }
  if (acknowledged === null) return { tone: 'quiet', note: 'The service waits 20 seconds.' }
  if (acknowledged) return { tone: 'ok', note: 'No retry expected.' }
  const tone = answerTone(delivery, rule)
  return {
    tone,
    note: attempt >= MAX_ATTEMPTS ? 'Last attempt: the service stops.' : 'The service retries.',
  }
}
