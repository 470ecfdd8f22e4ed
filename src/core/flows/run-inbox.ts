/**
 * The deliveries of a run: reads each one, forwards it to the developer's endpoint if there is one, and holds it if the flow says
 * so.
 */
import type { DeliveryRow, Delivery } from '../../shared/model/delivery.ts'
import type { Fault } from '../../shared/model/sandbox.ts'
import type { Log } from '../base/deps.ts'
import { createMutex } from '../base/async.ts'
import type { Store } from '../store/store.ts'
import type { Handler, HandlerAnswer } from './handler.ts'
import { turnsOf, type HookKeeper, type RunHook } from './run-hooks.ts'
import { ACKNOWLEDGE_TIMEOUT_MS, NO_RESPONSE_IN_TIME } from '../../shared/service/limits.ts'
import type { RunTime } from './run-time.ts'
import type { FlowArrived, FlowFacts, FlowResponse } from '../../shared/model/flow.ts'
import { labelOf } from '../../shared/model/outcomes.ts'
import { checkPayload } from '../../shared/service/payload.ts'
import { counted } from '../../shared/text/counted.ts'
import { timeWords } from '../../shared/flow-diagram/words.ts'
import { fieldAt } from '../sandbox/scene.ts'

interface RunInboxDeps {
  readonly log: Pick<Log, 'bug'>
  readonly store: Pick<Store, 'read'>
  readonly reader: ArrivalReader
  readonly handler: Handler | null
  /** Aborts when the run is cancelled. Nothing waits for the handler then. */
  readonly signal: AbortSignal
  /** Called when a delivery of this hook has been read. */
  onRead(hook: RunHook): Promise<void>
  /** Whether the service counts this status as received. */
  acknowledges(status: number): boolean
  /** Called when the receiver's response to a delivery is known. */
  onResponse(arrival: Arrival): void
  /** Called when the inbox changes. */
  onChanged(): void
}

export function createRunInbox(deps: RunInboxDeps) {
  const { log, store, reader, handler, signal, onRead, onChanged } = deps
  const arrivals: Arrival[] = []
  const answers = new Map<string, Promise<HandlerAnswer>>()
  let reading = 0
  let placed = 0
  const oneByOne = createMutex()
  let lastRead: Promise<void> = Promise.resolve()
  let problem: string | null = null
  /** Responses to deliveries that aren't read yet, by id. */
  const early = new Map<string, ReceiverAnswer>()

  function respond(arrival: Arrival, hook: RunHook, answer: ReceiverAnswer): void {
    const number = arrivals.filter((one) => one.hook === hook.name).indexOf(arrival)
    const isHeld = turnsOf(hook.wanted)[number] === 'timeout'
    arrival.response = receiverResponse(answer, isHeld, (status) => deps.acknowledges(status))
    deps.onResponse(arrival)
    onChanged()
  }

  async function read(
    row: DeliveryRow,
    hook: RunHook,
    place: number,
    businessAt: number,
    fault: Fault | null,
  ): Promise<void> {
    const arrival = await reader.read(
      { row, hook: hook.name, event: hook.event, place, businessAt, fault },
      arrivals,
    )
    const headers = handler === null ? [] : (await store.read('get', row.id)).headers
    // Set together, so that no step finds a delivery that isn't being forwarded yet.
    arrivals.push(arrival)
    const answer = early.get(row.id)
    if (answer !== undefined) respond(arrival, hook, answer)
    if (handler === null) return
    // Forged or stale deliveries are forwarded with the same fault. Valid ones are forwarded as valid, even while a fault is on.
    const isDeparted = row.verdict !== 'valid' || row.freshness !== 'fresh'
    const answering = handler.send(
      { id: row.id, seq: row.seq, headers },
      arrival.body,
      isDeparted ? fault : null,
      signal,
    )
    answering.catch(() => undefined)
    answers.set(row.id, answering)
  }

  return {
    /** All arrivals, in order. */
    arrivals,
    /** The handler's response to each delivery; null without a handler. */
    answers: handler === null ? null : answers,
    /** Whether a delivery is being read. */
    isReading: () => reading > 0,
    /** Why a delivery couldn't be read, or null. */
    problem: (): string | null => problem,
    /** Resolves once all received deliveries are read. */
    settled: () => lastRead,
    /** Call when the receiver has responded to one of them, or the sender is gone. */
    answered(deliveryId: string, hook: RunHook, answer: ReceiverAnswer) {
      const arrival = arrivals.find(({ row }) => row.id === deliveryId)
      if (arrival === undefined) early.set(deliveryId, answer)
      else respond(arrival, hook, answer)
    },
    /** Call with each delivery the receiver stores: with the sandbox time, and the fault of the last trigger. */
    take(row: DeliveryRow, hook: RunHook, businessAt: number, fault: Fault | null) {
      const place = placed++
      reading++
      lastRead = oneByOne(async () => {
        try {
          await read(row, hook, place, businessAt, fault)
          await onRead(hook)
        } catch (error) {
          problem = `Couldn't read a delivery (reference ${log.bug(error, 'a flow')}).`
        } finally {
          reading--
          onChanged()
        }
      })
    },
  }
}

