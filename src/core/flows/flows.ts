/** Starts, steers, stores and lists the runs of flows. */
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { Consent } from '../../shared/model/consent.ts'
import type { ReceivedDelivery, EventHub } from '../base/event-hub.ts'
import { isSandboxEnvironment, sandboxEnvironment } from '../../shared/model/environment.ts'
import type { Flow } from '../../shared/model/flow.ts'
import {
  flowRunSchema,
  flowRunSummarySchema,
  type FlowPlan,
  type FlowRun,
  type FlowRunSummary,
  type FlowSpeed,
  type FlowSummary,
} from '../../shared/model/flow-run.ts'
import { counted } from '../../shared/text/english.ts'
import { closeAll } from '../base/async.ts'
import type { Deps } from '../base/deps.ts'
import { isAlive } from '../base/processes.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Admission } from '../outgoing/admit.ts'
import { parsedBy, readRow, readRows } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { checkSigners } from '../hooks/event-signers.ts'
import { createRuns, type StartedRun } from '../base/runs.ts'
import type { HandlerOptions, OpenHandler } from './run-handler.ts'
import type { ReceiverAnswer } from './receiver-response.ts'
import { builtInFlows, findFlow, type FoundFlow, type FlowChoice } from './built-in/index.ts'
import { RunHooks, requiredHooks, type RunHook } from './run-hooks.ts'
import { Attempts } from './held-responses.ts'
import { flowSummary, needsSandbox, planOf } from './plan.ts'
import { checkInputs } from './inputs.ts'
import { RunningFlow } from './running-flow.ts'
import type { OwnFlows } from './own-flows.ts'
import { parseFlowFile, readFlow } from './read-flow.ts'
import type { FlowService, StartFlowService } from './flow-service.ts'
import { RunTime } from './run-time.ts'
import { Changes } from './changes.ts'
import { literalsFor } from './cause-steps.ts'

interface FlowsDeps extends Pick<Deps, 'clock' | 'ids' | 'log' | 'randomBytes'> {
  readonly store: Pick<Store, 'read' | 'write' | 'settled'>
  readonly hooks: Pick<Hooks, 'list' | 'record' | 'change' | 'reveal' | 'rotate' | 'setAnswering'>
  readonly environments: Pick<Environments, 'get'>
  readonly ownFlows: Pick<OwnFlows, 'list'>
  readonly openHandler: OpenHandler
  readonly admit: Admission['admit']
  /** Starts the service of a run; null if nothing is listening. */
  readonly startService: StartFlowService | null
  receiverUrl(): string | null
  capturePaused(): boolean
  readonly hub: Pick<EventHub, 'emit'>
}

/** Input of a run with the endpoint's URL and signers. */
type StartInput = Omit<ParsedInputOf<'flows.start'>, 'handler' | keyof Consent> & {
  readonly handler: HandlerOptions | null
  readonly consent: Consent
}

