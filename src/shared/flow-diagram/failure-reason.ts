/** Why a flow failed, in a few words: `Clearing: returned 500, expected 200`. */
import type { FlowPlanStep, FlowRun, FlowRunStep } from '../model/flow-run.ts'
import { isFailedStep } from '../model/flow-outcomes.ts'
import { capitalized } from '../text/english.ts'
import { eventOf } from './run-summary.ts'
import { plainWords } from './words.ts'

/** Returns an event in words: `Clearing`, `Qualified refund`, `Card linked`. */
function eventLabel(event: string): string {
  const [, kind, qualified] = /^transaction\.([a-z]+)(\.qualified)?$/.exec(event) ?? []
  if (kind === undefined) return capitalized(event.replaceAll('.', ' '))
  return capitalized(qualified === undefined ? kind : `qualified ${kind}`)
}

/** Describes the first failed step of a run by what it got and expected. */
export function failureReason({
  steps,
  strays,
  summary,
}: Pick<FlowRun, 'steps' | 'strays' | 'summary'>): string {
  const failed = steps.find(isFailedStep)
  if (failed !== undefined) return stepFailure(failed, steps)
  const [unexpected] = strays
  return unexpected === undefined
    ? summary
    : `${eventLabel(unexpected.event ?? 'delivery')}: ${unexpected.kind}`
}

/** Describes a failed step of a run by what it got and expected. */
export function stepFailure(failed: FlowRunStep, steps: readonly FlowPlanStep[]): string {
  const event = eventOf(failed, steps)
  const name = event === null ? plainWords(failed.title) : eventLabel(event)
  if (failed.outcome === 'missing') return `${name}: not received`
  const check = failed.checks.find(({ passed }) => !passed)
  if (check === undefined) return `${name}: ${plainWords(failed.message)}`
  const { field, actual, expected } = check
  const isStatus = field === 'Status'
  const returned = Number(actual) > 0 ? `returned ${actual}` : actual
  const got = isStatus ? returned : `${field} ${actual}`
  return `${name}: ${got}, expected ${expected}`
}
