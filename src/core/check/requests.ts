/**
 * Builds the requests of the handler check: time, secret, and how a request differs from a valid
 * one. Anything a case doesn't change follows section 4.4 of the spec.
 */
import type { KeyObject } from 'node:crypto'
import type { Literals } from '../../shared/body/json-literals.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type {
  CheckCase,
  CheckExchange,
  CheckFinding,
  CheckSettings,
} from '../../shared/model/check.ts'
import { isTransactionEvent, type ShownEventType } from '../../shared/service/event-type.ts'
import { headerNames } from '../../shared/service/header-rules.ts'
import type { Section } from '../../shared/service/hook-finding.ts'
import { signerOf, type EventSigner } from '../hooks/event-signers.ts'
import type { Pacer } from '../outgoing/send.ts'
import type { DiagnosisInput } from '../signature/diagnosis/mismatch.ts'
import { likelyMistakes, type Mistaken } from '../signature/diagnosis/search.ts'
import { deliveryHeaders } from '../signature/signature-headers.ts'
import { signDelivery, type Signature } from '../signature/sign.ts'
import { messageIdOf, withLiterals, type CheckPayload, type Payloads } from './payloads.ts'

/** A request ready to send: signed, with its headers in order. */
export interface CheckRequest {
  readonly label: string
  readonly method: string
  readonly headers: RawHeaders
  readonly body: Uint8Array
  readonly signedUrl: string
  /** Whether to send half of the body at once and the rest after a pause. */
  readonly halting: boolean
}

interface RequestMismatch {
  readonly label?: string
  readonly method?: string
  /** The URL to sign instead of the registered URL. */
  readonly signedUrl?: string
  readonly key?: KeyObject
  /** Age of the signature in milliseconds; negative for the future. */
  readonly age?: number
  /** Timestamp header, which is also signed. */
  readonly timestamp?: string
  /** Signature header, computed from the valid one. */
  signature?(genuine: Signature): string
  /** Body to send instead of the signed one. */
  readonly sentBody?: string
  /** Headers to send, computed from the valid ones. */
  headers?(genuine: RawHeaders): RawHeaders
  readonly halting?: true
}

/** The signer of an event's requests, and the custom headers that they have. */
export interface RequestSigner extends Pick<EventSigner, 'event' | 'headers'> {
  readonly key: KeyObject
  readonly url: string
}

interface BenchInput {
  readonly payloads: Payloads
  readonly settings: CheckSettings
  readonly signers: readonly RequestSigner[]
  /** Known prefixes of header names besides the one in use. */
  readonly otherPrefixes: readonly string[]
  /** Wall clock, in milliseconds since the epoch. */
  now(): number
}

/** The URL as seen by a handler that builds it from the request. */
export function urlsOfRequest(target: string): readonly string[] {
  const { host, pathname, search } = new URL(target)
  return [`https://${host}${pathname}${search}`, `http://${host}${pathname}${search}`]
}

/** A mistake in the signature, named by `id` for any body. */
export interface MistakenSigning {
  readonly id: string
  readonly finding: CheckFinding
  /** 1: the likeliest. */
  readonly rank: number
  readonly timestamp: string
  signature(): string
  request(): CheckRequest
}

/**
 * Returns the mistakes of these ranks in signing a delivery, of which a handler at `target` may
 * build the URL.
 */
function mistakesOf(
  right: Pick<DiagnosisInput, 'body' | 'url' | 'timestamp' | 'key'>,
  target: string,
  ranks: readonly number[],
): readonly Mistaken[] {
  const urls = urlsOfRequest(target)
  const otherUrls = urls.includes(right.url)
    ? []
    : urls.map((url) => ({ kind: 'local' as const, url }))
  const known = { otherSecrets: [], otherUrls, otherTimestamps: [], otherBodies: [] }
  return likelyMistakes({ ...right, ...known, signer: 'user' }, ranks)
}

export type Bench = ReturnType<typeof createRequestFactory>

