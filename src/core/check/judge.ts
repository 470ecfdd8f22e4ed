/** Judges the responses of one case in a sentence. */
import type { CheckAnswer, CheckExchange, CheckSettings } from '../../shared/model/check.ts'
import { isEventType } from '../../shared/service/event-type.ts'
import { acknowledges } from '../../shared/service/limits.ts'
import type { CaseDefinition, CaseObjection } from './case-definition.ts'

function inSeconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/** Whether a response acknowledges a delivery (section 6.4). */
export function isCheckAcknowledged(
  { status, error }: CheckAnswer,
  ack: CheckSettings['ack'],
): boolean {
  return status !== null && error === null && acknowledges(status, ack)
}

/** Whether a response is a success, acknowledging or not. */
export function isSuccess({ status }: Pick<CheckAnswer, 'status'>): boolean {
  return status !== null && status < 300
}

export function isRefusal(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500
}

/** Returns the objection to a response; null if it is right. */
function objectionTo(
  answer: CheckAnswer,
  expectation: CaseDefinition['expectedResponse'],
  ack: CheckSettings['ack'],
): string | null {
  const { status, ms } = answer
  const isRight = {
    accept: isCheckAcknowledged(answer, ack),
    refuse: isRefusal(status),
    answer: status !== null && status < 500,
  }
  if (isRight[expectation]) return null
  const error = answer.error?.replace(/\.$/, '')
  if (status === null) return `No response: ${error ?? 'the connection ended'}.`
  const response = `${status} after ${inSeconds(ms)}${error === undefined ? '' : `, then failed: ${error}`}`
  if (expectation === 'refuse')
    return isSuccess(answer)
      ? `Your handler accepted this delivery: ${response}.`
      : `Your handler returned ${response}. Only a 4xx status rejects a delivery.`
  if (expectation === 'accept' && status > 200 && status < 300)
    return `Your handler returned ${status}. Only 200 acknowledges a delivery (spec 6.4).`
  if (expectation === 'accept' && isRefusal(status))
    return `Your handler rejected this delivery: ${response}.`
  const redirect = status >= 300 && status < 400 ? " Redirects aren't followed." : ''
  return `Your handler returned ${response}.${redirect}`
}

/**
 * Returns the first objection, if any; the last exchange of an `answer` case must be acknowledged.
 */
export function judge(
  definition: CaseDefinition,
  exchanges: readonly CheckExchange[],
  ack: CheckSettings['ack'],
): CaseObjection | null {
  const objection = definition.findObjection?.(exchanges) ?? null
  if (objection !== null) return objection
  for (const [index, { sent, got }] of exchanges.entries()) {
    const isDeliveryAfterwards =
      definition.expectedResponse === 'answer' && index === exchanges.length - 1
    // Servers answer an unknown method with 501.
    if (definition.expectedResponse === 'answer' && sent.method !== 'POST' && got.status === 501)
      continue
    const complaint = objectionTo(
      got,
      isDeliveryAfterwards ? 'accept' : definition.expectedResponse,
      ack,
    )
    if (complaint === null) continue
    const label = isEventType(sent.label) ? sent.label : withFirstLetter(sent.label, 'toUpperCase')
    return {
      decisive: index,
      message:
        exchanges.length > 1 ? `${label}: ${withFirstLetter(complaint, 'toLowerCase')}` : complaint,
    }
  }
  return null
}

const withFirstLetter = (text: string, change: 'toUpperCase' | 'toLowerCase') =>
  text.charAt(0)[change]() + text.slice(1)

export function passMessage(exchanges: readonly CheckExchange[]): string {
  const statuses = [...new Set(exchanges.map(({ got }) => got.status))].join(', ')
  const slowest = inSeconds(Math.max(...exchanges.map(({ got }) => got.ms)))
  return exchanges.length === 1
    ? `Your handler returned ${statuses} after ${slowest}.`
    : `Your handler returned ${statuses} to ${exchanges.length} requests. The slowest took ${slowest}.`
}