interface Held {
  readonly url: string
  /** Arrival time by the run's clock. */
  readonly since: number
}

interface HeldAnswersDeps {
  readonly time: Pick<RunTime, 'now'>
  /** Advances sandbox time by this many milliseconds at once. */
  jump(ms: number): Promise<void>
  /** Resolves at that sandbox time. */
  sleepUntil(time: number): Promise<void>
  /** From now on, deliveries of this hook get this response; null for 200. */
  answerNext: HookKeeper['answerNext']
}

/**
 * Responses that a flow's hook gives in turn, and deliveries without one, so that the service gives up after 20 seconds (section
 * 6.4). These are sandbox time: at a finite speed the wait ends when the run's clock has reached them. As fast as possible nobody
 * waits: once the delivery has arrived, the run's clock jumps by the rest of its 20 seconds, and only then its attempt times out. No
 * other attempt is cut short, however busy the machine is.
 */
export function createHeldAnswers({ time, jump, sleepUntil, answerNext }: HeldAnswersDeps) {
  const counts = new Map<string, number>()
  /** Per URL, the attempts in progress that may time out, oldest first. */
  const attempts = new Map<string, AbortController[]>()
  let held: readonly Held[] = []

  function timeOut(url: string): void {
    attempts.get(url)?.shift()?.abort()
  }

  async function giveUp({ url, since }: Held): Promise<void> {
    await jump(Math.max(0, since + ACKNOWLEDGE_TIMEOUT_MS - time.now()))
    timeOut(url)
  }

  async function wait(one: Held): Promise<void> {
    held = [...held, one]
    await sleepUntil(one.since + ACKNOWLEDGE_TIMEOUT_MS)
    // The run may have been sped up meanwhile.
    if (!held.includes(one)) return
    held = held.filter((other) => other !== one)
    timeOut(one.url)
  }

  return {
    /** For an attempt that begins now: ends its wait as if its time were over. */
    timeOutOf(url: string): AbortSignal {
      const attempt = new AbortController()
      attempts.set(url, [...(attempts.get(url) ?? []), attempt])
      return attempt.signal
    },
    /** A delivery arrived: holds it if the flow says so. `leaps` if the run goes as fast as possible. */
    async arrived(hook: RunHook, leaps: boolean) {
      const { id, url, wanted } = hook
      const turns = turnsOf(wanted)
      const count = counts.get(id) ?? 0
      counts.set(id, count + 1)
      if (count < turns.length) await answerNext(hook, turns[count + 1] ?? null)
      // It got a response or was dropped, so it can't time out.
      if (turns[count] !== 'timeout') {
        attempts.get(url)?.shift()
        return
      }
      const one: Held = { url, since: time.now() }
      if (leaps) await giveUp(one)
      else void wait(one)
    },
    /** From now on the run goes as fast as possible, so held deliveries jump too. */
    async leap() {
      const now = held
      held = []
      for (const one of now) await giveUp(one)
    },
  }
}

// Deliveries that arrived in a run, in order, each with its verification result and the step that claimed it. Unclaimed
// deliveries are strays.

export interface Arrival {
  readonly row: DeliveryRow
  /** Position among all arrivals, from 0. */
  readonly place: number
  readonly businessAt: number
  readonly body: Uint8Array
  /** Parsed body; undefined if it isn't JSON. */
  readonly payload: unknown
  /** Schema errors of the body. */
  readonly schemaFailures: readonly string[]
  /** The attempt number, or the acknowledged delivery that this one duplicates. */
  readonly attempt: number
  readonly duplicateOf: string | null
  /** The run's hook that received it, by its name in the flow, and that hook's event. */
  readonly hook: string
  readonly event: string
  /** Why its signature is invalid or its timestamp stale; null if neither. */
  readonly cause: string | null
  /** The index of the step that claimed it. */
  claimedBy: number | null
  /** The receiver's response; null until it was sent. */
  response: FlowResponse | null
}

/** A delivery just stored by the receiver. */
interface SeenRow {
  readonly row: DeliveryRow
  readonly hook: string
  readonly event: string
  readonly place: number
  readonly businessAt: number
  /** The fault of the last trigger. */
  readonly fault: Fault | null
}

export type ArrivalReader = ReturnType<typeof createArrivalReader>

/** How long to wait until a delivery's place among its attempts is known. On a busy machine this takes more than a moment. */
const PLACE_PATIENCE_MS = 30_000

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'))
  } catch {
    return undefined
  }
}

