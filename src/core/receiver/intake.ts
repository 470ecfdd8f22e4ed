/**
 * Handles a request between its last byte and its response: verifies the signature, stores the delivery, and only then decides the
 * response. Nothing here waits for a search.
 */
import { hash } from 'node:crypto'
import { AppError } from '../../shared/contract/errors.ts'
import type { DeliveryFlow, DeliveryRow } from '../../shared/model/delivery.ts'
import type { Ids } from '../base/deps.ts'
import type { Judgement, Registry } from '../hooks/registry.ts'
import type { StreamedMatch } from '../signature/verify.ts'
import type { Arrivals, OwnSends } from '../outgoing/own-sends.ts'
import { receivedRow, type CapturedDelivery } from '../store/delivery-columns.ts'
import type { Store } from '../store/store.ts'
import { responseToKeep, type Answering, type ReceivedRequest } from './exchange.ts'
import type { Overflow } from './read-body.ts'
import { type Answerer, createRuling } from './ruling.ts'

export interface IntakeDeps {
  readonly registry: Registry
  readonly store: Pick<Store, 'capture' | 'answered'>
  readonly ids: Ids
  readonly ownSends: Pick<OwnSends, 'replayOf'>
  readonly arrivals: Pick<Arrivals, 'arrived'>
  /** The forward target that responds instead of the rule; null if there is none. */
  answerer(): Answerer | null
  isPaused(): boolean
  /** The flow run that uses this hook; null if none does. */
  flowRunOf(hookId: string): Pick<DeliveryFlow, 'flow' | 'run'> | null
  onStored(row: DeliveryRow): void
  /** The response of a stored delivery; `status` is null if none was sent. */
  onAnswered(
    row: DeliveryRow,
    answer: { readonly status: number | null; readonly ms: number },
  ): void
  onUnstored(error: AppError): void
}

export type Intake = ReturnType<typeof createIntake>

/** Nothing was stored, so the sender must try again. */
export const UNAVAILABLE: Answering = {
  status: 503,
  headers: [['Retry-After', '5']],
  body: '',
  delayMs: 0,
  drop: false,
  onAnswered: () => undefined,
}

/** A verification in progress while the body streams. */
interface StreamedOverflow extends Overflow {
  readonly judging: ReturnType<Registry['judgeStream']>
}

function shortHash(text: string): number {
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16)
}

/**
 * 48 bits of a hash over what makes two deliveries the same notification: the sender's own name for it (then negative), or hook,
 * verdict and body. Null if nothing can.
 */
function notificationKeyOf(judgement: Judgement, bodySha256: string): number | null {
  const { hook, messageId, verdict } = judgement
  const hookId = hook?.id ?? ''
  if (messageId !== null) return -shortHash(`message ${hookId} ${verdict} ${messageId}`)
  return hook === null ? null : shortHash(`body ${hookId} ${verdict} ${bodySha256}`)
}

const UNSIGNED: Judgement = {
  verdict: 'unsigned',
  freshness: 'missing',
  hook: null,
  proved: false,
  timestamp: null,
  signature: null,
  messageId: null,
}

export function createIntake(deps: IntakeDeps) {
  const { registry, store } = deps
  const ruling = createRuling()

  async function judge(request: ReceivedRequest): Promise<Judgement> {
    const { overflow, headers, body, receivedAt } = request
    // Without a request line there is nothing to verify; half a body can't match, but its headers are still useful.
    if (request.path === null) return UNSIGNED
    if (overflow !== null) return (overflow as StreamedOverflow).judging.finish(headers, receivedAt)
    return registry.judge(request.path, headers, body.kept, receivedAt)
  }

  return {
    startOverflow(target: string): Overflow {
      const judging = registry.judgeStream(target)
      const stream: StreamedMatch = judging.stream
      return {
        judging,
        update: (chunk: Uint8Array) => stream.update(chunk),
      } as StreamedOverflow
    },
    async take(request: ReceivedRequest): Promise<Answering> {
      if (deps.isPaused()) return UNAVAILABLE
      const judgement = await judge(request)
      const { hook, verdict, freshness, proved } = judgement
      const { body } = request
      const bodySha256 = body.sha256 === '' ? hash('sha256', body.kept, 'hex') : body.sha256
      const id = deps.ids.next()
      const event = proved ? (hook?.event ?? null) : null
      const seen = { signature: judgement.signature, timestamp: judgement.timestamp, bodySha256 }
      const replayOf = deps.ownSends.replayOf(seen)
      // Our own sends aren't attempts of the service, and don't count as such.
      const notificationKey =
        request.malformed === null && replayOf === null
          ? notificationKeyOf(judgement, bodySha256)
          : null
      const captured: Omit<CapturedDelivery, 'seq'> = {
        id,
        receivedAt: request.receivedAt,
        method: request.method,
        path: request.path,
        malformed: request.malformed,
        httpVersion: request.httpVersion,
        headers: JSON.stringify(request.headers),
        trailers: request.trailers.length === 0 ? null : JSON.stringify(request.trailers),
        bodySize: body.size,
        bodySha256,
        truncated: body.truncated,
        remote: request.remote,
        event,
        eventSource: event === null ? null : 'hook',
        hookId: hook?.id ?? null,
        environment: hook?.environment ?? null,
        mode: hook?.mode ?? null,
        verdict,
        freshness,
        notificationKey,
        replayOf,
      }
      // Stored with the delivery: a list that hides flow runs never shows it.
      const flowRun = hook === null ? null : deps.flowRunOf(hook.id)
      let seq: number
      try {
        seq = await store.capture({
          row: flowRun === null ? captured : { ...captured, flowRun },
          body: body.kept,
        })
      } catch (error) {
        deps.onUnstored(
          error instanceof AppError
            ? error
            : new AppError('STORE_UNAVAILABLE', (error as Error).message, { cause: error }),
        )
        return UNAVAILABLE
      }
      deps.arrivals.arrived(seen, id)
      const row: DeliveryRow = {
        ...receivedRow({ seq, ...captured }),
        flowRun: flowRun && { ...flowRun, step: null },
      }
      deps.onStored(row)
      const ruled = ruling.decide(hook, notificationKey)
      // Our own sends and incomplete requests are never forwarded.
      const answerer =
        replayOf === null && row.malformed === null && !body.truncated ? deps.answerer() : null
      const answer = answerer?.({
        ...row,
        httpVersion: request.httpVersion,
        headers: request.headers,
        trailers: request.trailers,
        bodySha256,
        bodyLost: false,
        last4: null,
        judgedAt: null,
        replayOf: null,
        remote: request.remote,
        response: null,
        body: body.kept,
      })
      const accepted = (await answer) ?? ruled
      const decided = body.truncated
        ? { ...accepted, status: 413, headers: [], body: '' }
        : accepted
      return {
        ...decided,
        onAnswered: (status, ms) => {
          store.answered({ seq, status, ms, response: responseToKeep(decided, status) })
          deps.onAnswered(row, { status, ms })
        },
      }
    },
  }
}
