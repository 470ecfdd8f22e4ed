/** Runs a flow step by step. A run can be stepped, paused, sped up and cancelled, and reports its state at any time. */
import { literalMembers } from '../../shared/body/json-literals.ts'
import { happenedWords } from '../../shared/flow-diagram/story.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type {
  FlowPlanStep,
  FlowRun,
  FlowRunStep,
  FlowSpeed,
  FlowStray,
} from '../../shared/model/flow.ts'
import { isFailedStep } from '../../shared/model/outcomes.ts'
import { acknowledges, MAX_ATTEMPTS } from '../../shared/service/limits.ts'
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
  /** Called when a delivery turns out to be a run's. */
  onClaimed(claim: FlowClaim): void
  /** Called when the run's state changes. */
  onChanged(run: FlowRun): void
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

export function createRunningFlow(options: RunFlowOptions) {
  const { flow, environment, service, time, changes, handler, clock, log } = options
  const startedAt = clock.now()
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

  const tell = () => options.onChanged(state())
  const records = createStepRecords(
    planSteps(flow),
    () => ({ wall: clock.now(), business: time.now() }),
    tell,
  )
  const context: RunContext = {
    ...options,
    arrivals: [],
    remembered: new Map(),
    named: new Map(),
    answers: new Map(),
    literalsOfFile: literalMembers(options.source),
    signal: cancelled.signal,
    lastInOrder: null,
    hasAccepted: false,
    fault: null,
    acknowledges: (status) => acknowledges(status, environment.ack),
    claim(arrival, index) {
      arrival.claimedBy = index
      claimed(arrival, records.all()[index]?.name ?? null)
    },
  }
  const gate = createRunGate(context, options.paused || options.from > 0, tell)
  const held =
    service === null
      ? null
      : createHeldAnswers(service.clock, options.keeper.answerNext, over.signal)
  const inbox = createRunInbox(context, {
    onRead: async (hook) => held?.arrived(hook, leaps()),
    onResponse(arrival) {
      const { claimedBy } = arrival
      // A step that is still running gets the response when it ends.
      if (claimedBy !== null && records.all()[claimedBy]?.state === 'done')
        records.responded(claimedBy, arrival)
    },
  })

  function claimed({ row }: Arrival, step: string | null): void {
    options.onClaimed({ run: options.id, flow: flow.name, step, deliverySeq: row.seq })
  }

  const state = (): FlowRun => {
    const stopped = problem ?? inbox.problem()
    const isOver = endedAt !== null
    const steps = [...records.all()]
    const isGood = stopped === null && strays.length === 0 && !steps.some(isFailedStep)
    const run: Omit<FlowRun, 'summary' | 'happened'> = {
      id: options.id,
      origin: options.origin,
      environment: environment.name,
      mode: environment.mode,
      speed,
      target: service === null ? 'account' : 'sandbox',
      handler: handler?.url ?? null,
      handlerName: handler?.name ?? null,
      set: options.literals,
      current,
      ask: records.ask(),
      flow: flow.name,
      title: flow.title,
      startedAt: isoTime(startedAt),
      endedAt: endedAt === null ? null : isoTime(endedAt),
      businessStartedAt: isoTime(businessStartedAt),
      clock: { at: isoTime(clock.now()), businessAt: isoTime(time.now()) },
      state: isOver
        ? ending !== null
          ? 'cancelled'
          : 'done'
        : gate.isPaused()
          ? 'paused'
          : 'running',
      outcome: !isOver || ending !== null ? null : isGood ? 'pass' : 'fail',
      steps,
      strays: [...strays],
    }
    const reason = (isOver ? ending : null) ?? stopped
    const summary = reason ?? summaryOf(run)
    return {
      ...run,
      summary,
      happened: isOver ? (reason ?? happenedWords(run)) : '',
    }
  }

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
    await Promise.allSettled(context.answers.values())
    await responded()
    const unexpected = straysAmong(context)
    for (const arrival of unexpected) claimed(arrival, null)
    strays = unexpected.map(strayOf)
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
    /** Whether a delivery is being read. */
    isReading: inbox.isReading,
    /** For an attempt that begins now: ends its wait as if its 20 seconds were over. */
    timeOutOf: (url: string) => held?.timeOutOf(url) ?? new AbortController().signal,
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
        problem = failureSentence(error, log, 'a flow')
      }
      await inbox.settled()
      over.abort()
      endedAt = clock.now()
      gate.end()
      records.end()
      return state()
    },
  }
}

