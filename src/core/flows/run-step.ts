/** Runs the steps of a flow, each kind in its own way. */
import { AppError } from '../../shared/contract/errors.ts'
import type { FlowStep } from '../../shared/model/flow.ts'
import { isNotRemembered, referencesIn } from './references.ts'
import type { RunContext } from './run-context.ts'
import { cancelledResult, failed, skipped, type StepResult } from './step-result.ts'
import { runCheckStep } from './check-step.ts'
import { runAnswerStep } from './answer-step.ts'
import { runDeliveryStep } from './delivery-step.ts'
import { isCauseStep, runCauseStep, runRotateStep, runWaitStep } from './cause-steps.ts'

/** Explains why a step doesn't apply; null if it does, as far as is known before it runs. */
function skipReason(step: FlowStep, context: RunContext): string | null {
  const { service, handler, named, hooks } = context
  const target = service === null ? 'account' : 'sandbox'
  if (step.only !== undefined && step.only !== target)
    return `Skipped: only for ${step.only === 'sandbox' ? 'the sandbox' : 'a real account'}.`
  if (step.kind === 'rotate' && (service === null || !hooks.some(({ name }) => name === step.hook)))
    return 'Skipped: only the sandbox can rotate secrets.'
  if (step.kind !== 'answer') return null
  if (handler === null) return 'Skipped: no handler in this run.'
  return named.has(step.to) ? null : `Skipped: the delivery ${step.to} is missing.`
}

/** Whether a step does something now; single-stepping doesn't stop before the others. */
export function doesSomething(step: FlowStep, context: RunContext): boolean {
  if (skipReason(step, context) !== null) return false
  if (step.kind === 'delivery' || step.kind === 'wait' || context.service === null) return true
  // The step that saves a needed value may not have passed.
  const { title: _, ...fields } = step
  return referencesIn(fields).every(({ name }) => name === null || context.remembered.has(name))
}

/** Runs a step; an error from the core becomes a failure with its message. */
export async function runStep(index: number, context: RunContext): Promise<StepResult> {
  const step = context.flow.steps[index]
  if (step === undefined) return skipped("This step doesn't exist.")
  if (isCauseStep(step)) context.triggeredAt = context.time.now()
  const reason = skipReason(step, context)
  if (reason !== null) return skipped(reason)
  if (step.kind === 'trigger') context.fault = step.fault ?? null
  try {
    if (isCauseStep(step)) return await runCauseStep(index, step, context)
    switch (step.kind) {
      case 'rotate':
        return await runRotateStep(step, context)
      case 'wait':
        return await runWaitStep(step, context)
      case 'delivery':
        return await runDeliveryStep(step, index, context)
      case 'answer':
        return await runAnswerStep(index, step, context)
      case 'check':
        return runCheckStep(step, context)
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'CANCELLED') return cancelledResult
    if (isNotRemembered(error)) return skipped(error.message)
    return failed(error.message, 'Fix the step, or what it refers to.')
  }
}
