/** One run of a flow: walks its steps, can be stepped, paused, hurried and cancelled, and tells at each moment how it stands. */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Flow } from '../../shared/model/flow.ts'
import type { FlowRun, FlowRunStep, FlowSpeed, FlowStray } from '../../shared/model/flow-run.ts'
import type { Fault } from '../../shared/model/sending.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'
import type { Clock, Log } from '../deps.ts'
import type { Store } from '../store/store.ts'
import type { Arrival, ArrivalReader } from './arrivals.ts'
import type { Changes } from './changes.ts'
import type { Handler, HandlerAnswer } from './handler.ts'
import { planSteps } from './plan.ts'
import type { RunContext, StepResult } from './run-context.ts'
import type { RunHook } from './run-hooks.ts'
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
  /** How long the service is to wait for the next answer, in milliseconds. */
  acknowledgeTimeoutMs(): number
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

/** How long the service waits for an answer that is held back on purpose, in a run as fast as possible, in milliseconds. */
const SHORT_TIMEOUT_MS = 250

export function createRunningFlow(deps: RunFlowDeps, options: RunFlowOptions): RunningFlow {
  const { flow, environment, mode, service, time, changes, hooks, handler } = options
  const plan = planSteps(flow)
  const startedAt = deps.clock.now()
  const businessStartedAt = time.now()
  const cancelled = new AbortController()
  const arrivals: Arrival[] = []
  const answers = new Map<string, Promise<HandlerAnswer>>()
  const held = new Map<string, number>()
  let speed = options.speed
  /** How many more steps may be run before it pauses. */
  let allowed = options.paused ? 0 : Number.POSITIVE_INFINITY
  let isPaused = false
  let current = 0
  let ask: string | null = null
  let endedAt: number | null = null
  let strays: readonly FlowStray[] = []
  let reading = 0
  let placed = 0
  let lastRead: Promise<unknown> = Promise.resolve()
  let problem: string | null = null
  let steps: readonly FlowRunStep[] = plan.map(waitingStep)

  const context: RunContext = {
    flow,
    environment,
    mode,
    service,
    time,
    changes,
    hooks,
    arrivals,
    remembered: new Map(),
    named: new Map(),
    answers: handler === null ? null : answers,
    signal: cancelled.signal,
    lastInOrder: null,
    fault: null,
    rotate: options.rotate,
  }

  const state = (): FlowRun =>
    stateOfRun({
      id: options.id,
      flow,
      environment,
      mode,
      speed,
      target: service === null ? 'account' : 'sandbox',
      handler: handler?.url ?? null,
      startedAt,
      endedAt,
      businessStartedAt,
      isPaused,
      isCancelled: cancelled.signal.aborted,
      problem,
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

  async function take(row: DeliveryRow, hook: RunHook, place: number, businessAt: number, fault: Fault | null): Promise<void> {
    const arrival = await deps.reader.read({ row, hook: hook.name, event: hook.event, place, businessAt }, arrivals)
    const headers = handler === null ? [] : (await deps.store.read('get', row.id)).headers
    // Together, so that no step finds a delivery that is not on its way to the handler yet.
    arrivals.push(arrival)
    if (handler === null) return
    // What arrived forged or stale goes on in the same way; what is genuine, though a fault is on, does too.
    const isDeparted = row.verdict !== 'valid' || row.freshness !== 'fresh'
    const answering = handler.send({ id: row.id, headers }, arrival.body, isDeparted ? fault : null)
    answering.catch(() => undefined)
    answers.set(row.id, answering)
  }

  /** The first deliveries of a hook may go without an answer until the service gives up. */
  async function hold(hook: RunHook): Promise<void> {
    const wanted = hook.wanted?.answers?.holdFirst ?? 0
    const count = (held.get(hook.id) ?? 0) + 1
    held.set(hook.id, count)
    if (count > wanted) return
    if (count === wanted) await options.answerPlainly(hook)
    // The clock of the run goes through the 20 seconds that the shortened wait leaves out.
    if (speed === 'max') await service?.clock.jump(ACKNOWLEDGE_TIMEOUT_MS)
  }

  /** Whether the next delivery of some hook goes without an answer. */
  function isHolding(): boolean {
    return hooks.some(({ id, wanted }) => (held.get(id) ?? 0) < (wanted?.answers?.holdFirst ?? 0))
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

  function finish(index: number, { outcome, message, fix, got, arrival, ms, ask: asked }: StepResult, began: number): void {
    ask = asked ?? (plan[index]?.kind === 'delivery' ? null : ask)
    const isAnswer = plan[index]?.kind === 'answer'
    set(index, {
      state: 'done',
      outcome,
      message,
      fix: fix ?? null,
      got: got ?? null,
      deliveryId: arrival?.row.id ?? null,
      at: arrival === undefined || isAnswer ? iso(deps.clock.now()) : arrival.row.receivedAt,
      businessAt: iso(arrival === undefined || isAnswer ? time.now() : arrival.businessAt),
      ms: ms ?? Math.max(0, deps.clock.now() - began),
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
      const began = deps.clock.now()
      set(index, { state: 'running' })
      finish(index, await runStep(index, context, caused), began)
    }
    current = flow.steps.length
    // What is on its way belongs to the run.
    while ((await time.next(time.now(), changes.count(), cancelled.signal)) !== 'deadline') if (cancelled.signal.aborted) return
    await Promise.allSettled(answers.values())
    strays = straysOf(arrivals, context)
  }

  return {
    state,
    isReading: () => reading > 0,
    // As fast as possible, an answer that is held back on purpose is not waited for: the clock of the run leaps instead.
    acknowledgeTimeoutMs: () => (speed === 'max' && isHolding() ? SHORT_TIMEOUT_MS : ACKNOWLEDGE_TIMEOUT_MS),
    arrived(row, hook) {
      const place = placed++
      const businessAt = time.now()
      const { fault } = context
      reading++
      lastRead = lastRead
        .then(() => take(row, hook, place, businessAt, fault))
        .then(() => hold(hook))
        .catch((error: unknown) => {
          problem = `A delivery could not be read (reference ${deps.log.bug(error, 'a flow')}).`
        })
        .finally(() => {
          reading--
          changes.note()
        })
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
      await time.setSpeed(next)
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
      await lastRead
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
