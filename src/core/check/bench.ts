/**
 * Where the requests of the handler check are made: the payloads, the moment, the secret, and how a request departs from a genuine
 * one. What is not departed from is as section 4.4 of the interface has it.
 */
import type { KeyObject } from 'node:crypto'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { CheckFinding, CheckSettings, CheckCase as CheckCaseWords, CheckExchange } from '../../shared/model/check.ts'
import { deliveryHeaders } from '../signature/signature-headers.ts'
import { likeliestMistakes } from '../signature/diagnosis/search.ts'
import { signDelivery, type Signature } from '../signature/sign.ts'
import type { Payloads } from './payloads.ts'
import type { ShownEventType } from '../../shared/service/event-type.ts'
import type { Section } from '../../shared/service/section.ts'

/** A request that is ready to go: signed, its headers in their order. */
export interface CheckRequest {
  readonly label: string
  readonly method: string
  readonly headers: RawHeaders
  readonly body: Uint8Array
  readonly signedUrl: string
  /** The first half of the body goes at once, the rest after a pause. */
  readonly halting: boolean
}

/** How a request departs from a genuine one. */
interface RequestDeparture {
  readonly label?: string
  readonly method?: string
  /** What is signed, in place of the registered URL. */
  readonly signedUrl?: string
  readonly key?: KeyObject
  /** Milliseconds that the signature is older than now; negative: ahead. */
  readonly age?: number
  /** The header's text, which is signed too. */
  readonly timestamp?: string
  /** What stands in the header, made from what belongs there. */
  signature?(genuine: Signature): string
  /** What is sent in place of the body that was signed. */
  readonly sentBody?: string
  /** The headers that go out, made from those that belong there. */
  headers?(genuine: RawHeaders): RawHeaders
  readonly halting?: true
}

export interface Bench {
  readonly payloads: Payloads
  readonly settings: CheckSettings
  /** Wall clock, in milliseconds since the epoch. */
  now(): number
  request(body: string, departure?: RequestDeparture): CheckRequest
  /** A delivery signed by each of the wrong recipes that handlers are most often written with; in the same order for each body. */
  mistaken(body: string): readonly { readonly finding: CheckFinding; readonly request: CheckRequest }[]
}

interface BenchInput {
  readonly payloads: Payloads
  readonly settings: CheckSettings
  readonly key: KeyObject
  readonly customHeaders: Readonly<Record<string, string>>
  /** Wall clock, in milliseconds since the epoch. */
  now(): number
}

/** What the URL looks like to a handler that puts it together from the request. */
export function urlsOfRequest(target: string): readonly string[] {
  const url = new URL(target)
  return [`https://${url.host}${url.pathname}${url.search}`, `http://${url.host}${url.pathname}${url.search}`]
}

export function createBench({ payloads, settings, key, customHeaders, now }: BenchInput): Bench {
  const request: Bench['request'] = (body, departure = {}) => {
    const signedUrl = departure.signedUrl ?? settings.registeredUrl
    const timestamp = departure.timestamp ?? String(Math.trunc(now()) - (departure.age ?? 0))
    const bytes = Buffer.from(body, 'utf8')
    const genuine = signDelivery({ body: bytes, url: signedUrl, timestamp, key: departure.key ?? key })
    const signature = departure.signature?.(genuine) ?? genuine.signature
    const headers = deliveryHeaders(settings.prefix, { body: bytes, timestamp, signature }, customHeaders)
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
    request,
    mistaken(body) {
      const timestamp = String(Math.trunc(now()))
      const delivery = { body: Buffer.from(body, 'utf8'), url: settings.registeredUrl, timestamp, key }
      const urls = urlsOfRequest(settings.target)
      const otherUrls = urls.includes(settings.registeredUrl) ? [] : urls.map((url) => ({ kind: 'local' as const, url }))
      return likeliestMistakes({ ...delivery, otherSecrets: [], otherUrls, otherTimestamps: [] }).map(
        ({ cause, what, fix, signature }) => ({
          finding: { cause, what, fix },
          request: request(body, { label: `signed by another method, ${cause}`, timestamp, signature: () => signature }),
        }),
      )
    },
  }
}

// A case of the handler check: its words, when it applies, what it sends, and which response is right.

/**
 * `accept`: each answer acknowledges. `refuse`: each is an answer from 400 to 499. `answer`: each is any answer below 500, and
 * the endpoint accepts a genuine delivery afterwards.
 */
type ExpectedAnswer = 'accept' | 'refuse' | 'answer'

/** What a case decides by itself, beyond what is wanted of each answer: null where nothing is wrong. */
export interface CaseObjection {
  readonly message: string
  readonly decisive: number
}

export interface CheckCase extends CheckCaseWords {
  readonly section: Section
  readonly wanted: ExpectedAnswer
  /** It is sent where the endpoint is for one of these; absent: whatever it is for. */
  readonly events?: readonly ShownEventType[]
  /** Why it cannot be sent with these settings; null where it can. */
  obstacle?(settings: CheckSettings): string | null
  /** Signs what is sent, at the moment when the case begins. */
  requests(bench: Bench): readonly CheckRequest[]
  /** All requests of it at the same time. */
  readonly atOnce?: true
  object?(exchanges: readonly CheckExchange[]): CaseObjection | null
  /** Of one that passed. */
  warn?(exchanges: readonly CheckExchange[]): string | null
}