export function createRequestFactory(input: BenchInput) {
  const { payloads, settings, signers, otherPrefixes, now } = input
  const signerFor = (body: string) => signerOf(signers, payloads.eventOf(body))
  function request(body: string, mismatch: RequestMismatch = {}): CheckRequest {
    const { key, url, headers: customHeaders } = signerFor(body)
    const { label = 'delivery', method = 'POST', signedUrl = url } = mismatch
    const timestamp = mismatch.timestamp ?? String(Math.trunc(now()) - (mismatch.age ?? 0))
    const bytes = Buffer.from(body, 'utf8')
    const genuine = signDelivery({
      body: bytes,
      url: signedUrl,
      timestamp,
      key: mismatch.key ?? key,
    })
    const signature = mismatch.signature?.(genuine) ?? genuine.signature
    const headers: RawHeaders = [
      ...deliveryHeaders(settings.prefix, { body: bytes, timestamp, signature }, customHeaders),
      [headerNames(settings.prefix).messageId, messageIdOf(body)],
    ]
    return {
      label,
      method,
      headers: mismatch.headers?.(headers) ?? headers,
      body: mismatch.sentBody === undefined ? bytes : Buffer.from(mismatch.sentBody, 'utf8'),
      signedUrl,
      halting: mismatch.halting === true,
    }
  }
  /** The body of a valid delivery, as `Payloads.of` makes it, if any event will do. */
  const plain = (more: string, change?: (payload: CheckPayload) => CheckPayload) =>
    payloads.of(payloads.base, more, change)
  return {
    input,
    payloads,
    settings,
    now,
    plain,
    request,
    /** Builds a request without the signature headers. */
    unsigned(body: string): CheckRequest {
      const { signature, timestamp } = headerNames(settings.prefix)
      const made = request(body)
      return {
        ...made,
        headers: made.headers.filter(([name]) => name !== signature && name !== timestamp),
      }
    },
    /** Builds the same request with another signature of the same length. */
    forged(made: CheckRequest): CheckRequest {
      const { signature } = headerNames(settings.prefix)
      const headers = made.headers.map(([name, value]): [string, string] => [
        name,
        name === signature ? `${value.startsWith('A') ? 'B' : 'A'}${value.slice(1)}` : value,
      ])
      return { ...made, label: 'the same, forged', headers }
    },
    /** A request with a plain body. */
    signed: (more: string, mismatch?: RequestMismatch) => request(plain(more), mismatch),
    otherPrefixes,
    /**
     * Returns what the body can be signed with instead, likeliest first: the mistakes of these
     * ranks.
     */
    mistaken: (body: string, ranks: readonly number[]): MistakenSigning[] => {
      const timestamp = String(Math.trunc(now()))
      const right = { ...signerFor(body), body: Buffer.from(body, 'utf8'), timestamp }
      return mistakesOf(right, settings.target, ranks).map(
        ({ id, cause, what, fix, rank, signature }) => ({
          id,
          rank,
          finding: { cause, what, fix },
          timestamp,
          signature,
          request: () => request(body, { timestamp, signature }),
        }),
      )
    },
  }
}

/**
 * Makes a bench that sends this event wherever any will do, with these values in every payload that
 * has the fields.
 */
export function benchSending({ input }: Bench, base: ShownEventType, values: Literals = {}): Bench {
  const { payloads } = input
  const transaction = isTransactionEvent(base) ? base : payloads.transaction
  const valued = (text: string) => withLiterals(text, values)
  return createRequestFactory({
    ...input,
    payloads: {
      ...payloads,
      base,
      transaction,
      of: (...which) => valued(payloads.of(...which)),
      all: (event) => payloads.all(event).map(valued),
    },
  })
}

export interface CheckSending {
  readonly bench: Bench
  /** Waits for the next request's turn. */
  readonly turn: Pacer
  /** Null if cancelled. */
  send(this: void, request: CheckRequest): Promise<CheckExchange | null>
  readonly signal: AbortSignal
}

// A case of the handler check: its texts, when it applies, what it sends, and which response is right.

/**
 * `accept`: every response must acknowledge. `refuse`: every response must be a 4xx. `answer`: every response must be below 500,
 * and the endpoint must then accept a valid delivery.
 */
type ExpectedAnswer = 'accept' | 'refuse' | 'answer'

/** Checks beyond `wanted`. Null if there is nothing to object to. */
export interface CaseObjection {
  readonly message: string
  readonly decisive: number
}

export interface CaseDefinition extends CheckCase {
  readonly section: Section
  readonly wanted: ExpectedAnswer
  /** Only sent if the endpoint receives one of these events; always sent if absent. */
  readonly events?: readonly ShownEventType[]
  /** Why the case can't be sent with these settings; null if it can. */
  obstacle?(settings: CheckSettings): string | null
  /** Builds and signs the requests when the case begins. */
  requests(bench: Bench): readonly CheckRequest[]
  /** Whether to send all requests at the same time. */
  readonly atOnce?: true
  object?(exchanges: readonly CheckExchange[]): CaseObjection | null
  /** A warning for a case that passed. */
  warn?(exchanges: readonly CheckExchange[]): string | null
}

const usuallyExpected: Readonly<Record<ExpectedAnswer, string>> = {
  accept: '200 within 20 s',
  refuse: 'a 4xx status, such as 401',
  answer: 'any status below 500 within 20 s, then 200 for a valid delivery',
}

/** What the cases of a group have in common, unless one says otherwise. */
type InCommon = Pick<CaseDefinition, 'group' | 'section' | 'wanted'> &
  Partial<Pick<CaseDefinition, 'expected'>>

export function casesOf(
  common: InCommon,
  cases: readonly (Omit<CaseDefinition, keyof InCommon> & Partial<InCommon>)[],
): CaseDefinition[] {
  return cases.map((one) => ({
    expected: usuallyExpected[one.wanted ?? common.wanted],
    ...common,
    ...one,
  }))
}
