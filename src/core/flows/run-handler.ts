/** Forwards the deliveries of a run to the developer's endpoint, re-signed or forged like them. */
import { withScheme } from '../../shared/http.ts'
import type { FlowResponse } from '../../shared/model/flow-run.ts'
import { isForged, NO_EDITS } from '../../shared/model/replay-edits.ts'
import type { Fault } from '../../shared/model/notification.ts'
import type { Tamper } from '../../shared/model/send.ts'
import { headerNames } from '../../shared/service/header-names.ts'
import { createMutex } from '../base/async.ts'
import type { Clock, Log } from '../base/deps.ts'
import { signerOf, type EventSigner } from '../hooks/event-signers.ts'
import type { Admitted } from '../outgoing/admit.ts'
import { outgoingRequest } from '../outgoing/outgoing-request.ts'
import type { OwnSends } from '../outgoing/own-sends.ts'
import {
  isSendAcknowledged,
  NOT_CONNECTED,
  settledSend,
  type Sender,
  type SendResult,
} from '../outgoing/send.ts'
import { secretKey } from '../signature/sign.ts'
import { packSends, type EndedSend } from '../store/record-sends.ts'
import type { Store } from '../store/store.ts'
import type { Arrival } from './arrivals.ts'

export interface HandlerOptions {
  readonly url: string
  /** URL to sign instead of the signers' URLs or `url`. */
  readonly registeredUrl: string | null
  /** Signers that the endpoint verifies with, at least one. */
  readonly signers: readonly EventSigner[]
  readonly prefix: string
  readonly targetCa: string | null
  readonly saved?: { readonly id: string; readonly name: string } | null
}

interface HandlerDeps {
  readonly store: Pick<Store, 'write'>
  readonly log: Pick<Log, 'warn'>
  readonly ownSends: OwnSends
  readonly clock: Clock
  prefixes(): readonly string[]
}

export type OpenHandler = ReturnType<typeof createHandlerOpener>

const tamperByFault: Partial<Record<Fault, Tamper>> = {
  'wrong-secret': 'secret',
  'single-pass': 'single-pass',
  stale: 'stale',
  'altered-body': 'body',
}

/** Creates the function that opens the handler of a run, which stores everything it sends. */
export function createHandlerOpener(deps: HandlerDeps) {
  return (options: HandlerOptions, admitted: Admitted, run: HandlerRun): Handler =>
    new Handler(deps, options, admitted, run)
}

interface HandlerRun {
  readonly id: string
  readonly ack: '200' | '2xx'
}

type SentDelivery = Pick<Arrival, 'row' | 'event' | 'headers' | 'body'>

/** Developer's endpoint in one run. */
export class Handler {
  readonly url: string
  readonly signatureHeader: string
  readonly #deps: HandlerDeps
  readonly #options: HandlerOptions
  readonly #run: HandlerRun
  readonly #sender: Sender
  readonly #exclusive = createMutex()
  #certificateProblem: string | null = null
  #sentCount = 0

  constructor(
    deps: HandlerDeps,
    options: HandlerOptions,
    { targets, createSender }: Admitted,
    run: HandlerRun,
  ) {
    this.#deps = deps
    this.#options = options
    this.#run = run
    this.url = targets[0]?.href ?? options.url
    this.signatureHeader = headerNames(options.prefix).signature
    this.#sender = createSender({
      keepAlive: false,
      onCertificate: (problem) => {
        this.#certificateProblem = problem
      },
    })
  }

  /** Name of the saved handler; null if the URL isn't saved. */
  get name(): string | null {
    return this.#options.saved?.name ?? null
  }

  /** Queues a delivery for the endpoint; aborting the signal cancels it. */
  send(delivery: SentDelivery, fault: Fault | null, signal: AbortSignal): Promise<FlowResponse> {
    return this.#exclusive(() => this.#sendNow(delivery, fault, signal))
  }

  close(): Promise<void> {
    return this.#sender.close()
  }

  async #sendNow(
    { row: { id, seq }, event, headers: captured, body }: SentDelivery,
    fault: Fault | null,
    signal: AbortSignal,
  ): Promise<FlowResponse> {
    const { clock, ownSends } = this.#deps
    const tamper = fault === null ? null : (tamperByFault[fault] ?? null)
    const startedAt = clock.now()
    const signing = this.#signingOf(event)
    const request = outgoingRequest({ headers: captured, body }, signing, {
      tamper,
      edits: signing.edits,
      prefixes: this.#deps.prefixes(),
      wallTime: startedAt,
    })
    const { headers } = request
    const expected = ownSends.announce(request, id)
    const result = await this.#sender
      .send({ url: this.url, headers, body: request.body, signal })
      .finally(expected.forget)
    const acknowledged = isSendAcknowledged(result, this.#run.ack)
    // A cancelled request says nothing about the handler.
    if (result.failure?.kind === 'cancelled') return responseTo(result, acknowledged, null)
    const identity = {
      replayId: this.#run.id,
      position: ++this.#sentCount,
      kind: 'flow',
      deliverySeq: seq,
      target: this.url,
      handlerId: this.#options.saved?.id ?? null,
      tamper,
      variant: null,
      forged: isForged({ tamper, edited: [] }),
    } as const
    const sendId = await this.#store(
      settledSend(identity, result, {
        startedAt,
        registeredUrl: signing.url,
        passed: expected.wasReturned() ? null : acknowledged,
        certificateProblem: this.#certificateProblem,
        request: { method: 'POST', headers },
      }),
    )
    return responseTo(result, acknowledged, sendId)
  }

  #signingOf(event: string) {
    const { url, registeredUrl, signers, prefix } = this.#options
    const signer = signerOf(signers, event)
    return {
      key: secretKey(signer.secret),
      url: registeredUrl ?? signer.url ?? withScheme(url),
      prefix,
      edits: { ...NO_EDITS, setHeaders: Object.entries(signer.headers) },
    }
  }

  /** Stores a send and returns its id; null if that fails. */
  async #store(send: EndedSend): Promise<string | null> {
    const { store, log } = this.#deps
    try {
      const { deliveries } = await store.write('sends', packSends([send]))
      return deliveries.length === 0 ? null : `${send.replayId}.${send.position}`
    } catch (error) {
      log.warn("Couldn't store what a flow sent.", {
        run: this.#run.id,
        reason: (error as Error).message,
      })
      return null
    }
  }
}

function responseTo(
  { status, ms, phases, failure }: SendResult,
  acknowledged: boolean,
  sendId: string | null,
): FlowResponse {
  const result = { by: 'handler', ms, acknowledged, sendId } as const
  if (failure === null) return { ...result, kind: 'status', status, error: null }
  const isUnreached = phases.connect >= ms || NOT_CONNECTED.has(failure.kind)
  return {
    ...result,
    kind: isUnreached ? 'unreachable' : failure.kind === 'timeout' ? 'timeout' : 'dropped',
    status: null,
    error: failure.message,
  }
}
