/** Flows, built in or from files, and their runs. */
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { Consent } from '../../shared/model/consent.ts'
import type { ReceivedDelivery } from '../base/event-hub.ts'
import { isSandboxEnvironment, sandboxEnvironment } from '../../shared/model/environment.ts'
import {
  flowRunSchema,
  flowRunSummarySchema,
  type Flow,
  type FlowPlan,
  type FlowRun,
  type FlowRunSummary,
  type FlowSpeed,
  type FlowSummary,
} from '../../shared/model/flow.ts'
import { counted } from '../../shared/text/counted.ts'
import { closeAll, createRuns, type StartedRun } from '../base/async.ts'
import type { Deps } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import { isAlive } from '../base/processes.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Admission } from '../outgoing/admit.ts'
import { parsedBy, readRow, readRows } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import type { HandlerOptions, OpenHandler, ReceiverAnswer } from './arrivals.ts'
import { builtInFlows, findFlow, type FoundFlow, type Which } from './built-in/index.ts'
import { checkSigners } from '../hooks/event-signers.ts'
import { createAttempts, createHookKeeper, wantedHooks, type RunHook } from './hooks.ts'
import { checkInputs, flowSummary, needsSandbox, planOf } from './plan.ts'
import { createRunningFlow, type RunningFlow } from './run.ts'
import { createChanges, createRunTime, type FlowService, type StartFlowService } from './service.ts'
import { literalsFor } from './steps.ts'

interface FlowsDeps extends Pick<Deps, 'clock' | 'ids' | 'log' | 'randomBytes'> {
  readonly store: Pick<Store, 'read' | 'write' | 'settled'>
  readonly hooks: Pick<Hooks, 'list' | 'record' | 'change' | 'reveal' | 'rotate' | 'setAnswering'>
  readonly environments: Pick<Environments, 'get'>
  readonly openHandler: OpenHandler
  readonly admit: Admission['admit']
  /** Null if nothing is listening. */
  readonly startService: StartFlowService | null
  receiverUrl(): string | null
  capturePaused(): boolean
  readonly hub: Pick<EventHub, 'emit'>
}

/** With the endpoint resolved: a saved handler's name is its URL and secret here. */
type StartInput = Omit<ParsedInputOf<'flows.start'>, 'handler' | keyof Consent> & {
  readonly handler: HandlerOptions | null
  readonly consent: Consent
}

export type Flows = ReturnType<typeof createFlows>

