/** Runs a flow step by step. A run can be stepped, paused, sped up and cancelled, and reports its state at any time. */
import { literalMembers, type Literals } from '../../shared/body/json-literals.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Flow } from '../../shared/model/flow.ts'
import type { FlowRun, FlowSpeed, FlowStray } from '../../shared/model/flow-run.ts'
import { failureSentence } from '../base/runs.ts'
import type { Clock, Log } from '../base/deps.ts'
import type { Store } from '../store/store.ts'
import { arrivedOf, type ArrivalReader, type Arrival } from './arrivals.ts'
import { createRunGate, type Changes, type RunTime } from './run-time.ts'
import type { Handler } from './handler.ts'
import { createHeldAnswers, createRunInbox } from './run-inbox.ts'
import { planSteps } from './plan.ts'
import type { RunContext } from './run-context.ts'
import type { HookKeeper, RunHook } from './run-hooks.ts'
import type { FlowService } from './run-service.ts'
import { stateOfRun, createStepRecords } from './run-state.ts'
import { doesSomething, runStep } from './run-step.ts'

interface RunFlowDeps {
  readonly clock: Clock
  readonly log: Log
  readonly store: Pick<Store, 'read'>
  readonly reader: ArrivalReader
  /** Called when the run's state changes. */
  onChanged(run: FlowRun): void
}

interface RunFlowOptions {
  readonly id: string
  readonly flow: Flow
  /** The flow's text. */
  readonly source: string
  /** The flow's file; null for a built-in flow. */
  readonly origin: string | null
  readonly environment: string
  readonly mode: 'test' | 'live'
  readonly speed: FlowSpeed
  readonly from: number
  readonly literals: Literals
  readonly paused: boolean
  readonly service: FlowService | null
  readonly time: RunTime
  readonly changes: Changes
  readonly hooks: readonly RunHook[]
  readonly handler: Handler | null
  rotate(hook: RunHook): Promise<void>
  answerNext: HookKeeper['answerNext']
  /** Whether the service counts this status as received (section 6.4). */
  acknowledges(status: number): boolean
  /** Called when a delivery turns out to be the run's: a step expected it, or none did. */
  onClaimed(claim: FlowClaim): void
}

/** A delivery of a run. `step` is the name of the step that expected it; null if none did. */
export interface FlowClaim {
  readonly run: string
  readonly flow: string
  readonly step: string | null
  readonly deliverySeq: number
}

export type RunningFlow = ReturnType<typeof createRunningFlow>

/** How long a run waits at its end for the receiver's last responses, in milliseconds. */
const RESPONSE_PATIENCE_MS = 1_000

