/** Responses in words. */
import { childOf, readJson } from '../../../shared/json/tree.ts'
import type { Delivery } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import { MAX_ATTEMPTS } from '../../../shared/service/limits.ts'
import { isAcknowledged } from '../../core-data/environments.ts'
import { answerTone, type VerdictTone } from '../../ui/verdict.tsx'

/** Fields that error responses put their message in. */
const MESSAGE_FIELDS = [
  'message',
  'error',
  'detail',
  'title',
  'reason',
  'error_description',
] as const

const LONGEST_WORDS = 80

/**
 * Returns the message of a JSON error or the first line of a text response, in quotation marks;
 * null if there is none.
 */
export function responseMessage(bytes: Uint8Array): string | null {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, 4_096)).trim()
  } catch {
    // Binary, or cut inside a character.
    return null
  }
  const root = readJson(text)
  const fields = MESSAGE_FIELDS.map((name) => childOf(root, name))
  const nested = fields.flatMap((parent) => MESSAGE_FIELDS.map((name) => childOf(parent, name)))
  const field = [root, ...fields, ...nested].find((node) => node?.kind === 'string')
  const message = root === null ? text : (field?.string ?? '')
  const line = message.trim().split(/\r?\n/)[0] ?? ''
  if (line === '' || line.startsWith('<')) return null
  return `"${line.length > LONGEST_WORDS ? `${line.slice(0, LONGEST_WORDS)}…` : line}"`
}

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