export function createArrivalReader(store: Pick<Store, 'read' | 'settled'>) {
  /**
   * The attempt number or the duplicated delivery, from the list's row. Only a body already seen on the same hook can be either.
   */
  async function placeAmong(
    row: DeliveryRow,
    hook: string,
    body: Uint8Array,
    earlier: readonly Arrival[],
  ) {
    const isFirst = !earlier.some(
      (arrival) => arrival.hook === hook && Buffer.compare(arrival.body, body) === 0,
    )
    if (isFirst) return { attempt: 1, duplicateOf: null }
    await store.settled(PLACE_PATIENCE_MS)
    const { attempt, duplicateOf } = await store.read('get', row.id)
    return { attempt, duplicateOf }
  }

  return {
    /** Loads a stored delivery. */
    async read(
      { row, hook, event, place, businessAt, fault }: SeenRow,
      earlier: readonly Arrival[],
    ): Promise<Arrival> {
      const { bytes } = await store.read('body', { seq: row.seq, offset: 0, length: row.bodySize })
      const { failures } = checkPayload(event, bytes)
      const isDated =
        row.verdict === 'valid' && (row.freshness === 'stale' || row.freshness === 'future')
      const headers = isDated ? (await store.read('get', row.id)).headers : []
      return {
        row,
        place,
        businessAt,
        body: bytes,
        payload: parse(bytes),
        schemaFailures: failures.map(({ message }) => message),
        ...(await placeAmong(row, hook, bytes, earlier)),
        hook,
        event,
        cause: causeOf(row, fault, headers),
        claimedBy: null,
        response: null,
      }
    },
  }
}

// What is known about a delivery, for people.

const forgeryWords: Partial<Record<Fault, string>> = {
  'wrong-secret': 'signed with another secret',
  'altered-body': 'body changed after signing',
  'single-pass': 'hashed once, not twice',
}

/** A duration in whole minutes, up to two hours. */
function minutesText(ms: number): string {
  return ms < 7_200_000 ? counted(Math.round(ms / 60_000), 'minute') : timeWords(ms)
}

function timestampIn(headers: Delivery['headers']): number | null {
  const value = headers.find(([name]) => /^x-.+-timestamp$/i.test(name))?.[1] ?? ''
  return /^\d{1,16}$/.test(value) ? Number(value) : null
}

function causeOf(
  { verdict, freshness, receivedAt }: DeliveryRow,
  fault: Fault | null,
  headers: Delivery['headers'],
): string | null {
  if (verdict === 'unsigned') return 'no signature'
  if (verdict === 'unknown-hook') return 'no hook has this path'
  if (verdict === 'invalid')
    return (
      (fault === null ? undefined : forgeryWords[fault]) ??
      "signature doesn't match the hook's secret"
    )
  if (freshness === 'fresh') return null
  const signedAt = timestampIn(headers)
  if (freshness === 'missing' || signedAt === null) return 'no timestamp'
  const age = Date.parse(receivedAt) - signedAt
  return age > 0
    ? `signed ${minutesText(age)} before receipt`
    : `signed ${minutesText(-age)} after receipt`
}

function text(payload: unknown, path: string): string | null {
  const value = fieldAt(payload, path)
  return typeof value === 'string' && value !== '' ? value : null
}

function numberAt(payload: unknown, path: string): number | null {
  const value = fieldAt(payload, path)
  return typeof value === 'number' ? value : null
}

/** Null if it is a payload without any. */
function factsOf(payload: unknown): FlowFacts | null {
  const holder = fieldAt(payload, 'card') === undefined ? '' : 'card.'
  const facts: FlowFacts = {
    amount: numberAt(payload, 'amount'),
    cashback: numberAt(payload, 'offer.cashback'),
    fee: numberAt(payload, 'offer.performanceFee'),
    currency: text(payload, 'currency'),
    scheme: text(payload, `${holder}scheme`),
    lastNumbers: text(payload, `${holder}lastNumbers`),
    status: text(payload, 'status'),
  }
  return Object.values(facts).every((value) => value === null) ? null : facts
}

export function arrivedOf({ row, cause, attempt, duplicateOf, payload }: Arrival): FlowArrived {
  return {
    verdict: row.verdict,
    freshness: row.freshness,
    cause,
    attempt,
    duplicateOf,
    facts: factsOf(payload),
  }
}

/** What the receiver did with a request; `status` is null if it sent no response. */
export interface ReceiverAnswer {
  readonly status: number | null
  readonly ms: number
}

/** `isHeld`: the flow leaves it without a response. `isAcknowledged`: whether the service counts that status as received. */
function receiverResponse(
  { status, ms }: ReceiverAnswer,
  isHeld: boolean,
  isAcknowledged: (status: number) => boolean,
): FlowResponse {
  const by = 'receiver' as const
  if (status !== null)
    return {
      by,
      kind: 'status',
      status,
      ms,
      error: null,
      acknowledged: isAcknowledged(status),
      sendId: null,
    }
  const none = { by, status: null, acknowledged: false, sendId: null }
  // As fast as possible, these 20 seconds are sandbox time.
  if (isHeld || ms >= ACKNOWLEDGE_TIMEOUT_MS)
    return {
      ...none,
      kind: 'timeout',
      ms: Math.max(ms, ACKNOWLEDGE_TIMEOUT_MS),
      error: `${labelOf({ word: NO_RESPONSE_IN_TIME })}.`,
    }
  return { ...none, kind: 'dropped', ms, error: 'The connection was closed without a response.' }
}