export class Flows {
  readonly #deps: FlowsDeps
  readonly #runs = createRuns<RunningFlow, FlowRun>({
    onProgress: ({ state: running }) => {
      const run = running.state()
      // The end is announced by `onEnded`, once stored.
      if (run.endedAt === null) this.#deps.hub.emit('flows.changed', { run })
    },
    onFailed: (error) => {
      this.#deps.log.bug(error, 'the end of a flow')
      throw error
    },
    onEnded: (_, run) => this.#deps.hub.emit('flows.changed', { run }),
  })
  readonly #sandboxRuns = new Set<RunningFlow>()
  /** Runs by the hook whose deliveries belong to them. */
  readonly #listeners = new Map<string, { readonly hook: RunHook; readonly running: RunningFlow }>()
  readonly #runHooks: RunHooks
  /** Cancels active runs and waits for them to end; no run starts afterwards. */
  readonly close = this.#runs.close

  constructor(deps: FlowsDeps) {
    this.#deps = deps
    this.#runHooks = new RunHooks(deps)
  }

  list(): FlowSummary[] {
    // A newer version may not accept a stored flow; the file's next check says why.
    const own = this.#deps.ownFlows.list().flatMap(({ text }) => {
      const parsed = parseFlowFile(text)
      return 'flow' in parsed ? [parsed.flow] : []
    })
    return [
      ...builtInFlows().map(({ flow }) => flowSummary(flow, { isBuiltIn: true })),
      ...own.map((flow) => flowSummary(flow, { isBuiltIn: false })),
    ]
  }

  get(which: FlowChoice): FlowPlan {
    const { flow, origin, source } = this.#findFlow(which)
    const isOwn = this.#deps.ownFlows.list().some(({ name }) => name === flow.name)
    return { ...planOf(flow, origin, source), builtIn: origin === null && !isOwn }
  }

  async start(input: StartInput): Promise<FlowRun> {
    this.#refuseIfClosing()
    return this.#runs.track(this.#begin(input))
  }

  readonly step = (runId: string): Promise<FlowRun> => this.#steer(runId, ({ gate }) => gate.step())

  readonly pause = (runId: string): Promise<FlowRun> =>
    this.#steer(runId, ({ gate }) => gate.pause())

  readonly resume = (runId: string): Promise<FlowRun> =>
    this.#steer(runId, ({ gate }) => gate.resume())

  setSpeed(runId: string, speed: FlowSpeed): Promise<FlowRun> {
    return this.#steer(runId, (running) => running.setSpeed(speed))
  }

  readonly cancel = async (runId: string): Promise<FlowRun> => {
    const run = this.#activeRun(runId)
    run.cancel()
    return run.ended
  }

  async runs(input: {
    readonly flow: string | undefined
    readonly limit: number
  }): Promise<FlowRunSummary[]> {
    return readRows(await this.#deps.store.read('flowRuns', input), ({ run, owner }) => {
      const summary = parsedBy(flowRunSummarySchema, 'flow_runs.summary', run)
      const activeRun = this.#runs.get(summary.id)
      // The schema drops what a summary doesn't have.
      return activeRun === undefined
        ? withInterruption(summary, owner)
        : flowRunSummarySchema.parse(activeRun.state.state())
    })
  }

  readonly run = async (runId: string): Promise<FlowRun> => {
    const activeRun = this.#runs.get(runId)
    if (activeRun !== undefined) return activeRun.state.state()
    const { run, owner } = await this.#deps.store.read('flowRun', runId)
    const parse = (text: string) => parsedBy(flowRunSchema, 'flow_runs.run', text)
    return withInterruption(readRow(`Run ${runId}`, run, parse), owner)
  }

  /** Returns the run that a delivery to a hook belongs to, if that is certain before it is read. */
  readonly flowRunOf = (hookId: string) => this.#listeners.get(hookId)?.running.flowRun ?? null

  readonly takeDelivery = (delivery: ReceivedDelivery) => {
    const listener = this.#listenerOf(delivery)
    listener?.running.inbox.take(delivery, listener.hook)
  }

  /** Reports to the run that the receiver has responded, or the sender is gone. */
  readonly takeResponse = ({
    delivery,
    ...answer
  }: ReceiverAnswer & { readonly delivery: ReceivedDelivery }) => {
    const listener = this.#listenerOf(delivery)
    listener?.running.inbox.takeResponse(delivery.id, listener.hook, answer)
  }

  sandboxReset() {
    for (const running of this.#sandboxRuns)
      running.cancel('The sandbox was reset during the run. Run the flow again.')
  }

  /** Finds a flow by name, your own first, or reads it from text. */
  #findFlow(which: FlowChoice): FoundFlow {
    const own = this.#deps.ownFlows.list().find(({ name }) => name === which.name)
    if (own === undefined || which.source !== undefined) return findFlow(which)
    return { flow: readFlow(own.text, own.path), source: own.text, origin: null }
  }

  #listenerOf({ hookId }: ReceivedDelivery) {
    return hookId === null ? undefined : this.#listeners.get(hookId)
  }

  #refuseIfClosing(): void {
    if (this.#runs.closing.aborted)
      throw new AppError(
        'NOT_RUNNING',
        'Countersign is shutting down. Start it again, then run the flow.',
      )
  }

  #activeRun(runId: string): StartedRun<RunningFlow, FlowRun> {
    const active = this.#runs.get(runId)
    if (active !== undefined) return active
    throw new AppError(
      'NOT_FOUND',
      `Run ${runId} isn't in progress. "countersign flow runs" lists all runs.`,
    )
  }

  async #steer(
    runId: string,
    work: (running: RunningFlow) => Promise<void> | void,
  ): Promise<FlowRun> {
    const { state: running } = this.#activeRun(runId)
    await work(running)
    return running.state()
  }

  async #begin(input: StartInput): Promise<FlowRun> {
    const { log } = this.#deps
    const { id, running, dispose } = await this.#prepare(input, this.#findFlow(input))
    if (running.state().target === 'sandbox') this.#sandboxRuns.add(running)
    this.#runs.start(id, running, async ({ stopped }) => {
      stopped.addEventListener('abort', () => running.cancel())
      if (stopped.aborted) running.cancel()
      const run = await running.run()
      this.#sandboxRuns.delete(running)
      // A run ends even if something can't be closed or stored.
      await dispose().catch((error: unknown) => log.bug(error, 'removing what a flow created'))
      await this.#store(run).catch((error: unknown) =>
        log.warn("Couldn't store a flow's result.", { run: id, reason: (error as Error).message }),
      )
      return run
    })
    return running.state()
  }

  #store(run: FlowRun) {
    return this.#deps.store.write('putFlowRun', { run, owner: process.pid })
  }

  /** Builds a run; `dispose` removes everything created for it. */
  async #prepare(input: StartInput, foundFlow: FoundFlow) {
    const { flow } = foundFlow
    const { environment, isSandbox } = targetOf(this.#deps, input, flow)
    const admitted = await this.#admit(input, flow, environment.name)
    const startService = this.#requireService()
    const id = this.#deps.ids.next()
    const handler =
      input.handler === null
        ? null
        : this.#deps.openHandler(input.handler, admitted, { id, ack: environment.ack })
    const changes = new Changes()
    const attempts = new Attempts()
    let service: FlowService | null = null
    let hooks: readonly RunHook[] = []
    const dispose = () =>
      closeAll([
        async () => {
          if (service !== null) await this.#runHooks.release(hooks)
        },
        async () => handler?.close(),
        async () => service?.close(),
        () => {
          for (const hook of hooks) this.#listeners.delete(hook.id)
        },
      ])
    try {
      service = isSandbox ? await startService(attempts.begin, changes.note) : null
      hooks =
        service === null
          ? accountHooks(this.#deps, flow, environment.name)
          : await this.#runHooks.reserve(requiredHooks(flow), environment.name, service)
      const time = new RunTime({ wall: this.#deps.clock, service, changes })
      await time.setSpeed(input.speed)
      const running = new RunningFlow({
        ...this.#deps,
        ...input,
        ...foundFlow,
        literals: input.literals ?? {},
        id,
        environment,
        service,
        attempts,
        time,
        changes,
        hooks,
        handler,
        runHooks: this.#runHooks,
        onChanged: () => this.#runs.get(id)?.progress(),
      })
      for (const hook of hooks) this.#listeners.set(hook.id, { hook, running })
      this.#refuseIfClosing()
      await this.#store(running.state())
      return { id, running, dispose }
    } catch (error) {
      // A failed clean-up must not hide the first error.
      await dispose().catch((failure: unknown) =>
        this.#deps.log.bug(failure, 'removing what a flow created'),
      )
      throw error
    }
  }

  /** Rejects unless the handler may be sent to in this environment. */
  async #admit({ handler, consent }: StartInput, flow: Flow, environment: string) {
    if (handler !== null)
      checkSigners(
        handler.signers,
        requiredHooks(flow).map(({ event }) => event),
      )
    return this.#deps.admit(
      {
        targets: handler === null ? [] : [handler.url],
        targetCa: handler?.targetCa ?? null,
        signers: {
          environments: [environment],
          secrets: handler?.signers.map(({ secret }) => secret) ?? [],
        },
        what: `running the flow ${flow.name} with a live secret`,
      },
      consent,
    )
  }

  /** Throws `NOT_RUNNING` if a run would miss its deliveries. */
  #requireService(): StartFlowService {
    const { startService } = this.#deps
    if (startService === null)
      throw new AppError(
        'NOT_RUNNING',
        'Flows need Countersign running. Run "countersign serve" (or open the app), then try again.',
      )
    if (this.#deps.capturePaused())
      throw new AppError(
        'NOT_RUNNING',
        'Capture is paused, so the flow would miss its deliveries. Resume capture above the list of deliveries, then run the flow again.',
      )
    return startService
  }
}