export function createFlows(deps: FlowsDeps) {
  const { store, clock, log } = deps
  const runs = createRuns<RunningFlow, FlowRun>({
    onProgress({ state: running }) {
      const run = running.state()
      // A run's end is shown only once stored.
      if (run.endedAt === null) deps.hub.emit('flows.changed', { run })
    },
    onFailed(error) {
      log.bug(error, 'the end of a flow')
      throw error
    },
    onEnded: (_, run) => deps.hub.emit('flows.changed', { run }),
  })
  const inSandbox = new Set<RunningFlow>()
  /** The run that each hook's deliveries belong to. */
  const listeners = new Map<string, { readonly hook: RunHook; readonly running: RunningFlow }>()
  const keeper = createHookKeeper(deps)
  const keep = (run: FlowRun) => store.write('putFlowRun', { run, owner: process.pid })

  function refuseIfClosing(): void {
    if (runs.closing.aborted)
      throw new AppError(
        'NOT_RUNNING',
        'Countersign is shutting down. Start it again, then run the flow.',
      )
  }

  /** Builds a run. `dispose` removes everything created for it; its deliveries are ignored from then on. */
  async function prepare(input: StartInput, found: FoundFlow) {
    const { flow } = found
    const { environment, isSandbox } = targetOf(deps, input, flow)
    const { handler: endpoint, consent, literals = {} } = input
    if (endpoint !== null)
      checkSigners(
        endpoint.signers,
        wantedHooks(flow).map(({ event }) => event),
      )
    const admitted = await deps.admit(
      {
        targets: endpoint === null ? [] : [endpoint.url],
        targetCa: endpoint?.targetCa ?? null,
        signers: {
          environments: [environment.name],
          secrets: endpoint?.signers.map(({ secret }) => secret) ?? [],
        },
        what: `running the flow ${flow.name} with a live secret`,
      },
      consent,
    )
    if (deps.startService === null)
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
    const handler =
      endpoint === null ? null : deps.openHandler(endpoint, admitted, { id, ack: environment.ack })
    const changes = createChanges()
    const attempts = createAttempts()
    let service: FlowService | null = null
    let taken: readonly RunHook[] = []
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
      service = isSandbox ? await deps.startService(attempts.begin, changes.note) : null
      taken =
        service === null
          ? accountHooks(deps, flow, environment.name)
          : await keeper.take(wantedHooks(flow), environment.name, service)
      const time = createRunTime({ wall: clock, service, changes })
      await time.setSpeed(input.speed)
      const running = createRunningFlow({
        ...deps,
        ...input,
        ...found,
        literals,
        id,
        environment,
        service,
        attempts,
        time,
        changes,
        hooks: taken,
        handler,
        keeper,
        onChanged: () => runs.get(id)?.progress(),
      })
      for (const hook of taken) listeners.set(hook.id, { hook, running })
      refuseIfClosing()
      await keep(running.state())
      return { id, running, dispose }
    } catch (error) {
      // Report the original error, not this one.
      await dispose().catch((failure: unknown) => log.bug(failure, 'removing what a flow created'))
      throw error
    }
  }

  async function begin(input: StartInput): Promise<FlowRun> {
    const { id, running, dispose } = await prepare(input, findFlow(input))
    if (running.state().target === 'sandbox') inSandbox.add(running)
    runs.start(id, running, async ({ stopped }) => {
      stopped.addEventListener('abort', () => running.cancel())
      if (stopped.aborted) running.cancel()
      const run = await running.run()
      inSandbox.delete(running)
      // The run's end is reported even if something couldn't be closed or stored.
      await dispose().catch((error: unknown) => log.bug(error, 'removing what a flow created'))
      await keep(run).catch((error: unknown) =>
        log.warn("Couldn't store a flow's result.", { run: id, reason: (error as Error).message }),
      )
      return run
    })
    return running.state()
  }

  function activeRun(runId: string): StartedRun<RunningFlow, FlowRun> {
    const found = runs.get(runId)
    if (found !== undefined) return found
    throw new AppError(
      'NOT_FOUND',
      `Run ${runId} isn't in progress. "countersign flow runs" lists all runs.`,
    )
  }

  /** A run whose process is gone was interrupted. */
  function asItIs<T extends FlowRunSummary>(kept: T, owner: number): T {
    const isOpen = kept.state === 'running' || kept.state === 'paused'
    return isOpen && (owner === process.pid || !isAlive(owner))
      ? { ...kept, state: 'interrupted', summary: 'Countersign stopped before the run finished.' }
      : kept
  }

  async function steer(
    runId: string,
    work: (running: RunningFlow) => Promise<void> | void,
  ): Promise<FlowRun> {
    const { state: running } = activeRun(runId)
    await work(running)
    return running.state()
  }

  const listenerOf = ({ hookId }: ReceivedDelivery) =>
    hookId === null ? undefined : listeners.get(hookId)

  return {
    list: (): FlowSummary[] => builtInFlows().map(({ flow }) => flowSummary(flow, true)),
    get(which: Which): FlowPlan {
      const { flow, origin, source } = findFlow(which)
      return planOf(flow, origin, source)
    },
    async start(input: StartInput): Promise<FlowRun> {
      refuseIfClosing()
      return runs.track(begin(input))
    },
    step: (runId: string): Promise<FlowRun> => steer(runId, (running) => running.step()),
    pause: (runId: string): Promise<FlowRun> => steer(runId, (running) => running.pause()),
    resume: (runId: string): Promise<FlowRun> => steer(runId, (running) => running.resume()),
    setSpeed: (runId: string, speed: FlowSpeed): Promise<FlowRun> =>
      steer(runId, (running) => running.setSpeed(speed)),
    /** Resolves when the run has ended. */
    async cancel(runId: string): Promise<FlowRun> {
      const run = activeRun(runId)
      run.cancel()
      return run.ended
    },
    runs: async (input: {
      readonly flow: string | undefined
      readonly limit: number
    }): Promise<FlowRunSummary[]> =>
      readRows(await store.read('flowRuns', input), ({ run, owner }) => {
        const kept = parsedBy(flowRunSummarySchema, 'flow_runs.summary', run)
        const live = runs.get(kept.id)
        // The schema drops what a summary doesn't have.
        return live === undefined
          ? asItIs(kept, owner)
          : flowRunSummarySchema.parse(live.state.state())
      }),
    async run(runId: string): Promise<FlowRun> {
      const live = runs.get(runId)
      if (live !== undefined) return live.state.state()
      const { run, owner } = await store.read('flowRun', runId)
      const read = (text: string) => parsedBy(flowRunSchema, 'flow_runs.run', text)
      return asItIs(readRow(`Run ${runId}`, run, read), owner)
    },
    /** The run that a delivery to this hook belongs to, if that is certain before it is read. */
    flowRunOf: (hookId: string) => listeners.get(hookId)?.running.flowRun ?? null,
    /** Call for every delivery once it is stored. */
    stored(delivery: ReceivedDelivery) {
      const listener = listenerOf(delivery)
      listener?.running.arrived(delivery, listener.hook)
    },
    /** Call when the receiver has responded to a stored delivery, or its sender is gone. */
    answered({ delivery, ...answer }: ReceiverAnswer & { readonly delivery: ReceivedDelivery }) {
      const listener = listenerOf(delivery)
      listener?.running.answered(delivery.id, listener.hook, answer)
    },
    /** Ends the runs in the sandbox: somebody reset it. */
    sandboxReset() {
      for (const running of inSandbox)
        running.cancel('The sandbox was reset during the run. Run the flow again.')
    },
    /** Cancels active runs and waits for them to end. No run starts after this. */
    close: runs.close,
  }
}