export function createRunningFlow(deps: RunFlowDeps, options: RunFlowOptions) {
  const { flow, environment, mode, service, time, changes, hooks, handler } = options
  const startedAt = deps.clock.now()
  const businessStartedAt = time.now()
  const cancelled = new AbortController()
  /** Aborted at the run's end, however it ends. */
  const over = new AbortController()
  let speed = options.speed
  let current = 0
  let endedAt: number | null = null
  let strays: readonly FlowStray[] = []
  let problem: string | null = null
  /** Why the run was cancelled. */
  let ending: string | null = null
  /** Steps before the chosen one run as fast as possible, whatever the speed. */
  const leaps = () => speed === 'max' || current < options.from

  const tell = () => deps.onChanged(state())
  const records = createStepRecords(planSteps(flow), { clock: deps.clock, time, onChanged: tell })
  const gate = createRunGate({
    time,
    changes,
    signal: cancelled.signal,
    paused: options.paused || options.from > 0,
    onChanged: tell,
  })

  const held = createHeldAnswers({
    time,
    jump: async (ms) => {
      await service?.clock.jump(ms)
    },
    sleepUntil: async (at) => service?.clock.sleepUntil(at, over.signal),
    answerNext: options.answerNext,
  })
  const inbox = createRunInbox({
    log: deps.log,
    store: deps.store,
    reader: deps.reader,
    handler,
    signal: cancelled.signal,
    onRead: (hook) => held.arrived(hook, leaps()),
    acknowledges: (status) => options.acknowledges(status),
    onResponse(arrival) {
      const { claimedBy } = arrival
      // A step that is still running gets the response when it ends.
      if (claimedBy !== null && records.all()[claimedBy]?.state === 'done')
        records.responded(claimedBy, arrival)
    },
    onChanged: () => changes.note(),
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
    literals: options.literals,
    literalsOfFile: literalMembers(options.source),
    signal: cancelled.signal,
    lastInOrder: null,
    hasAccepted: false,
    fault: null,
    rotate: options.rotate,
    acknowledges: (status) => options.acknowledges(status),
    claim(arrival, index) {
      arrival.claimedBy = index
      claimed(arrival, records.all()[index]?.name ?? null)
    },
  }

  function claimed({ row }: Arrival, step: string | null): void {
    options.onClaimed({ run: options.id, flow: flow.name, step, deliverySeq: row.seq })
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
      handlerName: handler?.name ?? null,
      set: options.literals,
      startedAt,
      endedAt,
      businessStartedAt,
      now: { wall: deps.clock.now(), business: time.now() },
      isPaused: gate.isPaused(),
      cancelled: ending,
      problem: problem ?? inbox.problem(),
      current,
      ask: records.ask(),
      steps: records.all(),
      strays,
    })

  async function walk(): Promise<void> {
    if (options.from > 0) await time.setSpeed('max')
    let caused = time.now()
    for (const [index, step] of flow.steps.entries()) {
      if (index === options.from) await time.setSpeed(speed)
      current = index
      if (index >= options.from && doesSomething(step, context)) await gate.pass()
      if (cancelled.signal.aborted) return
      if (step.kind === 'trigger' || step.kind === 'make' || step.kind === 'change')
        caused = time.now()
      const began = records.begin(index)
      records.finish(index, await runStep(index, context, caused), began)
    }
    current = flow.steps.length
    // Deliveries still in flight belong to the run.
    while ((await time.next(time.now(), changes.count(), cancelled.signal)) !== 'deadline')
      if (cancelled.signal.aborted) return
    await Promise.allSettled([...(inbox.answers?.values() ?? [])])
    await responded()
    const unexpected = straysAmong(inbox.arrivals, context)
    for (const arrival of unexpected) claimed(arrival, null)
    strays = unexpected.map(strayOf)
  }

  /** Waits a moment for responses that the service already has, and the receiver hasn't reported yet. */
  async function responded(): Promise<void> {
    const late = new AbortController()
    const either = AbortSignal.any([cancelled.signal, late.signal])
    const patience = deps.clock.sleep(RESPONSE_PATIENCE_MS, either).then(() => late.abort())
    for (let seen = changes.count(); !either.aborted; seen = changes.count()) {
      if (inbox.arrivals.every(({ response }) => response !== null)) break
      await changes.after(seen, either)
    }
    late.abort()
    await patience
  }

  return {
    state,
    /** Whether a delivery is being read. */
    isReading: inbox.isReading,
    /** For an attempt that begins now: ends its wait as if its 20 seconds were over. */
    timeOutOf: held.timeOutOf,
    /** Call with each delivery the receiver stores for one of the run's hooks. */
    arrived(row: DeliveryRow, hook: RunHook) {
      inbox.take(row, hook, time.now(), context.fault)
    },
    /** Call when the receiver has responded to one of them, or the sender is gone. */
    answered: inbox.answered,
    step: gate.step,
    pause: gate.pause,
    resume: gate.resume,
    async setSpeed(next: FlowSpeed) {
      speed = next
      // Steps before the chosen one keep running as fast as possible.
      if (current >= options.from) await time.setSpeed(next)
      if (next === 'max') await held.leap()
      if (gate.isPaused()) await time.pause()
      changes.note()
      tell()
    },
    /** Ends the run; `reason` is its summary, in a sentence. */
    cancel(reason = 'Cancelled.') {
      ending = reason
      cancelled.abort()
      changes.note()
    },
    /** Runs to the end. Resolves with the result. */
    async run(): Promise<FlowRun> {
      tell()
      try {
        await walk()
      } catch (error) {
        problem = failureSentence(error, deps.log, 'a flow')
      }
      await inbox.settled()
      over.abort()
      endedAt = deps.clock.now()
      gate.end()
      records.end()
      return state()
    },
  }
}

// Strays: deliveries that no step expects.

/** Ids the run knows: created by it or delivered to it. */
function knownIds(remembered: ReadonlyMap<string, unknown>): ReadonlySet<string> {
  const ids = [...remembered.values()].flatMap((value) =>
    typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
      ? [value.id]
      : [],
  )
  return new Set(ids)
}

function names(payload: unknown, ids: ReadonlySet<string>): boolean {
  if (typeof payload === 'string') return ids.has(payload)
  return (
    typeof payload === 'object' &&
    payload !== null &&
    Object.values(payload).some((value) => names(value, ids))
  )
}

function strayOf(arrival: Arrival): FlowStray {
  const { row, event, duplicateOf, attempt, businessAt, response } = arrival
  const isDuplicate = duplicateOf !== null
  const message = isDuplicate
    ? `${event} ${row.id} is a duplicate of ${duplicateOf}, which was already acknowledged.`
    : `Unexpected ${event} ${row.id}${attempt > 1 ? `, attempt ${attempt}` : ''}.`
  return {
    deliveryId: row.id,
    kind: isDuplicate ? 'duplicate' : 'unexpected',
    event,
    at: row.receivedAt,
    businessAt: new Date(businessAt).toISOString(),
    message,
    arrived: arrivedOf(arrival),
    response,
  }
}

/** A real account has other traffic. Only deliveries that contain one of the run's ids count. */
function straysAmong(
  arrivals: readonly Arrival[],
  { remembered, service }: Pick<RunContext, 'remembered' | 'service'>,
): Arrival[] {
  const ids = knownIds(remembered)
  return arrivals.filter(
    ({ claimedBy, payload }) => claimedBy === null && (service !== null || names(payload, ids)),
  )
}
