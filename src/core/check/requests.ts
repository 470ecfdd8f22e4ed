/**
 * Builds the requests of the handler check: payload, time, secret, and how a request differs from a valid one. Anything a case
 * doesn't change follows section 4.4 of the spec. Payloads are realistic events from the sandbox's stories, the same for the same
 * seed. All ids share an eight-character prefix, so you can find and delete the objects your handler stored.
 */
import type { KeyObject } from 'node:crypto'
import { AppError } from '../../shared/contract/errors.ts'
import { missingLiteral, withLiteral, type Literals } from '../../shared/body/json-literals.ts'
import type { Mode, RawHeaders } from '../../shared/model/delivery.ts'
import type {
  CheckCase,
  CheckExchange,
  CheckFinding,
  CheckSettings,
} from '../../shared/model/check.ts'
import { checkPayload } from '../../shared/service/payload.ts'
import { isTransactionEvent, type ShownEventType } from '../../shared/service/event-type.ts'
import { headerNames } from '../../shared/service/header-rules.ts'
import type { Section } from '../../shared/service/hook-finding.ts'
import { tellStory } from '../sandbox/events.ts'
import { loadObjects, memoryStorage } from '../sandbox/records.ts'
import type { Emission } from '../sandbox/scene.ts'
import { signerOf, type EventSigner } from '../hooks/event-signers.ts'
import type { Pacer } from '../outgoing/send.ts'
import { createRandom, ensureProgram } from '../sandbox/world.ts'
import { likelyMistakes } from '../signature/diagnosis/search.ts'
import { deliveryHeaders } from '../signature/signature-headers.ts'
import { signDelivery, type Signature } from '../signature/sign.ts'

/** Prefix of every object id in a check. */
export const MARKED_ID = 'c4ec0000'

export type CheckPayload = Readonly<Record<string, unknown>>

const UUID = /"[0-9a-f]{8}(-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")/g

/**
 * The payload in ASCII. Only the cases for other letters contain them, so a handler that can't read them fails only those cases,
 * whatever the seed.
 */
function inPlainLetters(payload: CheckPayload): CheckPayload {
  const text = JSON.stringify(payload).replaceAll('ß', 'ss').replaceAll('\u2019', "'")
  return JSON.parse(text.normalize('NFD').replace(/\p{M}/gu, '')) as CheckPayload
}

const marked = (id: string): string => `${MARKED_ID}${id.slice(MARKED_ID.length)}`

/** The payload's JSON text with marked ids. */
function write(payload: CheckPayload): string {
  return JSON.stringify(payload).replace(UUID, `"${MARKED_ID}$1`)
}

/** The message id, which attempts with the same body share. */
const messageIdOf = (body: string) => /"id":"([^"]+)"/.exec(body)?.[1] ?? MARKED_ID

/** The objects a story needs, created once per mode. */
async function prepareMode(seed: number, now: number, mode: Mode) {
  const objects = await loadObjects(memoryStorage(), { warn: () => undefined })
  const program = await ensureProgram(objects, mode, now)
  const scene = (more: string, of?: string) => ({
    seed: `${seed} ${more}`,
    mode,
    now,
    environment: `sandbox-${mode}`,
    objects,
    program,
    seeded: true,
    of,
    offerIds: [],
    set: {},
  })
  // The purchase of the matched refund, cleared some days ago.
  const { changes } = tellStory('transaction.clearing', scene('purchase'), null)
  for (const change of changes) await objects.put(change.kind, mode, change.data)
  const purchase = objects.all('payment', mode)[0]?.id
  return (event: ShownEventType, more: string): readonly Emission[] =>
    tellStory(
      event,
      scene(more, event.startsWith('transaction.refund') ? purchase : undefined),
      null,
    ).emissions
}

/** The event to send if any will do: a transaction if possible, and a live-only event only as a last resort. */
function baseOf(events: readonly ShownEventType[]): ShownEventType {
  const inTest = events.filter((event) => event !== 'program.status')
  return inTest.find(isTransactionEvent) ?? inTest[0] ?? events[0] ?? 'transaction.auth'
}

export type Payloads = Awaited<ReturnType<typeof makePayloads>>

/** Sets those fields that the payload has. */
const withLiterals = (text: string, literals: Literals): string =>
  Object.entries(literals).reduce(
    (made, [path, literal]) =>
      missingLiteral(made, path) === null ? (withLiteral(made, path, literal) ?? made) : made,
    text,
  )

interface PayloadOptions {
  readonly seed: number
  /** In milliseconds since the epoch. */
  readonly now: number
  /** Events that the endpoint receives, at least one. */
  readonly events: readonly ShownEventType[]
  /** Values for the fields that an event has, by path. */
  readonly literals?: Literals
}

