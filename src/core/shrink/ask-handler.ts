/**
 * Sends a handler a smaller body instead of the captured one, with a fresh signature, and reports how it fails. Nothing is stored,
 * because the service never sent these bodies.
 */
import type { Delivery } from '../../shared/model/delivery.ts'
import { NO_EDITS } from '../../shared/model/replay-edits.ts'
import type { SendFailureKind } from '../../shared/model/send.ts'
import type { HandlerFailure } from '../../shared/model/shrink.ts'
import type { Clock } from '../base/deps.ts'
import { type Sender, isSendAcknowledged } from '../outgoing/send.ts'
import { outgoingRequest } from '../outgoing/outgoing-request.ts'
import type { OwnSends } from '../outgoing/own-sends.ts'
import type { SigningHook } from '../outgoing/signing-hooks.ts'

export interface AskHandlerDeps {
  readonly clock: Clock
  readonly sender: Pick<Sender, 'send'>
  readonly ownSends: OwnSends
  readonly delivery: Delivery
  readonly hook: SigningHook
  readonly prefixes: readonly string[]
  readonly target: string
  readonly signal: AbortSignal
  /** Called before each request. */
  onSend(): void
}

/** The handler can't be reached, so nothing was learned. The message is a sentence. */
export class Unreachable extends Error {
  readonly kind: SendFailureKind
  constructor(kind: SendFailureKind, message: string) {
    super(message)
    this.name = 'Unreachable'
    this.kind = kind
  }
}

/** None of these are the handler's failures. */
const beforeTheHandler: readonly SendFailureKind[] = [
  'refused',
  'unknown-host',
  'certificate',
  'tls',
  'not-allowed',
  'cancelled',
]
/** A handler crashed by a body may be restarted by its supervisor. Delays before the retries, in milliseconds. */
const RESTART_WAITS_MS = [200, 500, 1_000, 2_000, 4_000]
const ANSWER_SHOWN = 500

/** Returns a function that asks the handler: null if it acknowledges. Rejects with `Unreachable`. */
export function createAskHandler(
  deps: AskHandlerDeps,
): (body: Uint8Array) => Promise<HandlerFailure | null> {
  const { clock, sender, ownSends, delivery, hook, prefixes, target, signal } = deps

  async function sendOnce(body: Uint8Array) {
    const made = outgoingRequest({ headers: delivery.headers, body }, hook, {
      tamper: null,
      edits: NO_EDITS,
      prefixes,
      wallTime: clock.now(),
    })
    deps.onSend()
    const { forget } = ownSends.expect(made, delivery.id)
    try {
      const { headers } = made
      return await sender.send({
        url: target,
        method: delivery.method ?? 'POST',
        headers,
        body: made.body,
        signal,
      })
    } finally {
      forget()
    }
  }

  return async (body) => {
    let result = await sendOnce(body)
    for (const wait of RESTART_WAITS_MS) {
      if (signal.aborted || result.failure?.kind !== 'refused') break
      await clock.sleep(wait, signal)
      result = await sendOnce(body)
    }
    const { failure, status } = result
    if (failure !== null && beforeTheHandler.includes(failure.kind))
      throw new Unreachable(failure.kind, failure.message)
    if (isSendAcknowledged(result, hook.ack)) return null
    const answer = Buffer.from(result.body).toString('utf8').slice(0, ANSWER_SHOWN)
    return { status: failure === null ? status : null, kind: failure?.kind ?? null, answer }
  }
}
