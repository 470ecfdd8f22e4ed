/** Runs a flow step by step. A run can be stepped, paused, sped up and cancelled, and reports its state at any time. */
import { literalMembers } from '../../shared/body/json-literals.ts'
import { happenedIn } from '../../shared/flow-diagram/story.ts'
import type { ReceivedDelivery } from '../base/event-hub.ts'
import type {
  FlowPlanStep,
  FlowRun,
  FlowRunStep,
  FlowSpeed,
  UnexpectedDelivery,
} from '../../shared/model/flow.ts'
import { isFailedStep } from '../../shared/model/outcomes.ts'
import { MAX_ATTEMPTS } from '../../shared/service/limits.ts'
import { counted } from '../../shared/text/counted.ts'
import { createMutex, failureSentence } from '../base/async.ts'
import {
  arrivedOf,
  readArrival,
  receiverResponse,
  type Arrival,
  type ReceiverAnswer,
} from './arrivals.ts'
import { createHeldAnswers, turnsOf, type RunHook } from './hooks.ts'
import { planSteps } from './plan.ts'
import {
  doesSomething,
  runStep,
  type RunContext,
  type RunOptions,
  type StepResult,
} from './steps.ts'

interface RunFlowOptions extends RunOptions {
  readonly speed: FlowSpeed
  /** The index of the first step at which the run pauses. */
  readonly from: number
  readonly paused: boolean
}

export type RunningFlow = ReturnType<typeof createRunningFlow>

/** How long a run waits at its end for the receiver's last responses, in milliseconds. */
const RESPONSE_PATIENCE_MS = 1_000

export function createRunningFlow(options: RunFlowOptions) {
  const { flow, environment, service, time, changes, handler, clock, log, store } = options
  const startedAt = clock.now()
  const businessStartedAt = time.now()
  const cancelled = new AbortController()
  /** Aborted at the run's end, however it ends. */
  const over = new AbortController()
  let speed = options.speed
  let current = 0
  let endedAt: number | null = null
  let strays: readonly UnexpectedDelivery[] = []
  /** Why the run was cancelled. */
  let ending: string | null = null
  /** Steps before the chosen one run as fast as possible, whatever the speed. */
  const leaps = () => speed === 'max' || current < options.from

  const context: RunContext = {
    ...options,
    arrivals: [],
    remembered: new Map(),
    named: new Map(),
    literalsOfFile: literalMembers(options.source),
    signal: cancelled.signal,
    lastInOrder: null,
    hasAccepted: false,
    fault: null,
    triggeredAt: businessStartedAt,
    problem: null,
    claim(arrival, index) {
      arrival.claimedBy = index
      const step = records.all().find((one) => one.index === index)?.name ?? null
      const rows = [{ seq: arrival.row.seq, step }]
      store
        .write('flowDeliveries', { flow: flow.name, run: options.id, rows })
        .catch((error: unknown) => log.bug(error, "storing a run's delivery"))
    },
  }
  const records = createStepRecords(context)
  const gate = createRunGate(context, options.paused || options.from > 0)
  const held =
    service === null
      ? null
      : createHeldAnswers(service.clock, options.attempts, options.keeper.answerNext, over.signal)
  const inbox = createRunInbox(context, async (hook) => held?.arrived(hook, leaps()))

  const state = (): FlowRun => {
    const stopped = context.problem
    const isOver = endedAt !== null
    const steps = records.all()
    const isGood = stopped === null && strays.length === 0 && !steps.some(isFailedStep)
    // Fields have the order of the schema, as those of a stored run do.
    const run: FlowRun = {
      id: options.id,
      flow: flow.name,
      origin: options.origin,
      title: flow.title,
      environment: environment.name,
      mode: environment.mode,
      target: service === null ? 'account' : 'sandbox',
      speed,
      handler: handler?.url ?? null,
      handlerName: handler?.name ?? null,
      set: options.literals,
      startedAt: isoTime(startedAt),
      endedAt: endedAt === null ? null : isoTime(endedAt),
      state: isOver
        ? ending !== null
          ? 'cancelled'
          : 'done'
        : time.isPaused()
          ? 'paused'
          : 'running',
      outcome: !isOver || ending !== null ? null : isGood ? 'pass' : 'fail',
      summary: '',
      happened: '',
      current,
      businessStartedAt: isoTime(businessStartedAt),
      clock: { at: isoTime(clock.now()), businessAt: isoTime(time.now()) },
      ask: records.ask(),
      steps,
      strays: [...strays],
    }
    const reason = (isOver ? ending : null) ?? stopped
    const summary = reason ?? summaryOf(run)
    return {
      ...run,
      summary,
      happened: isOver ? (reason ?? happenedIn(run)) : '',
    }
  }

  async function walk(): Promise<void> {
    if (options.from > 0) await time.setSpeed('max')
    for (const [index, step] of flow.steps.entries()) {
      if (index === options.from) await time.setSpeed(speed)
      current = index
      if (index >= options.from && doesSomething(step, context)) await gate.pass()
      if (cancelled.signal.aborted) return
      await records.during(index, () => runStep(index, context))
    }
    current = flow.steps.length
    // Deliveries still in flight belong to the run.
    while ((await time.next(time.now(), changes.count(), cancelled.signal)) !== 'deadline')
      if (cancelled.signal.aborted) return
    await Promise.allSettled(context.arrivals.flatMap(({ answer }) => answer ?? []))
    await responded()
    const arrivals = unexpectedAmong(context)
    for (const arrival of arrivals) context.claim(arrival, null)
    strays = arrivals.map(unexpectedDeliveryOf)
  }

  /** Waits a moment for responses that the service already has, and the receiver hasn't reported yet. */
  async function responded(): Promise<void> {
    const late = new AbortController()
    const either = AbortSignal.any([cancelled.signal, late.signal])
    const patience = clock.sleep(RESPONSE_PATIENCE_MS, either).then(() => late.abort())
    for (let seen = changes.count(); !either.aborted; seen = changes.count()) {
      if (context.arrivals.every(({ response }) => response !== null)) break
      await changes.after(seen, either)
    }
    late.abort()
    await patience
  }

  return {
    state,
    /** What a delivery to one of the run's hooks belongs to; null if other traffic of a real account may come there too. */
    flowRun: service === null ? null : { flow: flow.name, run: options.id },
    /** Call with each delivery the receiver stores for one of the run's hooks. */
    arrived: inbox.take,
    /** Call when the receiver has responded to one of them, or the sender is gone. */
    answered: inbox.answered,
    step: gate.step,
    pause: gate.pause,
    resume: gate.resume,
    async setSpeed(next: FlowSpeed) {
      speed = next
      // Steps before the chosen one keep running as fast as possible.
      if (current >= options.from) await time.setSpeed(next)
      if (next === 'max') await held?.leap()
      changes.note()
      options.onChanged()
    },
    /** Ends the run; `reason` is its summary, in a sentence. */
    cancel(reason = 'Cancelled.') {
      ending = reason
      cancelled.abort()
      changes.note()
    },
    async run(): Promise<FlowRun> {
      options.onChanged()
      try {
        await walk()
      } catch (error) {
        context.problem = failureSentence(error, log, 'a flow')
      }
      await inbox.settled()
      over.abort()
      endedAt = clock.now()
      records.end()
      return state()
    },
  }
}