// Arriving deliveries: each is read, forwarded to the handler if there is one, and held if the flow says so.

interface InboxEvents {
  /** Called when a delivery of this hook has been read. */
  onRead(hook: RunHook): Promise<void>
  /** Called when the receiver's response to a delivery is known. */
  onResponse(arrival: Arrival): void
}

function createRunInbox(run: RunContext, { onRead, onResponse }: InboxEvents) {
  const { log, store, handler, arrivals, changes, signal } = run
  let reading = 0
  let placed = 0
  const oneByOne = createMutex()
  let lastRead: Promise<void> = Promise.resolve()
  let problem: string | null = null
  /** Responses to deliveries that aren't read yet, by id. */
  const early = new Map<string, ReceiverAnswer>()

  function respond(arrival: Arrival, hook: RunHook, answer: ReceiverAnswer): void {
    const number = arrivals.filter((one) => one.hook === hook.name).indexOf(arrival)
    const isHeld = turnsOf(hook.wanted)[number] === 'timeout'
    arrival.response = receiverResponse(answer, isHeld, run.acknowledges)
    onResponse(arrival)
    changes.note()
  }

  async function read(seen: Parameters<typeof readArrival>[1], hook: RunHook): Promise<void> {
    const { row, fault } = seen
    const arrival = await readArrival(store, seen, arrivals)
    const headers = handler === null ? [] : (await store.read('get', row.id)).headers
    // Set together, so that no step finds a delivery that isn't being forwarded yet.
    arrivals.push(arrival)
    const answer = early.get(row.id)
    if (answer !== undefined) respond(arrival, hook, answer)
    if (handler === null) return
    // Forged or stale deliveries are forwarded with the same fault. Valid ones are forwarded as valid, even while a fault is on.
    const isDeparted = row.verdict !== 'valid' || row.freshness !== 'fresh'
    const answering = handler.send(
      { id: row.id, seq: row.seq, headers },
      arrival.body,
      isDeparted ? fault : null,
      signal,
    )
    answering.catch(() => undefined)
    run.answers.set(row.id, answering)
  }

  return {
    /** Whether a delivery is being read. */
    isReading: () => reading > 0,
    /** Why a delivery couldn't be read, or null. */
    problem: (): string | null => problem,
    /** Resolves once all received deliveries are read. */
    settled: () => lastRead,
    /** Call when the receiver has responded to one of them, or the sender is gone. */
    answered(deliveryId: string, hook: RunHook, answer: ReceiverAnswer) {
      const arrival = arrivals.find(({ row }) => row.id === deliveryId)
      if (arrival === undefined) early.set(deliveryId, answer)
      else respond(arrival, hook, answer)
    },
    /** Call with each delivery the receiver stores. */
    take(row: DeliveryRow, hook: RunHook) {
      const { name, event } = hook
      const businessAt = run.time.now()
      const seen = { row, hook: name, event, place: placed++, businessAt, fault: run.fault }
      reading++
      lastRead = oneByOne(async () => {
        try {
          await read(seen, hook)
          await onRead(hook)
        } catch (error) {
          problem = `Couldn't read a delivery (reference ${log.bug(error, 'a flow')}).`
        } finally {
          reading--
          changes.note()
        }
      })
    },
  }
}

// Steps and pauses.

/**
 * Pauses, steps and continues a run, which waits here before each step. `paused`: before the first one already. `onChanged` is called
 * when it pauses or continues.
 */
