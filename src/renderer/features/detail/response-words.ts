/** Responses in words. */
import type { Delivery } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import { MAX_ATTEMPTS } from '../../../shared/service/limits.ts'
import { isAcknowledged } from '../../core-data/environments.ts'
import { answerTone, type VerdictTone } from '../../ui/verdict.tsx'

/**
 * Describes Countersign's response; `ok` only for a received, valid, acknowledged delivery.
 */
export function responseStatus(
  delivery: Pick<Delivery, 'answer' | 'attempt' | 'origin' | 'malformed' | 'verdict'>,
  rule: Environment['ack'],
): { readonly tone: VerdictTone; readonly note: string } {
  const { answer, attempt, origin, malformed: malformedRequest } = delivery
  const acknowledged = isAcknowledged(answer, rule)
  if (origin === 'reported') return { tone: 'quiet', note: 'Reported, not received' }
  if (origin === 'composed') return { tone: 'quiet', note: 'Composed here, not received' }
  if (origin === 'shared') return { tone: 'quiet', note: 'Shared, re-signed' }
  if (origin !== 'received') return { tone: 'quiet', note: 'According to the file' }
  if (malformedRequest !== null) return { tone: 'quiet', note: 'Malformed requests are rejected' }
  if (acknowledged === null) return { tone: 'quiet', note: 'The service waits 20 seconds' }
  // Green would look as if Countersign had accepted the delivery.
  if (acknowledged && delivery.verdict !== 'valid') return { tone: 'quiet', note: 'Recorded only' }
  if (acknowledged) return { tone: 'ok', note: 'No retry expected' }
  const tone = answerTone(delivery, rule)
  return {
    tone,
    note: attempt >= MAX_ATTEMPTS ? 'Last attempt: the service stops' : 'The service retries',
  }
}