// Arriving deliveries: each is read, forwarded to the handler if there is one, and held if the flow says so.

/** `onRead` is called when a delivery of this hook has been read. */
function createRunInbox(run: RunContext, onRead: (hook: RunHook) => Promise<void>) {
  const { log, store, handler, arrivals, changes, signal } = run
  let placed = 0
  const oneByOne = createMutex()

  function next(work: () => Promise<void> | void): void {
    const safe = async () => {
      try {
        await work()
      } catch (error) {
        run.problem = `Couldn't read a delivery (reference ${log.bug(error, 'a flow')}).`
      }
    }
    void changes.expect(oneByOne(safe))
  }

  return {
    /** Resolves once all received deliveries are read. */
    settled: () => oneByOne(() => Promise.resolve()),
    /** Call with each delivery the receiver stores. */
    take(row: ReceivedDelivery, hook: RunHook) {
      const { name, event } = hook
      const { fault } = run
      const businessAt = run.time.now()
      const seen = { row, hook: name, event, place: placed++, businessAt, fault }
      next(async () => {
        const arrival = await readArrival(store, seen, arrivals)
        if (handler !== null) {
          // Forged or stale deliveries are forwarded with the same fault. Valid ones are forwarded as valid, even while a fault is on.
          const isSound = row.verdict === 'valid' && row.freshness === 'fresh'
          arrival.answer = handler.send(arrival, isSound ? null : fault, signal)
          arrival.answer.catch(() => undefined)
        }
        // Added last, so that no step finds a delivery that isn't being forwarded yet.
        arrivals.push(arrival)
        await onRead(hook)
      })
    },
    /** Call when the receiver has responded to one of them, or the sender is gone. */
    answered(deliveryId: string, hook: RunHook, answer: ReceiverAnswer) {
      next(() => {
        const ofHook = arrivals.filter((one) => one.hook === hook.name)
        const place = ofHook.findIndex(({ row }) => row.id === deliveryId)
        const arrival = ofHook[place]
        if (arrival === undefined) return
        const isHeld = turnsOf(hook.wanted)[place] === 'timeout'
        arrival.response = receiverResponse(answer, isHeld, run.environment.ack)
        run.onChanged()
      })
    },
  }
}

// Steps and pauses.

