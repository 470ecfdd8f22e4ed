/**
 * The developer's endpoint in a run. Each arriving delivery is forwarded to it, re-signed with the endpoint's secret over its
 * registered URL. Forged deliveries are forged the same way for it.
 */
import { withScheme } from '../../shared/http.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { Tamper } from '../../shared/model/send.ts'
import type { Fault } from '../../shared/model/sending.ts'
import { DEFAULT_PREFIX } from '../../shared/service/header-names.ts'
import type { Clock } from '../base/deps.ts'
import { createMutex } from '../base/mutex.ts'
import { outgoingRequest } from '../outgoing/outgoing-request.ts'
import { NO_EDITS } from '../../shared/model/replay-edits.ts'
import type { Admitted } from '../outgoing/admit.ts'
import type { OwnSends } from '../outgoing/own-sends.ts'
import type { SendResult } from '../outgoing/send.ts'
import { secretKey } from '../signature/sign.ts'

export interface HandlerOptions {
  readonly url: string
  readonly registeredUrl: string | null
  readonly secret: string
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
    delivery: Pick<Delivery, 'id' | 'headers'>,
    body: Uint8Array,
    fault: Fault | null,
    signal: AbortSignal,
  ): Promise<HandlerAnswer>
  close(): Promise<void>
}

export interface HandlerDeps {
  readonly ownSends: OwnSends
  readonly clock: Clock
  /** Prefixes of header names. */
  prefixes(): readonly string[]
}

/** Opens the handler of an admitted run. */
export type OpenHandler = (options: HandlerOptions, admitted: Admitted) => Handler

const tamperOf: Partial<Record<Fault, Tamper>> = {
  'wrong-secret': 'secret',
  'single-pass': 'single-pass',
  stale: 'stale',
  'altered-body': 'body',
}

export function createHandlerOpener({ ownSends, clock, prefixes }: HandlerDeps): OpenHandler {
  return ({ url, registeredUrl, secret, saved = null }, { targets, createSender }) => {
    const target = targets[0]?.href ?? url
    const sender = createSender({ keepAlive: false })
    const signing = { key: secretKey(secret), url: registeredUrl ?? withScheme(url), prefix: DEFAULT_PREFIX }
    const exclusive = createMutex()
    return {
      url: target,
      name: saved?.name ?? null,
      send: ({ id, headers }, body, fault, signal) =>
        exclusive(async () => {
          const tamper = fault === null ? null : (tamperOf[fault] ?? null)
          const request = outgoingRequest({ headers, body }, signing, {
            tamper,
            edits: NO_EDITS,
            prefixes: prefixes(),
            wallTime: clock.now(),
          })
          const { forget } = ownSends.expect(request, id)
          try {
            const { status, ms, phases, failure } = await sender.send({
              url: target,
              headers: request.headers,
              body: request.body,
              signal,
            })
            const wasSent = failure === null || phases.connect < ms
            return { status: failure === null ? status : null, ms, failure, wasSent, sendId: null }
          } finally {
            forget()
          }
        }),
      close: () => sender.close(),
    }
  }
}
