/** Flows: the built-in ones and those of files, their runs, and what is kept of them. */
import { AppError } from '../../shared/contract/errors.ts'
import type { InputOf, ParsedInputOf } from '../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { isSandboxEnvironment, SANDBOX_LIVE, SANDBOX_TEST } from '../../shared/model/environment.ts'
import type { Flow } from '../../shared/model/flow.ts'
import type { FlowPlan, FlowRun, FlowRunComparison, FlowRunSummary, FlowSpeed, FlowSummary } from '../../shared/model/flow-run.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'
import type { Deps } from '../deps.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { confirmLive } from '../hooks/live-guard.ts'
import { isProcess } from '../processes.ts'
import type { Store } from '../store/store.ts'
import { createArrivalReader } from './arrivals.ts'
import { builtInFlows, type BuiltInFlow } from './built-in/index.ts'
import { createChanges } from './changes.ts'
import { compareRuns } from './compare-runs.ts'
import type { Handler, OpenHandler } from './handler.ts'
import { needsSandbox, planOf, summaryOf } from './plan.ts'
import { readFlow } from './read-flow.ts'
import { createRunningFlow, type RunningFlow } from './run-flow.ts'
import { createHookKeeper, wantedHooks, type RunHook } from './run-hooks.ts'
import type { FlowService, StartFlowService } from './run-service.ts'
import { createAccountTime, createSandboxTime } from './run-time.ts'
import { summaryOfRun } from './run-summary.ts'
import { createTelling } from './telling.ts'

export interface FlowsDeps extends Pick<Deps, 'clock' | 'ids' | 'log' | 'randomBytes'> {
  readonly store: Pick<Store, 'read' | 'write' | 'settled'>
  readonly hooks: Pick<Hooks, 'list' | 'record' | 'change' | 'reveal' | 'rotate' | 'setAnswering'>
  readonly environments: Pick<Environments, 'get'>
  readonly openHandler: OpenHandler
  /** Null where nothing is served. */
  readonly startService: StartFlowService | null
  receiverUrl(): string | null
  /** Hears how a run stands: ten times a second at most while it goes, and when it has ended. */
  onChanged(run: FlowRun): void
}

type StartInput = ParsedInputOf<'flows.start'>
type Which = Pick<InputOf<'flows.get'>, 'name' | 'source'>

export interface Flows {
  list(): FlowSummary[]
  get(which: Which): FlowPlan
  start(input: StartInput): Promise<FlowRun>
  step(runId: string): Promise<FlowRun>
  pause(runId: string): Promise<FlowRun>
  resume(runId: string): Promise<FlowRun>
  setSpeed(runId: string, speed: FlowSpeed): Promise<FlowRun>
  /** Resolves once it has ended. */
  cancel(runId: string): Promise<FlowRun>
  runs(input: { readonly flow: string | undefined; readonly limit: number }): Promise<FlowRunSummary[]>
  run(runId: string): Promise<FlowRun>
  compare(before: string, after: string): Promise<FlowRunComparison>
  /** Hears of each delivery once it is stored. */
  stored(row: DeliveryRow): void
  /** Cancels what goes. */
  close(): Promise<void>
}

interface Going {
  readonly running: RunningFlow
  readonly hooks: readonly RunHook[]
  ended: Promise<FlowRun>
}

