/** One run of a flow: walks its steps, can be stepped, paused, hurried and cancelled, and tells at each moment how it stands. */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Flow } from '../../shared/model/flow.ts'
import type { FlowRun, FlowRunStep, FlowSpeed, FlowStray } from '../../shared/model/flow-run.ts'
import type { Clock, Log } from '../deps.ts'
import type { Store } from '../store/store.ts'
import type { ArrivalReader } from './arrivals.ts'
import type { Changes } from './changes.ts'
import type { Handler } from './handler.ts'
import { createHeldAnswers } from './held-answers.ts'
import { planSteps } from './plan.ts'
import type { RunContext, StepResult } from './run-context.ts'
import type { RunHook } from './run-hooks.ts'
import { createRunInbox } from './run-inbox.ts'
import type { FlowService } from './run-service.ts'
import { stateOfRun, waitingStep } from './run-state.ts'
import { runStep } from './run-step.ts'
import type { RunTime } from './run-time.ts'
import { straysOf } from './strays.ts'

export interface RunFlowDeps {
  readonly clock: Clock
  readonly log: Log
  readonly store: Pick<Store, 'read'>
  readonly reader: ArrivalReader
  /** Hears that the run stands otherwise than before. */
  onChanged(run: FlowRun): void
}

export interface RunFlowOptions {
  readonly id: string
  readonly flow: Flow
  /** The file that it came from; null of a built-in one. */
  readonly origin: string | null
  readonly environment: string
  readonly mode: 'test' | 'live'
  readonly speed: FlowSpeed
  readonly from: number
  readonly paused: boolean
  readonly service: FlowService | null
  readonly time: RunTime
  readonly changes: Changes
  readonly hooks: readonly RunHook[]
  readonly handler: Handler | null
  rotate(hook: RunHook): Promise<void>
  answerPlainly(hook: RunHook): Promise<void>
}