function createRunGate(
  { time, changes, signal }: Pick<RunContext, 'time' | 'changes' | 'signal'>,
  paused: boolean,
  onChanged: () => void,
) {
  /** How many steps may run before the next pause. */
  let allowed = paused ? 0 : Number.POSITIVE_INFINITY
  let isPaused = false
  return {
    isPaused: () => isPaused,
    /** Resolves once the next step may run or the run is cancelled. */
    async pass() {
      while (allowed === 0 && !signal.aborted) {
        const seen = changes.count()
        if (!isPaused) {
          isPaused = true
          await time.pause()
          onChanged()
        }
        await changes.after(seen, signal)
      }
      if (isPaused) {
        isPaused = false
        await time.resume()
      }
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
      isPaused = true
      onChanged()
    },
    async resume() {
      allowed = Number.POSITIVE_INFINITY
      if (isPaused) await time.resume()
      isPaused = false
      changes.note()
      onChanged()
    },
    /** The run ended, so it is no longer paused. */
    end() {
      isPaused = false
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
function straysAmong({ arrivals, remembered, service }: RunContext): Arrival[] {
  const ids = knownIds(remembered)
  return arrivals.filter(
    ({ claimedBy, payload }) => claimedBy === null && (service !== null || names(payload, ids)),
  )
}

// Records of the steps, as shown to people.

/** A pending step. */
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
  const [stray] = strays
  if (stray !== undefined) return stray.message
  if (endedAt === null)
    return ask ?? `Step ${Math.min(current + 1, steps.length)} of ${steps.length}.`
  const ran = steps.filter(({ outcome }) => outcome === 'pass').length
  const left = steps.filter(({ outcome }) => outcome === 'skip').length
  return `${counted(ran, 'step')} passed${left === 0 ? '' : `, ${left} skipped`}.`
}

/** A moment by the wall clock and by the run's clock. */
interface Moment {
  readonly wall: number
  readonly business: number
}

/** Steps that trigger something show when they began, because deliveries may arrive before they finish. */
const causing = new Set<FlowRunStep['kind']>(['trigger', 'make', 'change', 'rotate'])

/** The receiver's response, and whether the service then stops trying. */
function reactionTo({ row, response, attempt }: Arrival): Pick<FlowRunStep, 'response' | 'gaveUp'> {
  const isFailure = response !== null && !response.acknowledged
  return { response, gaveUp: isFailure && row.verdict === 'valid' && attempt === MAX_ATTEMPTS }
}

/** Records of a run's steps (pending, running, or finished with result and time), and what a person must do meanwhile. */
function createStepRecords(
  plan: readonly FlowPlanStep[],
  moment: () => Moment,
  changed: () => void,
) {
  let steps: readonly FlowRunStep[] = plan.map(waitingStep)
  let ask: string | null = null

  function set(index: number, change: Partial<FlowRunStep>): void {
    steps = steps.map((step) => (step.index === index ? { ...step, ...change } : step))
    changed()
  }

  return {
    all: (): readonly FlowRunStep[] => steps,
    /** What a person must do now, with a real account; null if nothing. */
    ask: (): string | null => ask,
    begin(index: number): Moment {
      const began = moment()
      set(index, { state: 'running' })
      return began
    },
    finish(index: number, result: StepResult, began: Moment) {
      const { arrival, ask: asked, title, response = null, ms, checks = [], ...rest } = result
      const kind = plan[index]?.kind ?? 'check'
      // Consecutive requests to a person all stay open until a delivery shows that they were done.
      const before = kind === 'delivery' ? null : ask
      ask = asked === undefined ? before : before === null ? asked : `${before} ${asked}`
      const now = moment()
      const { wall, business } = causing.has(kind) ? began : now
      const came = kind === 'answer' ? undefined : arrival
      set(index, {
        ...rest,
        state: 'done',
        ...(title === undefined ? {} : { title }),
        arrived: arrival === undefined ? null : arrivedOf(arrival),
        checks: [...checks],
        ...(came === undefined ? { response } : reactionTo(came)),
        deliveryId: arrival?.row.id ?? null,
        at: came?.row.receivedAt ?? isoTime(wall),
        businessAt: isoTime(came?.businessAt ?? business),
        ms: ms ?? Math.max(0, now.wall - began.wall),
      })
    },
    /** The receiver sent its response to the delivery of this step. */
    responded(index: number, arrival: Arrival) {
      set(index, reactionTo(arrival))
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
