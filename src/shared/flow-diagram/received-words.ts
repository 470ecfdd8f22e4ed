/** Words for the arrival, payload and response of a step. */
import type { FlowArrived, FlowFacts, FlowPlanStep, FlowRunStep } from '../model/flow-run.ts'
import { isFailedStep } from '../model/flow-outcomes.ts'
import { isTransactionEvent } from '../service/event-type.ts'
import { ACKNOWLEDGE_TIMEOUT_MS, MAX_ATTEMPTS } from '../service/limits.ts'
import { statusName } from '../http.ts'
import { amountText } from '../text/amount.ts'
import { plainWords, timeWords } from './words.ts'

export type Received = Pick<FlowRunStep, 'arrived' | 'response'>

export function isRunStep(step: FlowPlanStep): step is FlowRunStep {
  return 'state' in step
}

const verdictNames: Readonly<Record<FlowArrived['verdict'], string>> = {
  valid: 'valid',
  invalid: 'invalid',
  unsigned: 'unsigned',
  'unknown-hook': 'unknown hook',
}
const freshnessNames: Readonly<Record<FlowArrived['freshness'], string>> = {
  fresh: 'valid',
  stale: 'stale',
  future: 'in the future',
  missing: 'no timestamp',
  unknown: 'age unknown',
}

/** Describes a delivery: `stale: signed 10 minutes before receipt`. */
export function arrivedWords({ verdict, freshness, cause }: FlowArrived): string {
  const name = verdict === 'valid' ? freshnessNames[freshness] : verdictNames[verdict]
  return cause === null ? name : `${name}: ${cause}`
}

export const isUnverified = (arrived: FlowArrived | null) =>
  arrived !== null && arrived.verdict !== 'valid'
export const isStale = (arrived: FlowArrived | null) =>
  arrived?.verdict === 'valid' && arrived.freshness !== 'fresh'

/** Returns `attempt 2 of 3`, or `duplicate`. */
export function attemptWords({ arrived, response }: Received): string | null {
  if (arrived === null) return null
  if (arrived.duplicateOf !== null) return 'duplicate'
  const failed = response?.by === 'receiver' && !response.acknowledged
  return arrived.attempt > 1 || failed ? `attempt ${arrived.attempt} of ${MAX_ATTEMPTS}` : null
}

/** Describes a payload: its amount, card, scheme and status. */
export function factsWords(event: string | null, facts: FlowFacts | null): string | null {
  if (facts === null) return null
  const { amount, cashback, fee, currency, scheme, lastNumbers, status } = facts
  const money = (value: number | null, name: string) =>
    value === null ? null : `${amountText(value, currency ?? '')}${name}`
  const isSettled = event !== null && isTransactionEvent(event)
  const about = [
    scheme,
    lastNumbers === null ? null : `····${lastNumbers}`,
    status === null || isSettled ? null : status.replace(/^[a-z]+\./, ''),
  ].filter((text) => text !== null)
  const words = [
    money(amount, ''),
    money(cashback, ' cashback'),
    money(fee, ' fee'),
    about.join(' '),
  ]
  return words.filter(Boolean).join(' · ') || null
}

/** Whether Countersign only stored an unverified delivery. */
export function isRecordedOnly({ arrived, response }: Received): boolean {
  return response?.by === 'receiver' && response.acknowledged && isUnverified(arrived)
}

/** Returns the status that a handler should have returned; null if not wrong. */
function expectedStatus({ kind, outcome, response, checks, expected }: FlowRunStep): string | null {
  if (kind !== 'answer' || outcome !== 'fail' || response?.kind !== 'status') return null
  const failed = checks.find(({ field }) => field === 'Status')
  if (failed !== undefined) return failed.passed ? null : failed.expected
  return checks.length > 0 ? null : expected?.startsWith('200') === true ? '200' : '4xx'
}

/** Describes a response: `500 in 12 ms, expected 200`. */
export function responseText(step: Received | FlowRunStep): string | null {
  const { response } = step
  if (response === null) return null
  const { kind, status, ms, by } = response
  const took = ms === null ? '' : ms < 0.5 ? '<1 ms' : timeWords(ms)
  if (kind === 'timeout') return `No response within ${timeWords(ACKNOWLEDGE_TIMEOUT_MS)}`
  if (kind === 'dropped') return `Connection dropped${took === '' ? '' : ` after ${took}`}`
  if (kind === 'unreachable') return "Couldn't connect"
  const expected = 'outcome' in step ? expectedStatus(step) : null
  const isNamed = by === 'handler' && status !== null && status !== 200 && expected === null
  const words = [String(status), isNamed ? statusName(status) : '', took === '' ? '' : `in ${took}`]
  const note =
    expected !== null ? `, expected ${expected}` : isRecordedOnly(step) ? ', recorded only' : ''
  return `${words.filter(Boolean).join(' ')}${note}`
}

/** Returns a step's first failed expectation, or its message. */
export function failureText(step: FlowRunStep): string | null {
  if (!isFailedStep(step) || expectedStatus(step) !== null) return null
  const failed = step.checks.find(({ passed }) => !passed)
  if (failed !== undefined)
    return plainWords(`${failed.field}: expected ${failed.expected}, actual ${failed.actual}`)
  return plainWords(step.message) || null
}
