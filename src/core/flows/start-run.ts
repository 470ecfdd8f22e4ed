/** Starts a run: checks confirmations and requirements, builds its parts, and cleans up afterwards. */
import type { Literals } from '../../shared/body/json-literals.ts'
import { counted } from '../../shared/text/counted.ts'
import { AppError } from '../../shared/contract/errors.ts'
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { isSandboxEnvironment, sandboxEnvironment } from '../../shared/model/environment.ts'
import type { Flow } from '../../shared/model/flow.ts'
import type { FlowRun } from '../../shared/model/flow-run.ts'
import { closeAll } from '../base/async.ts'
import type { Deps } from '../base/deps.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Admission } from '../outgoing/admit.ts'
import type { Store } from '../store/store.ts'
import { acknowledges } from '../../shared/service/limits.ts'
import { createArrivalReader, type ReceiverAnswer } from './arrivals.ts'
import { createChanges, createAccountTime, createSandboxTime } from './run-time.ts'
import { checkInputs } from './inputs.ts'
import type { FoundFlow } from './built-in/index.ts'
import type { Handler, HandlerOptions, OpenHandler } from './handler.ts'
import { needsSandbox } from './plan.ts'
import { createRunningFlow, type FlowClaim, type RunningFlow } from './run-flow.ts'
import { createHookKeeper, wantedHooks, type RunHook } from './run-hooks.ts'
import type { FlowService, StartFlowService } from './run-service.ts'
import { hasField } from './run-step.ts'

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
    readonly environment: ReturnType<RunStarterDeps['environments']['get']>
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
      { flow, source, origin }: FoundFlow,
      onChanged: (run: FlowRun) => void,
    ): Promise<ReadyRun> {
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
        running = createRunningFlow(
          { clock, log: deps.log, store, reader, onChanged },
          {
            id,
            flow,
            source,
            origin,
            environment: environment.name,
            mode: environment.mode,
            speed: input.speed,
            from: input.from,
            literals: input.literals ?? {},
            paused: input.paused,
            service,
            time,
            changes,
            hooks: taken,
            handler,
            rotate: async (hook) => {
              if (started !== null) await keeper.rotate(hook, environment.name, started)
            },
            answerNext: keeper.answerNext,
            acknowledges: (status) => acknowledges(status, environment.ack),
            onClaimed: (claim) => deps.onClaimed(claim),
          },
        )
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
    /** Called for every delivery once it is stored. */
    stored(row: DeliveryRow) {
      const listener = row.hookId === null ? undefined : listeners.get(row.hookId)
      listener?.running.arrived(row, listener.hook)
    },
    /** Called when the receiver has responded to a stored delivery, or its sender is gone. */
    answered(row: DeliveryRow, answer: ReceiverAnswer) {
      const listener = row.hookId === null ? undefined : listeners.get(row.hookId)
      listener?.running.answered(row.id, listener.hook, answer)
    },
  }
}
