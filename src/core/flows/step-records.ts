/** What is known of each step of a run: waiting, under way, or how and when it went; and what a person has to do meanwhile. */
import type { FlowPlanStep, FlowRunStep } from '../../shared/model/flow-run.ts'
import type { Clock } from '../base/deps.ts'
import type { StepResult } from './run-context.ts'
import { waitingStep } from './run-state.ts'
import type { RunTime } from './run-time.ts'

/** A moment, by the wall clock and by that of the business. */
export interface Moment {
  readonly wall: number
  readonly business: number
}

export interface StepRecords {
  all(): readonly FlowRunStep[]
  /** What a person has to do now, at a real account; null where nothing is to be done. */
  ask(): string | null
  /** A step begins. */
  begin(index: number): Moment
  finish(index: number, result: StepResult, began: Moment): void
  /** The run has ended: what has not been done never will. */
  end(): void
}

export interface StepRecordsDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly time: Pick<RunTime, 'now'>
  /** A step is otherwise than before. */
  onChanged(): void
}

/** Steps that cause something: they are told of by when they began, since what comes of them may arrive before they are done. */
const causing = new Set<FlowRunStep['kind']>(['trigger', 'make', 'change', 'rotate'])

function iso(time: number): string {
  return new Date(time).toISOString()
}

export function createStepRecords(plan: readonly FlowPlanStep[], { clock, time, onChanged }: StepRecordsDeps): StepRecords {
  let steps: readonly FlowRunStep[] = plan.map(waitingStep)
  let ask: string | null = null
  const moment = (): Moment => ({ wall: clock.now(), business: time.now() })

  function set(index: number, change: Partial<FlowRunStep>): void {
    steps = steps.map((step) => (step.index === index ? { ...step, ...change } : step))
    onChanged()
  }

  return {
    all: () => steps,
    ask: () => ask,
    begin(index) {
      const began = moment()
      set(index, { state: 'running' })
      return began
    },
    finish(index, { outcome, message, fix, rule, got, told, arrival, ms, ask: asked }, began) {
      const kind = plan[index]?.kind ?? 'check'
      // What is asked for one after the other is all still to be done, until a delivery shows that it was.
      const before = kind === 'delivery' ? null : ask
      ask = asked === undefined ? before : before === null ? asked : `${before} ${asked}`
      const now = moment()
      const { wall, business } = causing.has(kind) ? began : now
      const came = kind === 'answer' ? undefined : arrival
      set(index, {
        state: 'done',
        outcome,
        message,
        fix: fix ?? null,
        rule: rule ?? null,
        got: got ?? null,
        told: told ?? null,
        deliveryId: arrival?.row.id ?? null,
        at: came?.row.receivedAt ?? iso(wall),
        businessAt: iso(came?.businessAt ?? business),
        ms: ms ?? Math.max(0, now.wall - began.wall),
      })
    },
    end() {
      ask = null
      steps = steps.map((step) =>
        step.state === 'done' ? step : { ...step, state: 'done', outcome: 'skip', message: 'The run ended before it.' },
      )
    },
  }
}