export async function makePayloads({ seed, now, events, literals = {} }: PayloadOptions) {
  const tell = {
    test: await prepareMode(seed, now, 'test'),
    live: await prepareMode(seed, now, 'live'),
  }
  const payloadsOf = (event: ShownEventType, more: string) =>
    // program.status is never sent in test mode (section 6.2).
    tell[event === 'program.status' ? 'live' : 'test'](event, more)
      .filter((emission) => emission.event === event)
      .map(({ payload }) => inPlainLetters(payload))
  const base = baseOf(events)
  /** The event of each payload made so far, by its id. */
  const eventsById = new Map<string, ShownEventType>()
  function finish(event: ShownEventType, id: string, text: string): string {
    eventsById.set(id, event)
    return withLiterals(text, literals)
  }
  /** One payload for each event: only equal ones show what a handler objects to. */
  const contents = new Map<ShownEventType, CheckPayload>()
  const of = (
    event: ShownEventType,
    more: string,
    change = (payload: CheckPayload) => payload,
  ): string => {
    const content = contents.get(event) ?? payloadsOf(event, event)[0]
    if (content === undefined) throw new Error(`No sandbox story sends ${event}.`)
    contents.set(event, content)
    const id = createRandom(`${seed} ${event} ${more}`).uuid()
    const own = JSON.stringify(content).replace(/"id":"[^"]*"/, `"id":"${id}"`)
    return finish(event, marked(id), write(change(JSON.parse(own) as CheckPayload)))
  }
  return {
    /** The event to send if any will do: a transaction if the endpoint receives them. */
    base,
    /** The transaction to send if any will do. */
    transaction: base,
    /**
     * A valid event as the JSON text the service would send, changed before it is serialized. Each `more` gives it another id: a
     * handler may reject one that it has seen, so requests share one only where repeating is the case.
     */
    of,
    /** All events of this kind from one story, such as three for a location. */
    all: (event: ShownEventType): readonly string[] =>
      payloadsOf(event, event).map((payload) => {
        const text = write(payload)
        return finish(event, messageIdOf(text), text)
      }),
    /** Payloads of the same event with other values. */
    samples: (event: ShownEventType): readonly CheckPayload[] =>
      [1, 2, 3].flatMap((place) => payloadsOf(event, `${event} sample ${place}`)),
    /** The event of a payload made here, also a changed one that has its id still. */
    eventOf: (body: string): ShownEventType =>
      [...body.matchAll(/"id":\s*"([^"]+)"/g)]
        .map(([, id = '']) => eventsById.get(id))
        .find((event) => event !== undefined) ?? base,
    /** Throws `INVALID_INPUT` for a path that no event's payload has. */
    checkLiterals(): void {
      for (const path of Object.keys(literals)) {
        const problems = [base, ...events].map((event) => missingLiteral(of(event, 'paths'), path))
        if (!problems.includes(null))
          throw new AppError('INVALID_INPUT', problems[0] ?? `No event has the field ${path}.`)
      }
      for (const event of Object.keys(literals).length > 0 ? events : []) {
        const { outcome, failures } = checkPayload(event, of(event, 'schema'))
        if (outcome === 'issues')
          throw new AppError(
            'INVALID_INPUT',
            `These values make ${event} invalid: ${failures[0]?.message ?? ''} Change --set.`,
          )
      }
    },
  }
}

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

/** What signs an event's requests, and the custom headers that they have. */
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
interface MistakenSigning {
  readonly id: string
  readonly finding: CheckFinding
  signature(): string
  request(): CheckRequest
}

export type Bench = ReturnType<typeof createBench>

export function createBench(input: BenchInput) {
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
    /** Returns what the body can be signed with instead, likeliest first: the mistakes of these ranks. */
    mistaken(body: string, ranks: readonly number[]): MistakenSigning[] {
      const timestamp = String(Math.trunc(now()))
      const { key, url } = signerFor(body)
      const urls = urlsOfRequest(settings.target)
      const otherUrls = urls.includes(url)
        ? []
        : urls.map((own) => ({ kind: 'local' as const, url: own }))
      const right = {
        body: Buffer.from(body, 'utf8'),
        url,
        timestamp,
        key,
        otherSecrets: [],
        otherUrls,
        otherTimestamps: [],
        otherBodies: [],
        signer: 'user' as const,
      }
      return likelyMistakes(right, ranks).map(({ id, cause, what, fix, signature }) => ({
        id,
        finding: { cause, what, fix },
        signature,
        request: () => request(body, { timestamp, signature }),
      }))
    },
  }
}

/** Makes a bench that sends this event wherever any will do, with these values in every payload that has the fields. */
export function benchSending({ input }: Bench, base: ShownEventType, values: Literals = {}): Bench {
  const { payloads } = input
  const transaction = isTransactionEvent(base) ? base : payloads.transaction
  const valued = (text: string) => withLiterals(text, values)
  return createBench({
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
