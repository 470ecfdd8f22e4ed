/** Records how the receiver responded, as a run shows it. */
import type { FlowResponse } from '../../shared/model/flow-run.ts'
import { labelOf } from '../../shared/model/outcomes.ts'
import {
  ACKNOWLEDGE_TIMEOUT_MS,
  acknowledges,
  NO_RESPONSE_IN_TIME,
} from '../../shared/service/limits.ts'

/** Response of the receiver; a null `status` if it sent none. */
export interface ReceiverAnswer {
  readonly status: number | null
  readonly ms: number
}

/** Converts the receiver's response for a flow; `isHeld` if the flow held it until the timeout. */
export function receiverResponse(
  { status, ms }: ReceiverAnswer,
  { isHeld, ack }: { readonly isHeld: boolean; readonly ack: '200' | '2xx' },
): FlowResponse {
  const by = 'receiver' as const
  if (status !== null)
    return {
      by,
      kind: 'status',
      status,
      ms,
      error: null,
      acknowledged: acknowledges(status, ack),
      sendId: null,
    }
  const none = { by, status: null, acknowledged: false, sendId: null }
  // The 20 seconds may be sandbox time, so more than `ms`.
  if (isHeld || ms >= ACKNOWLEDGE_TIMEOUT_MS)
    return {
      ...none,
      kind: 'timeout',
      ms: Math.max(ms, ACKNOWLEDGE_TIMEOUT_MS),
      error: `${labelOf({ word: NO_RESPONSE_IN_TIME })}.`,
    }
  return { ...none, kind: 'dropped', ms, error: 'The connection was closed without a response.' }
}
