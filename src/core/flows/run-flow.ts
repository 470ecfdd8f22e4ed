/** Runs a flow step by step. A run can be stepped, paused, sped up and cancelled, and reports its state at any time. */
import { literalMembers, type Literals } from '../../shared/body/json-literals.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { Flow, FlowRun, FlowSpeed, FlowStray } from '../../shared/model/flow.ts'
import { failureSentence } from '../base/runs.ts'
import type { Deps } from '../base/deps.ts'
import type { Store } from '../store/store.ts'
import {
  createRunGate,
  type Changes,
  type RunTime,
  createChanges,
  createAccountTime,
  createSandboxTime,
} from './run-time.ts'
import type { Handler, HandlerOptions, OpenHandler } from './handler.ts'
import {
  createHeldAnswers,
  createRunInbox,
  arrivedOf,
  type ArrivalReader,
  type Arrival,
  createArrivalReader,
  type ReceiverAnswer,
} from './run-inbox.ts'
import { planSteps, needsSandbox } from './plan.ts'
import { type HookKeeper, type RunHook, createHookKeeper, wantedHooks } from './run-hooks.ts'
import type { FlowService, StartFlowService } from './run-service.ts'
import { createStepRecords, isoTime, summaryOf, type RunContext } from './run-state.ts'
import { happenedWords } from '../../shared/flow-diagram/story.ts'
import { isFailedStep } from '../../shared/model/outcomes.ts'
import { doesSomething, runStep, hasField } from './run-step.ts'
import { counted } from '../../shared/text/counted.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import {
  type Environment,
  isSandboxEnvironment,
  sandboxEnvironment,
} from '../../shared/model/environment.ts'
import { closeAll } from '../base/async.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Admission } from '../outgoing/admit.ts'
import { acknowledges } from '../../shared/service/limits.ts'
import { checkInputs } from './inputs.ts'
import type { FoundFlow } from './built-in/index.ts'

type RunEnvironment = Pick<Environment, 'name' | 'mode' | 'ack'>

interface RunFlowOptions
  extends
    FoundFlow,
    Pick<RunStarterDeps, 'clock' | 'log' | 'store' | 'onClaimed'>,
    Pick<StartInput, 'speed' | 'from' | 'paused'> {
  readonly id: string
  readonly environment: RunEnvironment
  readonly literals: Literals
  readonly reader: ArrivalReader
  readonly service: FlowService | null
  readonly time: RunTime
  readonly changes: Changes
  readonly hooks: readonly RunHook[]
  readonly handler: Handler | null
  rotate(hook: RunHook): Promise<void>
  answerNext: HookKeeper['answerNext']
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
  const { flow, environment, service, time, changes, hooks, handler, clock, log } = options
  const startedAt = clock.now()
  /** Whether the service counts this status as received (section 6.4). */
  const isReceived = (status: number) => acknowledges(status, environment.ack)
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
  const records = createStepRecords(planSteps(flow), { clock, time, onChanged: tell })
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
    ...options,
    signal: cancelled.signal,
    onRead: (hook) => held.arrived(hook, leaps()),
    acknowledges: isReceived,
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
    environment: environment.name,
    mode: environment.mode,
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
    acknowledges: isReceived,
    claim(arrival, index) {
      arrival.claimedBy = index
      claimed(arrival, records.all()[index]?.name ?? null)
    },
  }

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
    const patience = clock.sleep(RESPONSE_PATIENCE_MS, either).then(() => late.abort())
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
    /** What a delivery to one of the run's hooks belongs to; null if other traffic of a real account may come there too. */
    flowRun: service === null ? null : { flow: flow.name, run: options.id },
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

// Starts a run: checks confirmations and requirements, builds its parts, and cleans up afterwards.

export interface RunStarterDeps extends Pick<Deps, 'clock' | 'ids' | 'log' | 'randomBytes'> {
  readonly store: Pick<Store, 'read' | 'settled'>
  readonly hooks: Pick<Hooks, 'list' | 'record' | 'change' | 'reveal' | 'rotate' | 'setAnswering'>
  readonly environments: Pick<Environments, 'get'>
  readonly openHandler: OpenHandler
  readonly admit: Admission['admit']
  /** Null if nothing is listening. */
  readonly startService: StartFlowService | null
  receiverUrl(): string | null
  /** Whether the user paused capture. */
  capturePaused(): boolean
  /** Called when a delivery turns out to be a run's. */
  onClaimed(claim: FlowClaim): void
}

