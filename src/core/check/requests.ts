/** Builds the requests of the handler check (section 4.4). */
import type { KeyObject } from 'node:crypto'
import type { Literals } from '../../shared/body/json-literals.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { CheckExchange, CheckFinding, CheckSettings } from '../../shared/model/check.ts'
import { isTransactionEvent, type ShownEventType } from '../../shared/service/event-type.ts'
import { headerNames } from '../../shared/service/header-names.ts'
import { signerOf, type EventSigner } from '../hooks/event-signers.ts'
import type { Pacer } from '../outgoing/send.ts'
import type { DiagnosisInput } from '../signature/diagnosis/diagnosis-input.ts'
import { likelyMistakes, type MistakenSignature } from '../signature/diagnosis/likely-mistakes.ts'
import { deliveryHeaders } from '../signature/signature-headers.ts'
import { signDelivery, type Signature } from '../signature/sign.ts'
import { messageIdOf, withLiterals, type CheckPayload, type Payloads } from './payloads.ts'

/** Signed request, with its headers in order. */
export interface CheckRequest {
  readonly label: string
  readonly method: string
  readonly headers: RawHeaders
  readonly body: Uint8Array
  readonly signedUrl: string
  /** Whether the body is sent in two halves with a pause between them. */
  readonly halting: boolean
}

/** Differences of a request from a valid delivery. */
interface RequestDeviation {
  readonly label?: string
  readonly method?: string
  /** URL to sign instead of the registered one. */
  readonly signedUrl?: string
  readonly key?: KeyObject
  /** Age of the signature in milliseconds; negative for the future. */
  readonly age?: number
  /** Timestamp header, which is also signed. */
  readonly timestamp?: string
  /** Computes the signature header from the valid one. */
  signature?(valid: Signature): string
  /** Body to send instead of the signed one. */
  readonly sentBody?: string
  /** Computes the headers from the valid ones. */
  headers?(valid: RawHeaders): RawHeaders
  readonly halting?: true
}

/** Signer of an event's requests, with their custom headers. */
interface RequestSigner extends Pick<EventSigner, 'event' | 'headers'> {
  readonly key: KeyObject
  readonly url: string
}

interface RequestFactoryInput {
  readonly payloads: Payloads
  readonly settings: CheckSettings
  readonly signers: readonly RequestSigner[]
  /** Known header prefixes besides the one in use. */
  readonly otherPrefixes: readonly string[]
  /** Reads the wall clock, in milliseconds since the epoch. */
  now(): number
}

/** Returns the URLs that a handler may build from the request. */
export function urlsFromRequest(target: string): readonly string[] {
  const { host, pathname, search } = new URL(target)
  return [`https://${host}${pathname}${search}`, `http://${host}${pathname}${search}`]
}

/** Mistake in signing, identified by `id` across bodies. */
export interface MistakenSigning {
  readonly id: string
  readonly finding: CheckFinding
  /** Likelihood; 1 is the likeliest. */
  readonly rank: number
  readonly timestamp: string
  signature(): string
  request(): CheckRequest
}

/** Returns signing mistakes of these ranks, also with URLs of `target`. */
function mistakesOf(
  right: Pick<DiagnosisInput, 'body' | 'url' | 'timestamp' | 'key'>,
  target: string,
  ranks: readonly number[],
): readonly MistakenSignature[] {
  const urls = urlsFromRequest(target)
  const otherUrls = urls.includes(right.url)
    ? []
    : urls.map((url) => ({ kind: 'local' as const, url }))
  const others = { otherSecrets: [], otherUrls, otherTimestamps: [], otherBodies: [] }
  return likelyMistakes({ ...right, ...others, signer: 'user' }, ranks)
}

export type RequestFactory = ReturnType<typeof createRequestFactory>

export function createRequestFactory(input: RequestFactoryInput) {
  const { payloads, settings, signers, otherPrefixes, now } = input
  const signerFor = (body: string) => signerOf(signers, payloads.eventOf(body))
  function request(body: string, deviation: RequestDeviation = {}): CheckRequest {
    const { key, url, headers: customHeaders } = signerFor(body)
    const { label = 'delivery', method = 'POST', signedUrl = url } = deviation
    const timestamp = deviation.timestamp ?? String(Math.trunc(now()) - (deviation.age ?? 0))
    const bytes = Buffer.from(body, 'utf8')
    const valid = signDelivery({
      body: bytes,
      url: signedUrl,
      timestamp,
      key: deviation.key ?? key,
    })
    const signature = deviation.signature?.(valid) ?? valid.signature
    const headers: RawHeaders = [
      ...deliveryHeaders(settings.prefix, { body: bytes, timestamp, signature }, customHeaders),
      [headerNames(settings.prefix).messageId, messageIdOf(body)],
    ]
    return {
      label,
      method,
      headers: deviation.headers?.(headers) ?? headers,
      body: deviation.sentBody === undefined ? bytes : Buffer.from(deviation.sentBody, 'utf8'),
      signedUrl,
      halting: deviation.halting === true,
    }
  }
  /** Makes the body of a valid delivery of the base event. */
  const baseBody = (purpose: string, change?: (payload: CheckPayload) => CheckPayload) =>
    payloads.of(payloads.base, purpose, change)
  return {
    input,
    payloads,
    settings,
    now,
    baseBody,
    request,
    unsigned(body: string): CheckRequest {
      const { signature, timestamp } = headerNames(settings.prefix)
      const signedRequest = request(body)
      return {
        ...signedRequest,
        headers: signedRequest.headers.filter(([name]) => name !== signature && name !== timestamp),
      }
    },
    /** Replaces the signature with another of the same length. */
    forged(signedRequest: CheckRequest): CheckRequest {
      const { signature } = headerNames(settings.prefix)
      const headers = signedRequest.headers.map(([name, value]): [string, string] => [
        name,
        name === signature ? `${value.startsWith('A') ? 'B' : 'A'}${value.slice(1)}` : value,
      ])
      return { ...signedRequest, label: 'the same, forged', headers }
    },
    signed: (purpose: string, deviation?: RequestDeviation) =>
      request(baseBody(purpose), deviation),
    otherPrefixes,
    /** Returns signing mistakes of these ranks, likeliest first. */
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

/** Makes a factory that prefers this event and sets these values in its payloads. */
export function withPreferredEvent(
  { input }: RequestFactory,
  base: ShownEventType,
  values: Literals = {},
): RequestFactory {
  const { payloads } = input
  const transaction = isTransactionEvent(base) ? base : payloads.transaction
  const withValues = (text: string) => withLiterals(text, values)
  return createRequestFactory({
    ...input,
    payloads: {
      ...payloads,
      base,
      transaction,
      of: (...choice) => withValues(payloads.of(...choice)),
      all: (event) => payloads.all(event).map(withValues),
    },
  })
}

export interface CheckSending {
  readonly factory: RequestFactory
  readonly waitForTurn: Pacer
  /** Resolves with null if cancelled. */
  send(this: void, request: CheckRequest): Promise<CheckExchange | null>
  readonly signal: AbortSignal
}
