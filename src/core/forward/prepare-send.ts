/** What a forwarded delivery is sent with, made at the moment of sending: signed anew where it was genuine, else as it came. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import { NO_EDITS } from '../../shared/model/replay-edits.ts'
import type { Clock } from '../base/deps.ts'
import { obstacle } from '../outgoing/obstacle.ts'
import { outgoingRequest } from '../outgoing/outgoing-request.ts'
import type { SigningHook } from '../outgoing/signing-hooks.ts'
import type { QueuedSend, StoredTarget } from '../store/forward-repo.ts'

export interface PrepareSendDeps {
  readonly clock: Clock
  prefixes(): readonly string[]
  /** Whether the deliveries of a hook may go to a target: those of a live one only if that was agreed to. */
  isAgreed(target: StoredTarget, hookId: string | null): boolean
  /** What a delivery is signed with, over another URL than the registered one where that is named. */
  hookOf(delivery: Pick<Delivery, 'hookId'>, registeredUrl: string | null): Promise<SigningHook | null>
}

export interface PreparedSend {
  readonly delivery: Delivery
  readonly hook: SigningHook | null
  /** The URL that is signed anew for; null where it goes as it came. */
  readonly signedUrl: string | null
  /** Signs, now. */
  request(): ReturnType<typeof outgoingRequest>
}

const KEEP = { ...NO_EDITS, signature: 'keep' } as const

/** Only what was genuine and fresh is signed anew: a forgery must not become genuine on its way. */
function isToSign(delivery: Delivery, { settings }: StoredTarget): boolean {
  return settings.sign === 'now' && delivery.verdict === 'valid' && delivery.freshness === 'fresh'
}

/** A sentence where it cannot be sent. */
export async function prepareSend(
  { clock, prefixes: knownPrefixes, isAgreed, hookOf }: PrepareSendDeps,
  { delivery, body }: QueuedSend,
  target: StoredTarget,
): Promise<string | PreparedSend> {
  if (delivery === null) return 'The delivery was deleted.'
  if (!isAgreed(target, delivery.hookId))
    return 'The hook is live, and forwarding its deliveries to this target was not confirmed. Save the target again to confirm.'
  const edits = isToSign(delivery, target) ? NO_EDITS : KEEP
  const prefixes = knownPrefixes()
  let hook: SigningHook | null = null
  try {
    hook = await hookOf(delivery, target.settings.registeredUrl)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // What is passed on as it came needs no secret.
    if (edits.signature === 'recompute') return error.message
  }
  const problemThere = obstacle(delivery, { hook, tamper: null, edits, prefixes, hasOwnBody: false })
  if (problemThere !== null) return problemThere
  const signing = edits.signature === 'recompute' ? hook : null
  return {
    delivery,
    hook,
    signedUrl: signing?.url ?? null,
    request: () =>
      outgoingRequest({ headers: delivery.headers, body }, signing, { tamper: null, edits, prefixes, wallTime: clock.now() }),
  }
}
