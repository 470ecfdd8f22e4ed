/** What arrives in a run: each delivery is read, goes on to the developer's endpoint where there is one, and may be held on purpose. */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Fault } from '../../shared/model/sending.ts'
import type { Log } from '../base/deps.ts'
import type { Store } from '../store/store.ts'
import type { Arrival, ArrivalReader } from './arrivals.ts'
import type { Handler, HandlerAnswer } from './handler.ts'
import type { RunHook } from './run-hooks.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'
import type { RunTime } from './run-time.ts'

interface RunInbox {
  /** Everything that has arrived, in its order. */
  readonly arrivals: readonly Arrival[]
  /** What the developer's endpoint answers to each delivery; null where there is none. */
  readonly answers: ReadonlyMap<string, Promise<HandlerAnswer>> | null
  /** Tells of a delivery that the receiver has just stored: business time then, and how the last trigger departed from the interface. */
  take(row: DeliveryRow, hook: RunHook, businessAt: number, fault: Fault | null): void
  /** Whether a delivery is being read. */
  isReading(): boolean
  /** Why a delivery could not be read; null where none failed. */
  problem(): string | null
  /** Resolves once all that has been told of is read. */
  settled(): Promise<void>
}

interface RunInboxDeps {
  readonly log: Pick<Log, 'bug'>
  readonly store: Pick<Store, 'read'>
  readonly reader: ArrivalReader
  readonly handler: Handler | null
  /** Aborts when the run is cancelled: nobody waits for the handler then. */
  readonly signal: AbortSignal
  /** A delivery of this hook has been read. */
  onRead(hook: RunHook): Promise<void>
  /** The inbox is otherwise than before. */
  onChanged(): void
}

export function createRunInbox({ log, store, reader, handler, signal, onRead, onChanged }: RunInboxDeps): RunInbox {
  const arrivals: Arrival[] = []
  const answers = new Map<string, Promise<HandlerAnswer>>()
  let reading = 0
  let placed = 0
  let lastRead: Promise<void> = Promise.resolve()
  let problem: string | null = null

  async function read(row: DeliveryRow, hook: RunHook, place: number, businessAt: number, fault: Fault | null): Promise<void> {
    const arrival = await reader.read({ row, hook: hook.name, event: hook.event, place, businessAt }, arrivals)
    const headers = handler === null ? [] : (await store.read('get', row.id)).headers
    // Together, so that no step finds a delivery that is not on its way to the handler yet.
    arrivals.push(arrival)
    if (handler === null) return
    // What arrived forged or stale goes on in the same way; what is genuine, though a fault is on, does too.
    const isDeparted = row.verdict !== 'valid' || row.freshness !== 'fresh'
    const answering = handler.send({ id: row.id, headers }, arrival.body, isDeparted ? fault : null, signal)
    answering.catch(() => undefined)
    answers.set(row.id, answering)
  }

  return {
    arrivals,
    answers: handler === null ? null : answers,
    isReading: () => reading > 0,
    problem: () => problem,
    settled: () => lastRead,
    take(row, hook, businessAt, fault) {
      const place = placed++
      reading++
      lastRead = lastRead
        .then(() => read(row, hook, place, businessAt, fault))
        .then(() => onRead(hook))
        .catch((error: unknown) => {
          problem = `Couldn't read a delivery (reference ${log.bug(error, 'a flow')}).`
        })
        .finally(() => {
          reading--
          onChanged()
        })
    },
  }
}

interface HeldAnswers {
  /** For an attempt at a URL that begins now: ends its wait as though its time had run out. */
  timeOutOf(url: string): AbortSignal
  /** A delivery has arrived: holds it where the flow wants that. `leaps`: the run goes as fast as possible. */
  arrived(hook: RunHook, leaps: boolean): Promise<void>
  /** From now on the run goes as fast as possible: what is held leaps too. */
  leap(): Promise<void>
}

interface Held {
  readonly url: string
  /** When it arrived, by the clock of the run. */
  readonly since: number
}

interface HeldAnswersDeps {
  readonly time: Pick<RunTime, 'now'>
  /** Lets so many milliseconds of business time pass at once. */
  jump(ms: number): Promise<void>
  /** From now on deliveries of this hook are answered 200. */
  answerPlainly(hook: RunHook): Promise<void>
}

/**
 * Deliveries that a flow leaves without an answer on purpose, so that the service gives up on them after 20 seconds (section 6.4). At
 * real or any finite speed these are seconds of the wall clock. As fast as possible nobody waits for them: once such a delivery
 * has arrived, the clock of the run leaps by what is left of its 20 seconds, and only then the attempt at it times out. No other
 * attempt is cut short, however busy the machine is.
 */
export function createHeldAnswers({ time, jump, answerPlainly }: HeldAnswersDeps): HeldAnswers {
  const counts = new Map<string, number>()
  /** Of each URL, the attempts that have begun and may time out, the oldest first. */
  const attempts = new Map<string, AbortController[]>()
  let held: readonly Held[] = []

  async function giveUp({ url, since }: Held): Promise<void> {
    await jump(Math.max(0, since + ACKNOWLEDGE_TIMEOUT_MS - time.now()))
    attempts.get(url)?.shift()?.abort()
  }

  return {
    timeOutOf(url) {
      const attempt = new AbortController()
      attempts.set(url, [...(attempts.get(url) ?? []), attempt])
      return attempt.signal
    },
    async arrived(hook, leaps) {
      const { id, url, wanted } = hook
      const most = wanted?.answers?.holdFirst ?? 0
      const count = (counts.get(id) ?? 0) + 1
      counts.set(id, count)
      // It is answered, so it needs no end.
      if (count > most) {
        attempts.get(url)?.shift()
        return
      }
      if (count === most) await answerPlainly(hook)
      const one: Held = { url, since: time.now() }
      if (leaps) await giveUp(one)
      else held = [...held, one]
    },
    async leap() {
      const now = held
      held = []
      for (const one of now) await giveUp(one)
    },
  }
}