/** The literals that are an input of the flow, or that an event it triggers has a field for. */
export function literalsFor(flow: Flow, literals: Literals): Literals {
  const has = (path: string) =>
    flow.inputs?.some(({ name }) => name === path) === true ||
    flow.steps.some((step) => step.kind === 'trigger' && hasField(step.event, path))
  return Object.fromEntries(Object.entries(literals).filter(([path]) => has(path)))
}

/** With the endpoint resolved: a saved handler's name is its URL and secret here. */
export type StartInput = Omit<ParsedInputOf<'flows.start'>, 'handler'> & {
  readonly handler: HandlerOptions | null
}

/** A run that is ready to start. */
export interface ReadyRun {
  readonly id: string
  readonly running: RunningFlow
  /** Removes everything created for the run. Its deliveries are ignored from then on. */
  dispose(): Promise<void>
}

export function createRunStarter(deps: RunStarterDeps) {
  const { store, clock, environments } = deps
  /** The run that each hook's deliveries belong to. */
  const listeners = new Map<string, { readonly hook: RunHook; readonly running: RunningFlow }>()
  const keeper = createHookKeeper({
    hooks: deps.hooks,
    randomBytes: (count) => deps.randomBytes(count),
    receiverUrl: () => deps.receiverUrl(),
  })
  const reader = createArrivalReader(store)

  function accountHooks(flow: Flow, environment: string): RunHook[] {
    const there = deps.hooks.list(environment).filter(({ status }) => status === 'active')
    const lacking = wantedHooks(flow).filter(
      ({ event }) => !there.some((hook) => hook.event === event),
    )
    if (lacking.length > 0) {
      const commands = [
        ...new Set(
          lacking.map(
            ({ event }) => `countersign hooks add --environment ${environment} --event ${event}`,
          ),
        ),
      ]
      throw new AppError(
        'NO_HOOK',
        `${environment} has no hook for ${[...new Set(lacking.map(({ event }) => event))].join(', ')}. Register the missing hooks: ${commands.join('; ')}`,
      )
    }
    const named = new Map(wantedHooks(flow).map((hook) => [hook.event, hook]))
    return there.flatMap(({ id, event, url }) => {
      const wanted = named.get(event)
      return wanted === undefined ? [] : [{ name: wanted.name, id, event, url, wanted: null }]
    })
  }

  /** The environment of the run. Throws if it can't run there. */
  function targetOf(
    input: StartInput,
    flow: Flow,
  ): {
    readonly environment: RunEnvironment
    readonly isSandbox: boolean
  } {
    const environment = environments.get(input.environment ?? sandboxEnvironment(flow.mode))
    const isSandbox = isSandboxEnvironment(environment.name)
    if (environment.mode !== flow.mode)
      throw new AppError(
        'INVALID_INPUT',
        `${flow.name} is a ${flow.mode}-mode flow, but ${environment.name} is a ${environment.mode} environment.`,
      )
    const why = isSandbox ? null : needsSandbox(flow)
    if (why !== null)
      throw new AppError('INVALID_INPUT', `${flow.name} only runs in the sandbox. ${why}`)
    if (!isSandbox && input.from > 0)
      throw new AppError(
        'INVALID_INPUT',
        "With a real account a run starts at the first step. Earlier events can't be triggered again.",
      )
    const literals = input.literals ?? {}
    const idle = Object.keys(literals).find(
      (path) => !isSandbox || !(path in literalsFor(flow, literals)),
    )
    if (idle !== undefined)
      throw new AppError(
        'INVALID_INPUT',
        isSandbox
          ? `No event that ${flow.name} triggers has the field ${idle}. Check the path.`
          : `A real account makes its own payloads, so ${idle} can't be set. Run the flow in the sandbox.`,
      )
    checkInputs(flow, literals)
    if (input.from >= flow.steps.length)
      throw new AppError('INVALID_INPUT', `${flow.name} has ${counted(flow.steps.length, 'step')}.`)
    return { environment, isSandbox }
  }

  return {
    /** Throws if the run can't start, and leaves nothing behind. */
    async begin(
      input: StartInput,
      found: FoundFlow,
      onChanged: (run: FlowRun) => void,
    ): Promise<ReadyRun> {
      const { flow } = found
      const { environment, isSandbox } = targetOf(input, flow)
      const { startService } = deps
      const { handler: wantedHandler, allowHosts, live } = input
      const admitted = await deps.admit(
        {
          targets: wantedHandler === null ? [] : [wantedHandler.url],
          targetCa: wantedHandler?.targetCa ?? null,
          signers: {
            environments: [environment.name],
            secrets: wantedHandler === null ? [] : [wantedHandler.secret],
          },
          what: `running the flow ${flow.name} with a live secret`,
        },
        { allowHosts, live },
      )
      if (startService === null)
        throw new AppError(
          'NOT_RUNNING',
          'Flows need Countersign running. Run "countersign serve" (or open the app), then try again.',
        )
      if (deps.capturePaused())
        throw new AppError(
          'NOT_RUNNING',
          'Capture is paused, so the flow would miss its deliveries. Resume capture above the list of deliveries, then run the flow again.',
        )
      const id = deps.ids.next()
      const handler: Handler | null =
        wantedHandler === null
          ? null
          : deps.openHandler(wantedHandler, admitted, { id, ack: environment.ack })
      const changes = createChanges()
      let service: FlowService | null = null
      let taken: readonly RunHook[] = []
      /** Service, clock and run depend on each other, so these are resolved late. */
      let running: RunningFlow | null = null
      const dispose = () =>
        closeAll([
          async () => {
            if (service !== null) await keeper.release(taken)
          },
          async () => handler?.close(),
          async () => service?.close(),
          () => {
            for (const hook of taken) listeners.delete(hook.id)
          },
        ])
      try {
        const started = isSandbox
          ? await startService({
              onChanged: () => changes.note(),
              timeOutOf: (url) => running?.timeOutOf(url) ?? new AbortController().signal,
            })
          : null
        service = started
        taken =
          started === null
            ? accountHooks(flow, environment.name)
            : await keeper.take(wantedHooks(flow), environment.name, started)
        const isReading = () => running?.isReading() ?? false
        const time =
          started === null
            ? createAccountTime(clock, changes)
            : createSandboxTime(
                {
                  clock: started.clock,
                  nextDue: () => started.nextDue(),
                  isBusy: () => isReading() || started.isBusy(),
                },
                changes,
              )
        await time.setSpeed(input.speed)
        running = createRunningFlow({
          ...deps,
          ...input,
          ...found,
          literals: input.literals ?? {},
          id,
          environment,
          reader,
          service,
          time,
          changes,
          hooks: taken,
          handler,
          rotate: async (hook) => {
            if (started !== null) await keeper.rotate(hook, environment.name, started)
          },
          answerNext: keeper.answerNext,
          onChanged,
        })
        for (const hook of taken) listeners.set(hook.id, { hook, running })
        return { id, running, dispose }
      } catch (error) {
        // Report the original error, not this one.
        await dispose().catch((failure: unknown) =>
          deps.log.bug(failure, 'removing what a flow created'),
        )
        throw error
      }
    },
    /** The run that a delivery to this hook belongs to, if that is certain before it is read. */
    flowRunOf: (hookId: string) => listeners.get(hookId)?.running.flowRun ?? null,
    /** Called for every delivery once it is stored. */
    stored(row: DeliveryRow) {
      const listener = row.hookId === null ? undefined : listeners.get(row.hookId)
      listener?.running.arrived(row, listener.hook)
    },
    /** Called when the receiver has responded to a stored delivery, or its sender is gone. */
    answered({ row, ...answer }: ReceiverAnswer & { readonly row: DeliveryRow }) {
      const listener = row.hookId === null ? undefined : listeners.get(row.hookId)
      listener?.running.answered(row.id, listener.hook, answer)
    },
  }
}
