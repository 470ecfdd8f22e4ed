/** Why a delivery cannot be sent again as it is asked for. */
import type { ReplayEdits } from '../../shared/model/replay-edits.ts'
import type { Tamper } from '../../shared/model/send.ts'
import { originalTime } from './outgoing-request.ts'
import type { SendableDelivery } from '../store/waiting-sends.ts'
import type { SigningHook } from './signing-hooks.ts'

export interface SendNeeds {
  readonly hook: SigningHook | null
  readonly tamper: Tamper | null
  readonly edits: ReplayEdits
  readonly prefixes: readonly string[]
  readonly hasOwnBody: boolean
}

/** A sentence; null where it can be sent. */
export function obstacle(delivery: SendableDelivery | null, wanted: SendNeeds): string | null {
  const { hook, tamper, edits, hasOwnBody } = wanted
  if (delivery === null) return 'The delivery was deleted.'
  if (delivery.method === null || delivery.malformed !== null)
    return 'The delivery is malformed: it is no request that could be sent again.'
  if (delivery.truncated && !hasOwnBody)
    return 'Only the head of its body was kept, so it cannot be sent again. The limit can be raised in the settings.'
  if ((edits.method ?? delivery.method) === 'CONNECT') return 'A CONNECT request cannot be sent again.'
  if (edits.signature !== 'recompute') return null
  if (hook === null && tamper !== 'no-signature')
    return 'No known hook matches this delivery, so it cannot be re-signed. Choose a hook ("countersign replay ID --hook HOOK"), or keep its signature ("countersign replay ID --signature keep").'
  if (edits.timestamp === 'original' && originalTime(delivery.headers, wanted) === null)
    return 'The delivery has no timestamp in milliseconds that could be kept. Sign it with the present time.'
  return null
}
