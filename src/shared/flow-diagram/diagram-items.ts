/** Steps and unexpected deliveries of a diagram. */
import type { DrawnFlow } from './diagram-row.ts'
import type { FlowPlanStep, FlowRunStep, UnexpectedDelivery } from '../model/flow-run.ts'
import type { Outcome } from '../model/outcomes.ts'
import { isFailedStep, outcomeOfStep, stepOutcomes } from '../model/flow-outcomes.ts'
import { isRunStep } from './received-words.ts'

/** Step or unexpected delivery. */
export interface DiagramItem {
  readonly step: FlowPlanStep | null
  readonly run: FlowRunStep | null
  readonly unexpected: UnexpectedDelivery | null
  readonly businessAt: string | null
  readonly at: string | null
}

export function itemsOf(drawn: DrawnFlow): DiagramItem[] {
  const isHandled = !('handler' in drawn) || drawn.handler !== null
  const steps = drawn.steps.flatMap((step, index): DiagramItem[] => {
    const run = isRunStep(step) ? step : null
    const isLeftOut = !isHandled && step.kind === 'answer' && run?.outcome === 'skip'
    if (isLeftOut || isInNext(step, drawn.steps[index + 1])) return []
    return [
      { step, run, unexpected: null, businessAt: run?.businessAt ?? null, at: run?.at ?? null },
    ]
  })
  const strays = 'strays' in drawn ? drawn.strays : []
  return [
    ...steps,
    ...strays.map((unexpected): DiagramItem => ({
      ...unexpected,
      step: null,
      run: null,
      unexpected,
    })),
  ]
}

/** Whether the next row shows this step too: an attacker's trigger, then its delivery. */
function isInNext(step: FlowPlanStep, next: FlowPlanStep | undefined): boolean {
  if (step.kind !== 'trigger' || next?.kind !== 'delivery' || next.from !== 'attacker') return false
  return !isRunStep(step) || (step.state !== 'running' && !isFailedStep(step))
}

/** Whether the step waits for nothing to arrive. */
export const isSilence = ({ step, run }: DiagramItem) =>
  step?.kind === 'delivery' &&
  step.title.startsWith('no ') &&
  (run === null || run.deliveryId === null)

export const actorsOf = ({ step }: DiagramItem) => ({
  from: step?.from ?? ('service' as const),
  to: step?.to ?? ('receiver' as const),
})

export function outcomeOf({ run, unexpected }: DiagramItem): Outcome {
  if (unexpected !== null) return stepOutcomes[unexpected.kind]
  return outcomeOfStep(run)
}

export const noItem: DiagramItem = {
  step: null,
  run: null,
  unexpected: null,
  businessAt: null,
  at: null,
}