export interface RunningFlow {
  state(): FlowRun
  /** Tells of a delivery that the receiver has just stored, for one of the run's hooks. */
  arrived(row: DeliveryRow, hook: RunHook): void
  /** Whether a delivery is being read. */
  isReading(): boolean
  /** For an attempt of the service at a URL that begins now: ends its wait as though its 20 seconds had run out. */
  timeOutOf(url: string): AbortSignal
  step(): void
  pause(): Promise<void>
  resume(): Promise<void>
  setSpeed(speed: FlowSpeed): Promise<void>
  cancel(): void
  /** Runs to the end; resolves with how it ended. */
  run(): Promise<FlowRun>
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

/** Steps that cause something: they are told of by when they began, since what comes of them may arrive before they are done. */
const causing = new Set<FlowRunStep['kind']>(['trigger', 'make', 'change', 'rotate'])

/** A moment, by the wall clock and by that of the business. */
interface Moment {
  readonly wall: number
  readonly business: number
}

export function createRunningFlow(deps: RunFlowDeps, options: RunFlowOptions): RunningFlow {
  const { flow, environment, mode, service, time, changes, hooks, handler } = options
  const plan = planSteps(flow)
  const startedAt = deps.clock.now()
  const businessStartedAt = time.now()
  const cancelled = new AbortController()
  let speed = options.speed
  /** How many more steps may be run before it pauses. */
  let allowed = options.paused ? 0 : Number.POSITIVE_INFINITY
  let isPaused = false
  let current = 0
  let ask: string | null = null
  let endedAt: number | null = null
  let strays: readonly FlowStray[] = []
  let problem: string | null = null
  let steps: readonly FlowRunStep[] = plan.map(waitingStep)
  /** What comes before the step that is begun with goes as fast as possible, whatever the speed. */
  const leaps = () => speed === 'max' || current < options.from

  const held = createHeldAnswers({
    time,
    jump: async (ms) => {
      await service?.clock.jump(ms)
    },
    answerPlainly: options.answerPlainly,
  })
  const inbox = createRunInbox({
    log: deps.log,
    store: deps.store,
    reader: deps.reader,
    handler,
    onRead: (hook) => held.arrived(hook, leaps()),
    onChanged: () => {
      changes.note()
    },
  })

  const context: RunContext = {
    flow,
    environment,
    mode,
    service,
    time,
    changes,
    hooks,
    arrivals: inbox.arrivals,
    remembered: new Map(),
    named: new Map(),
    answers: inbox.answers,
    signal: cancelled.signal,
    lastInOrder: null,
    fault: null,
    rotate: options.rotate,
  }

  const state = (): FlowRun =>
    stateOfRun({
      id: options.id,
      flow,
      origin: options.origin,
      environment,
      mode,
      speed,
      target: service === null ? 'account' : 'sandbox',
      handler: handler?.url ?? null,
      startedAt,
      endedAt,
      businessStartedAt,
      now: { wall: deps.clock.now(), business: time.now() },
      isPaused,
      isCancelled: cancelled.signal.aborted,
      problem: problem ?? inbox.problem(),
      current,
      ask,
      steps,
      strays,
    })

  const tell = () => deps.onChanged(state())

  function set(index: number, change: Partial<FlowRunStep>): void {
    steps = steps.map((step) => (step.index === index ? { ...step, ...change } : step))
    tell()
  }

  async function gate(): Promise<void> {
    while (allowed === 0 && !cancelled.signal.aborted) {
      const seen = changes.count()
      if (!isPaused) {
        isPaused = true
        await time.pause()
        tell()
      }
      await changes.after(seen, cancelled.signal)
    }
    if (isPaused) {
      isPaused = false
      await time.resume()
    }
    allowed--
  }

  function finish(index: number, result: StepResult, began: Moment): void {
    const { outcome, message, fix, got, told, arrival, ms, ask: asked } = result
    const kind = plan[index]?.kind ?? 'check'
    // What is asked for one after the other is all still to be done, until a delivery shows that it was.
    const before = kind === 'delivery' ? null : ask
    ask = asked === undefined ? before : before === null ? asked : `${before} ${asked}`
    const now: Moment = { wall: deps.clock.now(), business: time.now() }
    const moment = causing.has(kind) ? began : now
    const came = kind === 'answer' ? undefined : arrival
    set(index, {
      state: 'done',
      outcome,
      message,
      fix: fix ?? null,
      got: got ?? null,
      told: told ?? null,
      deliveryId: arrival?.row.id ?? null,
      at: came?.row.receivedAt ?? iso(moment.wall),
      businessAt: iso(came?.businessAt ?? moment.business),
      ms: ms ?? Math.max(0, now.wall - began.wall),
    })
  }

  async function walk(): Promise<void> {
    if (options.from > 0) await time.setSpeed('max')
    let caused = time.now()
    for (const [index, step] of flow.steps.entries()) {
      if (index === options.from) await time.setSpeed(speed)
      current = index
      if (index >= options.from) await gate()
      if (cancelled.signal.aborted) return
      if (step.kind === 'trigger' || step.kind === 'make' || step.kind === 'change') caused = time.now()
      const began: Moment = { wall: deps.clock.now(), business: time.now() }
      set(index, { state: 'running' })
      finish(index, await runStep(index, context, caused), began)
    }
    current = flow.steps.length
    // What is on its way belongs to the run.
    while ((await time.next(time.now(), changes.count(), cancelled.signal)) !== 'deadline') if (cancelled.signal.aborted) return
    await Promise.allSettled([...(inbox.answers?.values() ?? [])])
    strays = straysOf(inbox.arrivals, context)
  }

  return {
    state,
    isReading: inbox.isReading,
    timeOutOf: held.timeOutOf,
    arrived(row, hook) {
      inbox.take(row, hook, time.now(), context.fault)
    },
    step() {
      allowed = Math.max(1, allowed)
      changes.note()
    },
    async pause() {
      allowed = 0
      await time.pause()
      isPaused = true
      tell()
    },
    async resume() {
      allowed = Number.POSITIVE_INFINITY
      if (isPaused) await time.resume()
      isPaused = false
      changes.note()
      tell()
    },
    async setSpeed(next) {
      speed = next
      // What comes before the step that is begun with stays as fast as possible.
      if (current >= options.from) await time.setSpeed(next)
      if (next === 'max') await held.leap()
      if (isPaused) await time.pause()
      changes.note()
      tell()
    },
    cancel() {
      cancelled.abort()
      changes.note()
    },
    async run() {
      tell()
      try {
        await walk()
      } catch (error) {
        problem = `It stopped for a bug (reference ${deps.log.bug(error, 'a flow')}).`
      }
      await inbox.settled()
      endedAt = deps.clock.now()
      isPaused = false
      ask = null
      steps = steps.map((step) =>
        step.state === 'done' ? step : { ...step, state: 'done', outcome: 'skip', message: 'The run ended before it.' },
      )
      return state()
    },
  }
}
