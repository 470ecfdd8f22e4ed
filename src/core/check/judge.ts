/** Compares responses with what the case wants: one sentence, and the exchange it is about. */
import type { CheckAnswer, CheckExchange, CheckSettings } from '../../shared/model/check.ts'
import { acknowledges } from '../../shared/service/limits.ts'
import { isEventType } from '../../shared/service/event-type.ts'
import type { CaseDefinition, CaseObjection } from './bench.ts'

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

/** Whether a response is a success, even if it doesn't acknowledge the delivery. */
export function isTaken({ status }: Pick<CheckAnswer, 'status'>): boolean {
  return status !== null && status < 300
}

export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500
}

/** How a sentence about the response ends, without its full stop. */
function responseText({ status, ms, error }: CheckAnswer): string {
  const reason = error?.replace(/\.$/, '')
  return `${status} after ${inSeconds(ms)}${reason === undefined ? '' : `, then failed: ${reason}`}`
}

/** What happened if there was no response; null if there was one. */
function withoutResponse({ status, error }: CheckAnswer): string | null {
  return status === null
    ? `No response: ${error?.replace(/\.$/, '') ?? 'the connection ended'}.`
    : null
}

type Complaint = (got: CheckAnswer) => string | null

function notAccepted(ack: CheckSettings['ack']): Complaint {
  return (got) => {
    if (isCheckAcknowledged(got, ack)) return null
    const { status } = got
    if (status !== null && status > 200 && status < 300)
      return `Your handler returned ${status}. Only 200 acknowledges a delivery (spec 6.4).`
    if (status !== null && isRefusal(status))
      return `Your handler rejected this delivery: ${responseText(got)}.`
    const redirect =
      status !== null && status >= 300 && status < 400 ? " Redirects aren't followed." : ''
    return withoutResponse(got) ?? `Your handler returned ${responseText(got)}.${redirect}`
  }
}

const notRefused: Complaint = (got) => {
  if (got.status !== null && isRefusal(got.status)) return null
  if (isTaken(got)) return `Your handler accepted this delivery: ${responseText(got)}.`
  return (
    withoutResponse(got) ??
    `Your handler returned ${responseText(got)}. Only a 4xx status rejects a delivery.`
  )
}

const notAnswered: Complaint = (got) =>
  got.status !== null && got.status < 500
    ? null
    : (withoutResponse(got) ?? `Your handler returned ${responseText(got)}.`)

/** The first objection, or null if the case passes. The last exchange of an `answer` case is the valid delivery afterwards. */
export function judge(
  one: CaseDefinition,
  exchanges: readonly CheckExchange[],
  ack: CheckSettings['ack'],
): CaseObjection | null {
  const own = one.object?.(exchanges) ?? null
  if (own !== null) return own
  const complaints = { accept: notAccepted(ack), refuse: notRefused, answer: notAnswered }
  const several = exchanges.length > 1
  for (const [index, { sent, got }] of exchanges.entries()) {
    const isAfterwards = one.wanted === 'answer' && index === exchanges.length - 1
    // HTTP's response to a method that a server doesn't know is 501.
    if (one.wanted === 'answer' && sent.method !== 'POST' && got.status === 501) continue
    const complaint = complaints[isAfterwards ? 'accept' : one.wanted](got)
    if (complaint !== null)
      return {
        decisive: index,
        message: several ? `${capital(sent.label)}: ${lowerFirst(complaint)}` : complaint,
      }
  }
  return null
}

/** The message of a case that passed. */
export function praise(exchanges: readonly CheckExchange[]): string {
  const statuses = [...new Set(exchanges.map(({ got }) => got.status))].join(', ')
  const slowest = Math.max(...exchanges.map(({ got }) => got.ms))
  return exchanges.length === 1
    ? `Your handler returned ${statuses} after ${inSeconds(slowest)}.`
    : `Your handler returned ${statuses} to ${exchanges.length} requests. The slowest took ${inSeconds(slowest)}.`
}

/** Capitalizes a label, except event names. */
function capital(text: string): string {
  return isEventType(text) ? text : text.charAt(0).toUpperCase() + text.slice(1)
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}
