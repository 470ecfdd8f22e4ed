/** Results of a step. */
import type { FlowCheck, FlowOutcome, FlowResponse } from '../../shared/model/flow-run.ts'
import type { Arrival } from './arrivals.ts'

export interface StepResult {
  readonly outcome: FlowOutcome
  readonly message: string
  readonly fix?: string
  /** Rules that failed, without the data. */
  readonly rule?: string
  readonly got?: string
  /** Summary of the payload. */
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

/** Makes a check of a value, which by default must equal the expected one. */
export function valueCheck(
  field: string,
  expected: string,
  actual: string,
  passes = expected === actual,
  operator = passes ? '=' : '≠',
): FlowCheck {
  return { field, path: null, expected, operator, actual, passed: passes }
}