/** Marks a stored run as interrupted if its process is gone. */
function withInterruption<T extends FlowRunSummary>(summary: T, owner: number): T {
  const isOpen = summary.state === 'running' || summary.state === 'paused'
  return isOpen && (owner === process.pid || !isAlive(owner))
    ? { ...summary, state: 'interrupted', summary: 'Countersign stopped before the run finished.' }
    : summary
}

/** Returns the environment of a run. Throws `INVALID_INPUT` if the flow can't run there. */
function targetOf({ environments }: FlowsDeps, input: StartInput, flow: Flow) {
  const environment = environments.get(input.environment ?? sandboxEnvironment(flow.mode))
  const isSandbox = isSandboxEnvironment(environment.name)
  const { from, literals = {} } = input
  const refuse = (message: string) => new AppError('INVALID_INPUT', message)
  if (environment.mode !== flow.mode)
    throw refuse(
      `${flow.name} is a ${flow.mode}-mode flow, but ${environment.name} is a ${environment.mode} environment.`,
    )
  const why = isSandbox ? null : needsSandbox(flow)
  if (why !== null) throw refuse(`${flow.name} only runs in the sandbox. ${why}`)
  if (!isSandbox && from > 0)
    throw refuse(
      "With a real account a run starts at the first step. Earlier events can't be triggered again.",
    )
  const unusedPath = Object.keys(literals).find(
    (path) => !isSandbox || !(path in literalsFor(flow, literals)),
  )
  if (unusedPath !== undefined)
    throw refuse(
      isSandbox
        ? `No event that ${flow.name} triggers has the field ${unusedPath}. Check the path.`
        : `A real account makes its own payloads, so ${unusedPath} can't be set. Run the flow in the sandbox.`,
    )
  checkInputs(flow, literals)
  if (from >= flow.steps.length)
    throw refuse(`${flow.name} has ${counted(flow.steps.length, 'step')}.`)
  return { environment, isSandbox }
}

/**
 * Returns a real account's active hooks for the events that the flow expects. Throws `NO_HOOK` if
 * some are missing.
 */
function accountHooks({ hooks }: FlowsDeps, flow: Flow, environment: string): RunHook[] {
  const activeHooks = hooks.list(environment).filter(({ status }) => status === 'active')
  const namesByEvent = new Map(requiredHooks(flow).map((hook) => [hook.event, hook.name]))
  const missingEvents = [...namesByEvent.keys()].filter(
    (event) => !activeHooks.some((hook) => hook.event === event),
  )
  if (missingEvents.length > 0)
    throw new AppError(
      'NO_HOOK',
      `${environment} has no hook for ${missingEvents.join(', ')}. Register the missing hooks: ${missingEvents
        .map((event) => `countersign hooks add --environment ${environment} --event ${event}`)
        .join('; ')}`,
    )
  return activeHooks.flatMap(({ id, event, url }) => {
    const name = namesByEvent.get(event)
    return name === undefined ? [] : [{ name, id, event, url, declared: null }]
  })
}
