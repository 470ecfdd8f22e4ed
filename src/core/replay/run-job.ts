/**
 * Sends what waits of a job: so many at a time, so many a second, each written down before it goes and after. It ends when nothing
 * waits any more, when it is cancelled (what is under way is let end), or when the program ends (what is under way is cut off, and
 * is uncertain when the job is resumed).
 */
import type { ReplaySettings } from '../../shared/model/send.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { Clock } from '../deps.ts'
import type { SendResult } from '../dispatch/exchange.ts'
import type { Sender } from '../dispatch/sender.ts'
import type { EndedSend, WaitingSend } from '../store/sends-repo.ts'
import { obstacle } from './obstacle.ts'
import { notSent } from './not-sent.ts'
import { outgoingRequest } from './outgoing-request.ts'
import type { OwnSends } from './own-sends.ts'
import type { Recorder } from './recorder.ts'
import type { SigningHook } from './signing-hooks.ts'

export interface RunJobDeps {
  readonly clock: Clock
  readonly sender: Pick<Sender, 'send'>
  readonly recorder: Recorder
  readonly ownSends: OwnSends
  /** Prefixes under which captured headers may carry signature and timestamp. */
  readonly prefixes: readonly string[]
  /** What goes in place of the captured bodies; null: those. */
  readonly ownBody: Uint8Array | null
  /** The next sends after a place, in order; none where none waits. */
  nextPage(after: number): Promise<readonly WaitingSend[]>
  /** What a delivery is signed with; null where it belongs to no hook. Rejects with `SECRET_UNREADABLE`. */
  hookOf(delivery: Delivery): Promise<SigningHook | null>
  /** What is the matter with the endpoint's certificate, which was taken all the same. */
  certificateProblem(): string | null
  /** Hears that a send is written down as under way. */
  onBegun(): void
  /** Hears that a send has ended and is written down. */
  onEnded(send: EndedSend, outcome: Awaited<ReturnType<Recorder['end']>>): void
}

export interface RunJobSignals {
  /** No further send begins. */
  readonly cancelled: AbortSignal
  /** The program ends: what is under way is cut off. */
  readonly interrupted: AbortSignal
}

/** Whether an answer acknowledges the delivery; `ack` is what its environment takes for that. */
export function isAcknowledged({ status, failure }: SendResult, ack: '200' | '2xx'): boolean {
  if (status === null || failure !== null) return false
  return ack === '200' ? status === 200 : status >= 200 && status < 300
}

/** Hands out the sends of a job in order, reading them page by page. */
function createSource(nextPage: RunJobDeps['nextPage']): () => Promise<WaitingSend | null> {
  let page: readonly WaitingSend[] = []
  let index = 0
  let after = 0
  let reading: Promise<void> | null = null
  async function read(): Promise<void> {
    page = await nextPage(after)
    index = 0
    after = page.at(-1)?.position ?? Number.MAX_SAFE_INTEGER
  }
  return async () => {
    while (index >= page.length) {
      if (after === Number.MAX_SAFE_INTEGER) return null
      reading ??= read().finally(() => {
        reading = null
      })
      await reading
    }
    return page[index++] ?? null
  }
}

/** Resolves when it is the next one's turn; at once where no rate is set. */
export function createPacer(clock: Clock, rate: number | null, signal: AbortSignal): () => Promise<void> {
  let next = 0
  return async () => {
    if (rate === null) return
    const now = clock.monotonic()
    const mine = Math.max(now, next)
    next = mine + 1_000 / rate
    if (mine > now) await clock.sleep(mine - now, signal)
  }
}

export async function runJob(deps: RunJobDeps, settings: ReplaySettings, signals: RunJobSignals): Promise<void> {
  const { clock, sender, recorder, ownSends } = deps
  const { tamper, edits } = settings
  const { prefixes, ownBody } = deps
  const take = createSource(deps.nextPage)
  // Where one cannot go on (the disk is full), the others begin no further send either.
  const failed = new AbortController()
  const stop = AbortSignal.any([signals.cancelled, signals.interrupted, failed.signal])
  const turn = createPacer(clock, settings.rate, stop)

  /** Nobody waits for it but the end of the job: what the same worker begins next is written with it, or after it. */
  const endings = new Set<Promise<void>>()
  const end = (send: EndedSend) => {
    const ending = recorder.end(send).then((outcome) => {
      deps.onEnded(send, outcome)
    })
    endings.add(ending)
    ending.then(
      () => endings.delete(ending),
      () => {
        failed.abort()
      },
    )
  }

  async function sendOne({ seq, target, delivery, body: captured }: WaitingSend): Promise<void> {
    let hook: SigningHook | null = null
    let problem: string | null
    try {
      hook = delivery === null ? null : await deps.hookOf(delivery)
      problem = obstacle(delivery, { hook, tamper, edits, prefixes, hasOwnBody: ownBody !== null })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      problem = error.message
    }
    if (delivery === null || problem !== null) {
      end(notSent(seq, problem ?? 'The delivery was deleted.'))
      return
    }
    await recorder.begin({ seq, at: clock.now(), registeredUrl: edits.signature === 'recompute' ? (hook?.url ?? null) : null })
    deps.onBegun()
    if (signals.interrupted.aborted) return
    const { headers, body, signature, timestamp } = outgoingRequest(
      { headers: delivery.headers, body: ownBody ?? captured },
      hook,
      { tamper, edits, prefixes, wallTime: clock.now() },
    )
    const method = edits.method ?? delivery.method ?? 'POST'
    const forget = ownSends.expect({ signature, timestamp, body }, delivery.id)
    const result = await sender.send({
      url: target,
      method,
      headers,
      body,
      signal: signals.interrupted,
    })
    forget()
    // Cut off by the program's end: whether it arrived is not known, and the row says so by staying under way.
    if (signals.interrupted.aborted) return
    end({
      seq,
      state: 'settled',
      status: result.status,
      ms: result.ms,
      phases: result.phases,
      errorKind: result.failure?.kind ?? null,
      error: result.failure?.message ?? null,
      passed: isAcknowledged(result, hook?.ack ?? '200'),
      certificateProblem: deps.certificateProblem(),
      headers: result.headers,
      body: result.body,
      truncated: result.truncated,
      request: { method, headers },
    })
  }

  async function work(): Promise<void> {
    while (!stop.aborted) {
      const next = await take()
      if (next === null) return
      await turn()
      if (stop.aborted) return
      await sendOne(next)
    }
  }

  const workers = Array.from({ length: settings.concurrency }, () =>
    work().catch((error: unknown) => {
      failed.abort()
      throw error
    }),
  )
  const worked = await Promise.allSettled(workers)
  const written = await Promise.allSettled(endings)
  for (const result of [...worked, ...written]) if (result.status === 'rejected') throw result.reason
}
