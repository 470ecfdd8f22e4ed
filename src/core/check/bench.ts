/**
 * Builds the requests of the handler check: payload, time, secret, and how a request differs from a valid one. Anything a case
 * doesn't change follows section 4.4 of the spec.
 */
import type { KeyObject } from 'node:crypto'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type {
  CheckFinding,
  CheckSettings,
  CheckCase,
  CheckExchange,
} from '../../shared/model/check.ts'
import { deliveryHeaders } from '../signature/signature-headers.ts'
import { likeliestMistakes } from '../signature/diagnosis/search.ts'
import { signDelivery, type Signature } from '../signature/sign.ts'
import type { Payloads } from './payloads.ts'
import { isTransactionEvent, type ShownEventType } from '../../shared/service/event-type.ts'
import type { Section } from '../../shared/service/hook-finding.ts'

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

/** How a request differs from a valid one. */
interface RequestDeparture {
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

export interface Bench {
  readonly payloads: Payloads
  readonly settings: CheckSettings
  /** Wall clock, in milliseconds since the epoch. */
  now(): number
  /** The body of a valid delivery, as `Payloads.changed` makes it, if any event will do. */
  plain(more: string, change?: Parameters<Payloads['changed']>[2]): string
  request(body: string, departure?: RequestDeparture): CheckRequest
  /** The body signed with each of the most common mistakes, always in the same order. */
  mistaken(
    body: string,
  ): readonly { readonly finding: CheckFinding; readonly request: CheckRequest }[]
  /** Sends this event wherever any will do. */
  sending(event: ShownEventType): Bench
}

interface BenchInput {
  readonly payloads: Payloads
  readonly settings: CheckSettings
  readonly key: KeyObject
  readonly customHeaders: Readonly<Record<string, string>>
  /** Wall clock, in milliseconds since the epoch. */
  now(): number
}

/** The URL as seen by a handler that builds it from the request. */
export function urlsOfRequest(target: string): readonly string[] {
  const url = new URL(target)
  return [
    `https://${url.host}${url.pathname}${url.search}`,
    `http://${url.host}${url.pathname}${url.search}`,
  ]
}

export function createBench(input: BenchInput): Bench {
  const { payloads, settings, key, customHeaders, now } = input
  const request: Bench['request'] = (body, departure = {}) => {
    const signedUrl = departure.signedUrl ?? settings.registeredUrl
    const timestamp = departure.timestamp ?? String(Math.trunc(now()) - (departure.age ?? 0))
    const bytes = Buffer.from(body, 'utf8')
    const genuine = signDelivery({
      body: bytes,
      url: signedUrl,
      timestamp,
      key: departure.key ?? key,
    })
    const signature = departure.signature?.(genuine) ?? genuine.signature
    const headers = deliveryHeaders(
      settings.prefix,
      { body: bytes, timestamp, signature },
      customHeaders,
    )
    return {
      label: departure.label ?? 'delivery',
      method: departure.method ?? 'POST',
      headers: departure.headers?.(headers) ?? headers,
      body: departure.sentBody === undefined ? bytes : Buffer.from(departure.sentBody, 'utf8'),
      signedUrl,
      halting: departure.halting === true,
    }
  }
  return {
    payloads,
    settings,
    now,
    plain: (more, change = (payload) => payload) => payloads.changed(payloads.base, more, change),
    request,
    mistaken(body) {
      const timestamp = String(Math.trunc(now()))
      const delivery = {
        body: Buffer.from(body, 'utf8'),
        url: settings.registeredUrl,
        timestamp,
        key,
      }
      const urls = urlsOfRequest(settings.target)
      const otherUrls = urls.includes(settings.registeredUrl)
        ? []
        : urls.map((url) => ({ kind: 'local' as const, url }))
      return likeliestMistakes({
        ...delivery,
        otherSecrets: [],
        otherUrls,
        otherTimestamps: [],
        otherBodies: [],
        signer: 'user',
      }).map(({ cause, what, fix, signature }) => ({
        finding: { cause, what, fix },
        request: request(body, {
          label: `signed by another method, ${cause}`,
          timestamp,
          signature: () => signature,
        }),
      }))
    },
    sending(base) {
      const transaction = isTransactionEvent(base) ? base : payloads.transaction
      return createBench({ ...input, payloads: { ...payloads, base, transaction } })
    },
  }
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
