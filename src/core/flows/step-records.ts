/** Records the steps of a run, as shown to people. */
import type { FlowPlanStep, FlowRun, FlowRunStep } from '../../shared/model/flow-run.ts'
import { isFailedStep } from '../../shared/model/flow-outcomes.ts'
import { MAX_ATTEMPTS } from '../../shared/service/limits.ts'
import { counted } from '../../shared/text/english.ts'
import { type Arrival, arrivedOf } from './arrivals.ts'
import { planSteps } from './plan.ts'
import type { StepResult } from './step-result.ts'
import type { RunContext } from './run-context.ts'

function waitingStep(step: FlowPlanStep): FlowRunStep {
  return {
    ...step,
    state: 'waiting',
    outcome: null,
    at: null,
    businessAt: null,
    ms: null,
    deliveryId: null,
    got: null,
    told: null,
    message: '',
    fix: null,
    rule: null,
    arrived: null,
    response: null,
    checks: [],
    gaveUp: false,
  }
}

export function isoTime(time: number): string {
  return new Date(time).toISOString()
}

/** Summarizes a run that wasn't cancelled or stopped by a problem. */
export function runSummaryOf({
  steps,
  strays: [unexpected],
  endedAt,
  ask,
  current,
}: Pick<FlowRun, 'steps' | 'strays' | 'endedAt' | 'ask' | 'current'>): string {
  const first = steps.find(isFailedStep)
  if (first !== undefined) return `${first.title}: ${first.message}`
  if (unexpected !== undefined) return unexpected.message
  if (endedAt === null)
    return ask ?? `Step ${Math.min(current + 1, steps.length)} of ${steps.length}.`
  const ran = steps.filter(({ outcome }) => outcome === 'pass').length
  const skippedCount = steps.filter(({ outcome }) => outcome === 'skip').length
  return `${counted(ran, 'step')} passed${skippedCount === 0 ? '' : `, ${skippedCount} skipped`}.`
}

/** Kinds of steps that show when they began, because deliveries may arrive before they finish. */
const causingKinds = new Set<FlowRunStep['kind']>(['trigger', 'make', 'change', 'rotate'])

/** Returns the receiver's response, and whether the service then stops trying. */
function reactionTo({
  row,
  receiverResponse: response,
  attempt,
}: Arrival): Pick<FlowRunStep, 'response' | 'gaveUp'> {
  const isFailure = response !== null && !response.acknowledged
  return { response, gaveUp: isFailure && row.verdict === 'valid' && attempt === MAX_ATTEMPTS }
}

export class StepRecords {
  readonly #context: RunContext
  #steps: readonly FlowRunStep[]
  #ask: string | null = null

  constructor(context: RunContext) {
    this.#context = context
    this.#steps = planSteps(context.flow).map(waitingStep)
  }

  all(): FlowRunStep[] {
    return this.#steps.map((step) => {
      const arrival = this.#context.arrivals.find(({ expectedBy }) => expectedBy === step.index)
      return arrival === undefined || step.state !== 'done'
        ? step
        : { ...step, ...reactionTo(arrival) }
    })
  }

  /** Returns what a person must do now with a real account; null if nothing. */
  ask(): string | null {
    return this.#ask
  }

  async during(index: number, work: () => Promise<StepResult>) {
    const startedMoment = this.#moment()
    this.#set(index, { state: 'running' })
    const result = await work()
    const { arrival, ask: request, title, summary, response = null, checks = [], ...rest } = result
    const kind = this.#context.flow.steps[index]?.kind ?? 'check'
    // Requests to a person stay open until a delivery shows that they were done.
    const before = kind === 'delivery' ? null : this.#ask
    this.#ask = request === undefined ? before : before === null ? request : `${before} ${request}`
    const now = this.#moment()
    const { wall, business } = causingKinds.has(kind) ? startedMoment : now
    const delivery = kind === 'answer' ? undefined : arrival
    this.#set(index, {
      ...rest,
      state: 'done',
      ...(title === undefined ? {} : { title }),
      ...(summary === undefined ? {} : { told: summary }),
      arrived: arrival === undefined ? null : arrivedOf(arrival),
      checks: [...checks],
      response,
      deliveryId: arrival?.row.id ?? null,
      at: delivery?.row.receivedAt ?? isoTime(wall),
      businessAt: isoTime(delivery?.businessAt ?? business),
      ms: response?.ms ?? Math.max(0, now.wall - startedMoment.wall),
    })
  }

  /** Marks pending steps as skipped at the run's end. */
  end() {
    this.#ask = null
    this.#steps = this.#steps.map((step) =>
      step.state === 'done'
        ? step
        : { ...step, state: 'done', outcome: 'skip', message: 'The run ended before this step.' },
    )
  }

  #moment() {
    return { wall: this.#context.clock.now(), business: this.#context.time.now() }
  }

  #set(index: number, change: Partial<FlowRunStep>): void {
    this.#steps = this.#steps.map((step) => (step.index === index ? { ...step, ...change } : step))
    this.#context.onChanged()
  }
}
