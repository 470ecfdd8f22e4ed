/** How a run stands, put together for those who look at it: what the steps say, and in one sentence how it goes. */
import { counted } from '../../shared/counted.ts'
import type { Flow } from '../../shared/model/flow.ts'
import type { FlowPlanStep, FlowRun, FlowRunStep, FlowStray } from '../../shared/model/flow-run.ts'

/** What a run knows of itself; times in milliseconds. */
export interface RunParts extends Pick<
  FlowRun,
  'id' | 'origin' | 'environment' | 'mode' | 'speed' | 'target' | 'handler' | 'current' | 'ask'
> {
  readonly flow: Flow
  readonly startedAt: number
  readonly endedAt: number | null
  readonly businessStartedAt: number
  /** What the clocks show now. */
  readonly now: { readonly wall: number; readonly business: number }
  readonly isPaused: boolean
  readonly isCancelled: boolean
  /** Why it could not go on; null where it could. */
  readonly problem: string | null
  readonly steps: readonly FlowRunStep[]
  readonly strays: readonly FlowStray[]
}

/** A step that is still to come. */
export function waitingStep(step: FlowPlanStep): FlowRunStep {
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
  }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

function isBad({ outcome }: FlowRunStep): boolean {
  return outcome === 'fail' || outcome === 'missing'
}

function summaryOf({ problem, steps, strays, endedAt, isCancelled, ask, current }: RunParts): string {
  if (isCancelled && endedAt !== null) return 'It was cancelled.'
  if (problem !== null) return problem
  const first = steps.find(isBad)
  if (first !== undefined) return `${first.title}: ${first.message}`
  const [stray] = strays
  if (stray !== undefined) return stray.message
  if (endedAt === null) return ask ?? `Step ${Math.min(current + 1, steps.length)} of ${steps.length}.`
  const ran = steps.filter(({ outcome }) => outcome === 'pass').length
  const left = steps.filter(({ outcome }) => outcome === 'skip').length
  return `${counted(ran, 'step')} passed${left === 0 ? '' : `, ${left} left out`}.`
}

export function stateOfRun(parts: RunParts): FlowRun {
  const { flow, startedAt, endedAt, businessStartedAt, now, isPaused, isCancelled, problem, steps, strays, ...same } = parts
  const isOver = endedAt !== null
  const isGood = problem === null && strays.length === 0 && !steps.some(isBad)
  return {
    ...same,
    flow: flow.name,
    title: flow.title,
    startedAt: iso(startedAt),
    endedAt: endedAt === null ? null : iso(endedAt),
    businessStartedAt: iso(businessStartedAt),
    clock: { at: iso(now.wall), businessAt: iso(now.business) },
    state: isOver ? (isCancelled ? 'cancelled' : 'done') : isPaused ? 'paused' : 'running',
    outcome: !isOver || isCancelled ? null : isGood ? 'pass' : 'fail',
    summary: summaryOf(parts),
    steps: [...steps],
    strays: [...strays],
  }
}
