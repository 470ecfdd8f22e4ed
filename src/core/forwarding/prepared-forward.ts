/** Prepares a forwarded delivery when it is sent: re-signed if it was valid, else unchanged. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import { NO_EDITS } from '../../shared/model/replay-edits.ts'
import type { SignedSend } from '../outgoing/send.ts'
import { sendObstacle, type SigningHook } from '../outgoing/signing-hooks.ts'
import type { QueuedSend } from '../store/forward-queue.ts'
import type { StoredTarget } from '../store/forward-targets.ts'

export interface PrepareDeps {
  prefixes(): readonly string[]
  /** Whether a hook's deliveries may go to a target; a live hook's need confirmation. */
  isAgreed(target: StoredTarget, hookId: string | null): boolean
  /** Finds the hook that signs a delivery to a target; null if nothing does. */
  hookOf(delivery: Pick<Delivery, 'hookId'>, target: StoredTarget): Promise<SigningHook | null>
}

export interface PreparedSend {
  readonly ack: SigningHook['ack']
  readonly signed: Omit<SignedSend, 'wallTime'>
}

const KEEP_SIGNATURE = { ...NO_EDITS, signature: 'keep' } as const

/** Whether to re-sign: a forged delivery must not become valid on the way. */
function shouldSign(delivery: Delivery, { settings }: StoredTarget): boolean {
  return settings.sign === 'now' && delivery.verdict === 'valid' && delivery.freshness === 'fresh'
}

/** Prepares a delivery for a target; resolves with a sentence if it can't be sent. */
export async function prepareForward(
  deps: PrepareDeps,
  { delivery, body }: QueuedSend,
  target: StoredTarget,
): Promise<string | PreparedSend> {
  if (delivery === null) return 'The delivery was deleted.'
  if (!deps.isAgreed(target, delivery.hookId))
    return "The hook is live, and forwarding its deliveries to this target isn't confirmed. Save the target again to confirm."
  const edits = shouldSign(delivery, target) ? NO_EDITS : KEEP_SIGNATURE
  const prefixes = deps.prefixes()
  let hook: SigningHook | null = null
  try {
    hook = await deps.hookOf(delivery, target)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // An unchanged delivery needs no secret.
    if (edits.signature === 'recompute') return error.message
  }
  const problem = sendObstacle(delivery, { hook, tamper: null, edits, prefixes, hasOwnBody: false })
  if (problem !== null) return problem
  const signing = edits.signature === 'recompute' ? hook : null
  const signed = { delivery, body, signing, tamper: null, edits, prefixes }
  return { ack: hook?.ack ?? '200', signed }
}