export function createFlows(deps: FlowsDeps): Flows {
  const { store, clock, environments } = deps
  const going = new Map<string, Going>()
  /** Which run the deliveries of a hook belong to. */
  const listeners = new Map<string, { readonly hook: RunHook; readonly arrived: RunningFlow['arrived'] }>()
  const keeper = createHookKeeper({
    hooks: deps.hooks,
    randomBytes: (count) => deps.randomBytes(count),
    receiverUrl: () => deps.receiverUrl(),
  })
  const reader = createArrivalReader(store)

  function find({ name, source }: Which): BuiltInFlow & { readonly builtIn: boolean } {
    if ((name === undefined) === (source === undefined))
      throw new AppError('INVALID_INPUT', 'Give either the name of a flow or the text of one.')
    if (source !== undefined) return { flow: readFlow(source.text, source.file), source: source.text, builtIn: false }
    const known = builtInFlows().find(({ flow }) => flow.name === name)
    if (known !== undefined) return { ...known, builtIn: true }
    throw new AppError(
      'NOT_FOUND',
      `There is no flow ${name ?? ''}. List them with "countersign flow list", or give the file of your own.`,
    )
  }

  const keep = (run: FlowRun) => store.write('putFlowRun', { run, owner: process.pid })

  function accountHooks(flow: Flow, environment: string): RunHook[] {
    const there = deps.hooks.list(environment).filter(({ status }) => status === 'active')
    const lacking = wantedHooks(flow).filter(({ event }) => !there.some((hook) => hook.event === event))
    if (lacking.length > 0) {
      const commands = [
        ...new Set(lacking.map(({ event }) => `countersign hooks add --environment ${environment} --event ${event}`)),
      ]
      throw new AppError(
        'NO_HOOK',
        `${environment} has no hook for ${[...new Set(lacking.map(({ event }) => event))].join(', ')}. Make them first: ${commands.join('; ')}`,
      )
    }
    const named = new Map(wantedHooks(flow).map((hook) => [hook.event, hook]))
    return there.flatMap((hook) => {
      const wanted = named.get(hook.event)
      return wanted === undefined ? [] : [{ name: wanted.name, id: hook.id, event: hook.event, wanted: null }]
    })
  }

  async function begin(input: StartInput, flow: Flow): Promise<FlowRun> {
    const own = flow.mode === 'live' ? SANDBOX_LIVE : SANDBOX_TEST
    const environment = environments.get(input.environment ?? own)
    const isSandbox = isSandboxEnvironment(environment.name)
    if (environment.mode !== flow.mode)
      throw new AppError(
        'INVALID_INPUT',
        `${flow.name} is a flow of ${flow.mode} mode, and ${environment.name} is an environment of ${environment.mode} mode.`,
      )
    confirmLive(environment, input.live, `running the flow ${flow.name} there`)
    const why = isSandbox ? null : needsSandbox(flow)
    if (why !== null) throw new AppError('INVALID_INPUT', `${flow.name} can only run against the sandbox. ${why}`)
    if (!isSandbox && input.from > 0)
      throw new AppError(
        'INVALID_INPUT',
        'At a real account a run begins with its first step: what comes before cannot be caused again.',
      )
    if (input.from >= flow.steps.length) throw new AppError('INVALID_INPUT', `${flow.name} has ${flow.steps.length} steps.`)
    if (deps.startService === null)
      throw new AppError(
        'NOT_RUNNING',
        'A flow needs the running receiver. Start it with "countersign serve" (or open the app) and try again.',
      )
    const handler: Handler | null =
      input.handler === null ? null : await deps.openHandler({ ...input.handler, allowHosts: input.allowHosts })

    const id = deps.ids.next()
    const changes = createChanges()
    let service: FlowService | null = null
    let taken: readonly RunHook[] = []
    try {
      service = isSandbox
        ? await deps.startService({
            onChanged: () => {
              changes.note()
            },
            acknowledgeTimeoutMs: () => going.get(id)?.running.acknowledgeTimeoutMs() ?? ACKNOWLEDGE_TIMEOUT_MS,
          })
        : null
      taken =
        service === null ? accountHooks(flow, environment.name) : await keeper.take(wantedHooks(flow), environment.name, service)
      const telling = createTelling((run) => deps.onChanged(run))
      // The time asks whether deliveries are being read, which the run knows that is made with it.
      const isReading = () => going.get(id)?.running.isReading() ?? false
      const started = service
      const time =
        started === null
          ? createAccountTime(clock, changes)
          : createSandboxTime(
              { clock: started.clock, nextDue: () => started.nextDue(), isBusy: () => isReading() || started.isBusy() },
              changes,
            )
      await time.setSpeed(input.speed)
      const running = createRunningFlow(
        { clock, log: deps.log, store, reader, onChanged: telling.tell },
        {
          id,
          flow,
          environment: environment.name,
          mode: environment.mode,
          speed: input.speed,
          from: input.from,
          paused: input.paused,
          service,
          time,
          changes,
          hooks: taken,
          handler,
          rotate: async (hook) => {
            if (started !== null) await keeper.rotate(hook, environment.name, started)
          },
          answerPlainly: keeper.answerPlainly,
        },
      )
      for (const hook of taken) listeners.set(hook.id, { hook, arrived: running.arrived })
      await keep(running.state())
      const mine: Going = { running, hooks: taken, ended: Promise.resolve(running.state()) }
      going.set(id, mine)
      mine.ended = running.run().then(async (ended) => {
        await end(id, ended, taken, started, handler)
        telling.last(ended)
        return ended
      })
      mine.ended.catch((error: unknown) => deps.log.bug(error, 'the end of a flow'))
      return running.state()
    } catch (error) {
      await letGo(taken, service, handler)
      throw error
    }
  }

  async function letGo(taken: readonly RunHook[], service: FlowService | null, handler: Handler | null): Promise<void> {
    for (const { id } of taken) listeners.delete(id)
    await service?.close()
    await handler?.close()
    if (service !== null) await keeper.release(taken)
  }

  async function end(
    id: string,
    run: FlowRun,
    taken: readonly RunHook[],
    service: FlowService | null,
    handler: Handler | null,
  ): Promise<void> {
    await letGo(taken, service, handler)
    await keep(run)
    going.delete(id)
  }

  function goingRun(runId: string): Going {
    const found = going.get(runId)
    if (found !== undefined) return found
    throw new AppError('NOT_FOUND', `No run ${runId} goes here. The runs of flows are listed by "countersign flow runs".`)
  }

  async function runOf(runId: string): Promise<FlowRun> {
    const live = going.get(runId)
    if (live !== undefined) return live.running.state()
    return asItIs(await store.read('flowRun', runId))
  }

  /** One that went in a process that is gone has been interrupted. */
  function asItIs<T extends FlowRunSummary>({ run: kept, owner }: { readonly run: T; readonly owner: number }): T {
    const isOpen = kept.state === 'running' || kept.state === 'paused'
    return isOpen && (owner === process.pid || !isProcess(owner))
      ? { ...kept, state: 'interrupted', summary: 'The program ended before the run did.' }
      : kept
  }

  const steer = async (runId: string, work: (running: RunningFlow) => Promise<void> | void): Promise<FlowRun> => {
    const { running } = goingRun(runId)
    await work(running)
    return running.state()
  }

  return {
    list: () => builtInFlows().map(({ flow }) => summaryOf(flow, true)),
    get(which) {
      const { flow, builtIn, source } = find(which)
      return planOf(flow, builtIn, source)
    },
    start: async (input) => begin(input, find(input).flow),
    step: (runId) => steer(runId, (running) => running.step()),
    pause: (runId) => steer(runId, (running) => running.pause()),
    resume: (runId) => steer(runId, (running) => running.resume()),
    setSpeed: (runId, speed) => steer(runId, (running) => running.setSpeed(speed)),
    async cancel(runId) {
      const { running, ended } = goingRun(runId)
      running.cancel()
      return ended
    },
    runs: async (input) =>
      (await store.read('flowRuns', input)).map((kept) => {
        const live = going.get(kept.run.id)
        return live === undefined ? asItIs(kept) : summaryOfRun(live.running.state())
      }),
    run: runOf,
    async compare(before, after) {
      const [left, right] = [await runOf(before), await runOf(after)]
      if (left.flow !== right.flow)
        throw new AppError(
          'INVALID_INPUT',
          `${before} is a run of ${left.flow}, ${after} one of ${right.flow}: only runs of one flow are compared.`,
        )
      return compareRuns(left, right)
    },
    stored(row) {
      const listener = row.hookId === null ? undefined : listeners.get(row.hookId)
      listener?.arrived(row, listener.hook)
    },
    async close() {
      for (const { running } of going.values()) running.cancel()
      await Promise.all([...going.values()].map(({ ended }) => ended))
    },
  }
}