/** The environment of a run. Throws if the flow can't run there. */
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
  const idle = Object.keys(literals).find(
    (path) => !isSandbox || !(path in literalsFor(flow, literals)),
  )
  if (idle !== undefined)
    throw refuse(
      isSandbox
        ? `No event that ${flow.name} triggers has the field ${idle}. Check the path.`
        : `A real account makes its own payloads, so ${idle} can't be set. Run the flow in the sandbox.`,
    )
  checkInputs(flow, literals)
  if (from >= flow.steps.length)
    throw refuse(`${flow.name} has ${counted(flow.steps.length, 'step')}.`)
  return { environment, isSandbox }
}

/** The active hooks of a real account for the events that the flow expects. Throws `NO_HOOK` if some are missing. */
function accountHooks({ hooks }: FlowsDeps, flow: Flow, environment: string): RunHook[] {
  const there = hooks.list(environment).filter(({ status }) => status === 'active')
  const wanted = new Map(wantedHooks(flow).map((hook) => [hook.event, hook.name]))
  const lacking = [...wanted.keys()].filter((event) => !there.some((hook) => hook.event === event))
  if (lacking.length > 0)
    throw new AppError(
      'NO_HOOK',
      `${environment} has no hook for ${lacking.join(', ')}. Register the missing hooks: ${lacking
        .map((event) => `countersign hooks add --environment ${environment} --event ${event}`)
        .join('; ')}`,
    )
  return there.flatMap(({ id, event, url }) => {
    const name = wanted.get(event)
    return name === undefined ? [] : [{ name, id, event, url, wanted: null }]
  })
}
