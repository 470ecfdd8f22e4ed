/** Result of a step, and its constructors. */
import type { FlowCheck, FlowOutcome, FlowResponse } from '../../shared/model/flow-run.ts'
import type { Arrival } from './arrivals.ts'

export interface StepResult {
  readonly outcome: FlowOutcome
  readonly message: string
  readonly fix?: string
  /** Rules that failed, without the data. */
  readonly rule?: string
  readonly got?: string
  readonly summary?: string
  readonly arrival?: Arrival
  /** Expectations with their values, in the order checked. */
  readonly checks?: readonly FlowCheck[]
  readonly response?: FlowResponse
  /** Title with its references filled in. */
  readonly title?: string
  /** Instruction for a person, with a real account. */
  readonly ask?: string
}

type ResultDetails = Partial<StepResult>

export const passed = (message: string, extra: ResultDetails = {}): StepResult => ({
  outcome: 'pass',
  message,
  ...extra,
})

export const skipped = (message: string): StepResult => ({ outcome: 'skip', message })

export const failed = (message: string, fix: string, extra: ResultDetails = {}): StepResult => ({
  outcome: 'fail',
  message,
  fix,
  ...extra,
})

export const cancelledResult = skipped('Run cancelled.')

interface ComparedValues extends Pick<FlowCheck, 'expected' | 'actual'> {
  /** Whether the check passes; by default if the values are equal. */
  readonly passes?: boolean
  readonly operator?: string
}

export function valueCheck(field: string, values: ComparedValues): FlowCheck {
  const { expected, actual, passes = expected === actual } = values
  const { operator = passes ? '=' : '≠' } = values
  return { field, path: null, expected, operator, actual, passed: passes }
}
