/**
 * The developer's endpoint in a run. Each arriving delivery is forwarded to it, re-signed with the endpoint's secret over its
 * registered URL. Forged deliveries are forged the same way for it.
 */
import { withScheme } from '../../shared/http.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { Tamper } from '../../shared/model/send.ts'
import type { Fault } from '../../shared/model/sandbox.ts'
import type { Clock, Log } from '../base/deps.ts'
import { createMutex } from '../base/async.ts'
import { outgoingRequest } from '../outgoing/outgoing-request.ts'
import { isForged, NO_EDITS } from '../../shared/model/replay-edits.ts'
import type { Admitted } from '../outgoing/admit.ts'
import type { OwnSends } from '../outgoing/own-sends.ts'
import { isSendAcknowledged, settledSend, type SendResult } from '../outgoing/send.ts'
import { secretKey } from '../signature/sign.ts'
import { packSends, type EndedSend } from '../store/sends.ts'
import type { Store } from '../store/store.ts'

export interface HandlerOptions {
  readonly url: string
  readonly registeredUrl: string | null
  readonly secret: string
  /** The prefix of its header names. */
  readonly prefix: string
  readonly targetCa: string | null
  /** The saved handler; null or missing if the URL isn't saved. */
  readonly saved?: { readonly id: string; readonly name: string } | null
}

export interface HandlerAnswer {
  /** Null if there was no complete response; `failure` then says why. */
  readonly status: number | null
  readonly ms: number
  readonly failure: SendResult['failure']
  /** Whether the connection was established, so that the handler may have got the request. */
  readonly wasSent: boolean
  /** The send with the response's headers and body; null if it isn't stored. */
  readonly sendId: string | null
}

export interface Handler {
  /** The endpoint's URL. */
  readonly url: string
  /** The saved handler's name; null if the URL isn't saved. */
  readonly name: string | null
  /** Queues a delivery for the endpoint. Aborting the signal cancels it. */
  send(
    delivery: Pick<Delivery, 'id' | 'seq' | 'headers'>,
    body: Uint8Array,
    fault: Fault | null,
    signal: AbortSignal,
  ): Promise<HandlerAnswer>
  close(): Promise<void>
}

export interface HandlerDeps {
  readonly store: Pick<Store, 'write'>
  readonly log: Pick<Log, 'warn'>
  readonly ownSends: OwnSends
  readonly clock: Clock
  /** Prefixes of header names. */
  prefixes(): readonly string[]
}

/** The run that a handler is opened for. */
interface HandlerRun {
  readonly id: string
  /** Which statuses acknowledge a delivery in its environment. */
  readonly ack: '200' | '2xx'
}

/** Opens the handler of an admitted run. Everything sent to it is stored as a send of its delivery. */
export type OpenHandler = (options: HandlerOptions, admitted: Admitted, run: HandlerRun) => Handler

const tamperOf: Partial<Record<Fault, Tamper>> = {
  'wrong-secret': 'secret',
  'single-pass': 'single-pass',
  stale: 'stale',
  'altered-body': 'body',
}

export function createHandlerOpener({
  store,
  log,
  ownSends,
  clock,
  prefixes,
}: HandlerDeps): OpenHandler {
  return ({ url, registeredUrl, secret, prefix, saved = null }, { targets, createSender }, run) => {
    const target = targets[0]?.href ?? url
    let certificateProblem: string | null = null
    const sender = createSender({
      keepAlive: false,
      onCertificate(problem) {
        certificateProblem = problem
      },
    })
    const signing = {
      key: secretKey(secret),
      url: registeredUrl ?? withScheme(url),
      prefix,
    }
    const exclusive = createMutex()
    let sent = 0

    /** The send's id; null if it couldn't be stored, which doesn't stop the run. */
    async function kept(send: EndedSend): Promise<string | null> {
      try {
        const { deliveries } = await store.write('sends', packSends([send]))
        return deliveries.length === 0 ? null : `${send.jobId}.${send.position}`
      } catch (error) {
        log.warn("Couldn't store what a flow sent.", {
          run: run.id,
          reason: (error as Error).message,
        })
        return null
      }
    }

    return {
      url: target,
      name: saved?.name ?? null,
      send: ({ id, seq, headers: captured }, body, fault, signal) =>
        exclusive(async () => {
          const tamper = fault === null ? null : (tamperOf[fault] ?? null)
          const startedAt = clock.now()
          const request = outgoingRequest({ headers: captured, body }, signing, {
            tamper,
            edits: NO_EDITS,
            prefixes: prefixes(),
            wallTime: startedAt,
          })
          const { headers } = request
          const expected = ownSends.expect(request, id)
          const result = await sender
            .send({ url: target, headers, body: request.body, signal })
            .finally(expected.forget)
          const { status, ms, phases, failure } = result
          const identity = {
            jobId: run.id,
            position: sent + 1,
            kind: 'flow',
            deliverySeq: seq,
            target,
            handlerId: saved?.id ?? null,
            tamper,
            variant: null,
            forged: isForged({ tamper, edited: [] }),
          } as const
          // A cancelled request says nothing about the handler.
          const isKept = failure?.kind !== 'cancelled'
          if (isKept) sent++
          const sendId = isKept
            ? await kept(
                settledSend(identity, result, {
                  startedAt,
                  registeredUrl: signing.url,
                  passed: expected.cameBack() ? null : isSendAcknowledged(result, run.ack),
                  certificateProblem,
                  request: { method: 'POST', headers },
                }),
              )
            : null
          const wasSent = failure === null || phases.connect < ms
          return { status: failure === null ? status : null, ms, failure, wasSent, sendId }
        }),
      close: () => sender.close(),
    }
  }
}
