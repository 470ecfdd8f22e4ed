/**
 * Handles a request between its last byte and its response: verifies, stores, and only then decides
 * the response.
 */
import { hash } from 'node:crypto'
import type { DeliveryFlow } from '../../shared/model/delivery.ts'
import type { Deps } from '../base/deps.ts'
import type { EventHub, ReceivedDelivery } from '../base/event-hub.ts'
import {
  hookColumns,
  type Judgement,
  type RegisteredHook,
  type Registry,
} from '../hooks/registry.ts'
import type { Arrivals, OwnSends } from '../outgoing/own-sends.ts'
import type { CapturedDelivery } from '../store/delivery-columns.ts'
import type { Store } from '../store/store.ts'
import type { Probes } from './probes.ts'
import type { ReceivedBody, ReceivedRequest } from './request.ts'
import { createResponseRules } from './response-rule.ts'
import {
  PLAIN_DECISION,
  responseToKeep,
  type Responder,
  type ReportedDecision,
} from './responses.ts'

type Captured = Omit<CapturedDelivery, 'seq'>
type StoredDelivery = ReceivedDelivery &
  Pick<Captured, 'malformed' | 'notificationKey' | 'replayOf'>

interface IntakeDeps extends Pick<Deps, 'ids' | 'log'> {
  readonly registry: Registry
  readonly store: Pick<Store, 'capture' | 'answered'>
  readonly hub: Pick<EventHub, 'emit'>
  readonly ownSends: Pick<OwnSends, 'takeReplayed'>
  readonly arrivals: Pick<Arrivals, 'arrived'>
  readonly probes: Pick<Probes, 'answerTo'>
  answerer(): Responder | null
  isPaused(): boolean
  flowRunOf(hookId: string): Pick<DeliveryFlow, 'flow' | 'run'> | null
}

/** Response if nothing was stored, so that the sender tries again. */
const UNAVAILABLE: ReportedDecision = {
  ...PLAIN_DECISION,
  status: 503,
  headers: [['Retry-After', '5']],
  onAnswered: () => undefined,
}

function shortHash(text: string): number {
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16)
}

/**
 * Returns 48 bits of a hash that attempts of one notification share: of the message ID (then
 * negative), or of hook, verdict and body.
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
  timestamp: null,
  signature: null,
  messageId: null,
}

export class Intake {
  readonly #deps: IntakeDeps
  readonly #ruling = createResponseRules()

  constructor(deps: IntakeDeps) {
    this.#deps = deps
  }

  readonly take = async (request: ReceivedRequest): Promise<ReportedDecision> => {
    const deps = this.#deps
    const probeResponse = deps.probes.answerTo(request)
    if (probeResponse !== null) return probeResponse
    if (deps.isPaused()) return UNAVAILABLE
    const judgement = await this.#judge(request)
    const { body } = request
    const bodySha256 = body.sha256 === '' ? hash('sha256', body.kept, 'hex') : body.sha256
    const signedParts = {
      signature: judgement.signature,
      timestamp: judgement.timestamp,
      bodySha256,
    }
    const captured = this.#captured(
      request,
      judgement,
      bodySha256,
      deps.ownSends.takeReplayed(signedParts),
    )
    const seq = await this.#store(captured, body)
    if (seq === null) return UNAVAILABLE
    deps.arrivals.arrived(signedParts, captured.id)
    const delivery: StoredDelivery = {
      ...captured,
      seq,
      receivedAt: new Date(request.receivedAt).toISOString(),
    }
    deps.hub.emit('delivery.stored', delivery)
    return this.#respond(delivery, judgement.hook, body)
  }

  async #judge(request: ReceivedRequest): Promise<Judgement> {
    const { headers, body, receivedAt } = request
    // Nothing to verify without a request line; half a body can't match, but its headers are
    // useful.
    if (request.path === null) return UNSIGNED
    if (body.oversizedVerification !== null)
      return body.oversizedVerification.finish(headers, receivedAt)
    return this.#deps.registry.judge(request.path, headers, body.kept, receivedAt)
  }

  #captured(
    request: ReceivedRequest,
    judgement: Judgement,
    bodySha256: string,
    replayOf: CapturedDelivery['replayOf'],
  ): Captured {
    const { hook, verdict, freshness } = judgement
    const event = verdict === 'valid' ? (hook?.event ?? null) : null
    return {
      id: this.#deps.ids.next(),
      receivedAt: request.receivedAt,
      method: request.method,
      path: request.path,
      malformed: request.malformed,
      httpVersion: request.httpVersion,
      headers: JSON.stringify(request.headers),
      trailers: request.trailers.length === 0 ? null : JSON.stringify(request.trailers),
      bodySize: request.body.size,
      bodySha256,
      truncated: request.body.oversizedVerification !== null,
      remote: request.remote,
      event,
      eventSource: event === null ? null : 'hook',
      ...hookColumns(hook),
      verdict,
      freshness,
      // Our own sends aren't attempts of the service, and don't count as such.
      notificationKey:
        request.malformed === null && replayOf === null
          ? notificationKeyOf(judgement, bodySha256)
          : null,
      replayOf,
    }
  }

  /** Resolves with the seq, or with null if the delivery couldn't be stored. */
  async #store(captured: Captured, body: ReceivedBody): Promise<number | null> {
    const deps = this.#deps
    // Stored in the same commit, so that a list that hides flow runs never shows it.
    const flowRun = captured.hookId === null ? null : deps.flowRunOf(captured.hookId)
    try {
      return await deps.store.capture({
        row: flowRun === null ? captured : { ...captured, flowRun },
        body: body.kept,
      })
    } catch (error) {
      deps.log.warn("A delivery couldn't be stored and got the response 503.", {
        reason: (error as Error).message,
      })
      return null
    }
  }

  async #respond(
    delivery: StoredDelivery,
    hook: RegisteredHook | null,
    body: ReceivedBody,
  ): Promise<ReportedDecision> {
    const deps = this.#deps
    const ruleDecision = this.#ruling.decide(hook, delivery.notificationKey)
    const isWhole = body.oversizedVerification === null
    // Our own sends and incomplete requests are never forwarded.
    const answerer =
      delivery.replayOf === null && delivery.malformed === null && isWhole ? deps.answerer() : null
    const chosenDecision = (await answerer?.(delivery, body.kept)) ?? ruleDecision
    const finalDecision = isWhole
      ? chosenDecision
      : { ...chosenDecision, status: 413, headers: [], body: '' }
    return {
      ...finalDecision,
      onAnswered: (status, ms) => {
        deps.store.answered({
          seq: delivery.seq,
          status,
          ms,
          response: responseToKeep(finalDecision, status),
        })
        deps.hub.emit('delivery.answered', { delivery, status, ms })
      },
    }
  }
}