/** Pauses, steps and continues a run, which waits here before each step. `paused`: before the first one already. */
function createRunGate({ time, changes, signal, onChanged }: RunContext, paused: boolean) {
  /** How many steps may run before the next pause. */
  let allowed = paused ? 0 : Number.POSITIVE_INFINITY
  return {
    /** Resolves once the next step may run or the run is cancelled. */
    async pass() {
      while (allowed === 0 && !signal.aborted) {
        const seen = changes.count()
        if (!time.isPaused()) {
          await time.pause()
          onChanged()
        }
        await changes.after(seen, signal)
      }
      if (time.isPaused()) await time.resume()
      allowed--
    },
    /** Allows one more step. */
    step() {
      allowed = Math.max(1, allowed)
      changes.note()
    },
    async pause() {
      allowed = 0
      await time.pause()
      onChanged()
    },
    async resume() {
      allowed = Number.POSITIVE_INFINITY
      await time.resume()
      onChanged()
    },
  }
}

// Unexpected deliveries: no step expects them.

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

function unexpectedDeliveryOf(arrival: Arrival): UnexpectedDelivery {
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
function unexpectedAmong({ arrivals, remembered, service }: RunContext): Arrival[] {
  const ids = knownIds(remembered)
  return arrivals.filter(
    ({ claimedBy, payload }) => claimedBy === null && (service !== null || names(payload, ids)),
  )
}

// Records of the steps, as shown to people.

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

function isoTime(time: number): string {
  return new Date(time).toISOString()
}

/** A run that was neither cancelled nor stopped by a problem, in one sentence. */
function summaryOf({
  steps,
  strays,
  endedAt,
  ask,
  current,
}: Pick<FlowRun, 'steps' | 'strays' | 'endedAt' | 'ask' | 'current'>): string {
  const first = steps.find(isFailedStep)
  if (first !== undefined) return `${first.title}: ${first.message}`
  const [unexpected] = strays
  if (unexpected !== undefined) return unexpected.message
  if (endedAt === null)
    return ask ?? `Step ${Math.min(current + 1, steps.length)} of ${steps.length}.`
  const ran = steps.filter(({ outcome }) => outcome === 'pass').length
  const left = steps.filter(({ outcome }) => outcome === 'skip').length
  return `${counted(ran, 'step')} passed${left === 0 ? '' : `, ${left} skipped`}.`
}

/** Steps that trigger something show when they began, because deliveries may arrive before they finish. */
const causing = new Set<FlowRunStep['kind']>(['trigger', 'make', 'change', 'rotate'])

/** The receiver's response, and whether the service then stops trying. */
function reactionTo({ row, response, attempt }: Arrival): Pick<FlowRunStep, 'response' | 'gaveUp'> {
  const isFailure = response !== null && !response.acknowledged
  return { response, gaveUp: isFailure && row.verdict === 'valid' && attempt === MAX_ATTEMPTS }
}

/** Records of a run's steps (pending, running, or finished with result and time), and what a person must do meanwhile. */
function createStepRecords({ flow, arrivals, clock, time, onChanged }: RunContext) {
  let steps: readonly FlowRunStep[] = planSteps(flow).map(waitingStep)
  let ask: string | null = null
  const moment = () => ({ wall: clock.now(), business: time.now() })

  function set(index: number, change: Partial<FlowRunStep>): void {
    steps = steps.map((step) => (step.index === index ? { ...step, ...change } : step))
    onChanged()
  }

  return {
    all: (): FlowRunStep[] =>
      steps.map((step) => {
        const arrival = arrivals.find(({ claimedBy }) => claimedBy === step.index)
        return arrival === undefined || step.state !== 'done'
          ? step
          : { ...step, ...reactionTo(arrival) }
      }),
    /** What a person must do now, with a real account; null if nothing. */
    ask: (): string | null => ask,
    /** Runs a step and records its result. */
    async during(index: number, work: () => Promise<StepResult>) {
      const began = moment()
      set(index, { state: 'running' })
      const { arrival, ask: asked, title, response = null, checks = [], ...rest } = await work()
      const kind = flow.steps[index]?.kind ?? 'check'
      // Consecutive requests to a person all stay open until a delivery shows that they were done.
      const before = kind === 'delivery' ? null : ask
      ask = asked === undefined ? before : before === null ? asked : `${before} ${asked}`
      const now = moment()
      const { wall, business } = causing.has(kind) ? began : now
      const claimed = kind === 'answer' ? undefined : arrival
      set(index, {
        ...rest,
        state: 'done',
        ...(title === undefined ? {} : { title }),
        arrived: arrival === undefined ? null : arrivedOf(arrival),
        checks: [...checks],
        response,
        deliveryId: arrival?.row.id ?? null,
        at: claimed?.row.receivedAt ?? isoTime(wall),
        businessAt: isoTime(claimed?.businessAt ?? business),
        ms: response?.ms ?? Math.max(0, now.wall - began.wall),
      })
    },
    /** The run ended. Pending steps will never run. */
    end() {
      ask = null
      steps = steps.map((step) =>
        step.state === 'done'
          ? step
          : { ...step, state: 'done', outcome: 'skip', message: 'The run ended before this step.' },
      )
    },
  }
}
