/**
 * Flows in the window: the form of the next run, those that run one after the other, and a flow
 * file that reloads on change.
 */
import { QueryObserver } from '@tanstack/react-query'
import { z } from 'zod'
import { typedLiteral } from '../../../shared/body/json-literals.ts'
import type { InputOf, OutputOf } from '../../../shared/contract/contract.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import { FLOW_FILE_BYTES } from '../../../shared/model/flow.ts'
import {
  flowProblemSchema,
  flowSpeedSchema,
  type FlowPlan,
  type FlowProblem,
  type FlowSpeed,
  type FlowSummary,
} from '../../../shared/model/flow-run.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { counted } from '../../../shared/text/counted.ts'
import { isQuiet, sentenceOf } from '../../core-data/act.ts'
import type { Data } from '../../core-data/data.ts'
import type { CoreSlice } from '../../ui-state/core-slice.ts'
import { isOfSandbox } from '../../core-data/environments.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import { isRouted, type NavigationSlice } from '../../ui-state/navigation-slice.ts'
import { readDraft, writeDraft } from '../../ui-state/tab-drafts.ts'
import { fileSentenceOf, fileText, type UserFile } from '../../ui-state/user-file.ts'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import type { FlowSeries } from './flow-table.ts'
import { flowAt, isRunning, type FlowFile } from './open-flow.ts'
import { saveBytes } from '../../ui/save-file.ts'
import type { FilesSlice } from '../../ui-state/files-slice.ts'

const draftSchema = z
  .object({
    /** Empty for the sandbox. */
    environment: z.string(),
    /**
     * The name of a saved handler; empty for none. Null until one is chosen: the current handler,
     * if there is one.
     */
    handler: z.string().nullable(),
    speed: flowSpeedSchema,
    /**
     * Inputs as typed, by name; empty ones are chosen by the sandbox. Each flow uses those it has.
     */
    inputs: z.record(z.string(), z.string()).readonly(),
    /** Whether a run of all flows includes those in live mode. */
    includesLive: z.boolean(),
  })
  .readonly()
/** The form of a run, shared by all flows. */
type FlowDraft = z.infer<typeof draftSchema>

/** Returns the handler of the next run; null for none. */
export function chosenHandler(
  { handler }: Pick<FlowDraft, 'handler'>,
  handlers: readonly SavedHandler[],
): SavedHandler | null {
  return (
    handlers.find(({ name, current }) => (handler === null ? current : name === handler)) ?? null
  )
}

export function accountsOf(
  { sandboxOnly, mode }: Pick<FlowPlan, 'sandboxOnly' | 'mode'>,
  environments: readonly Environment[],
): readonly Environment[] {
  return sandboxOnly === null
    ? environments.filter((one) => !isOfSandbox(one.name) && one.mode === mode)
    : []
}

/** Returns the selected account if this flow can run in it; empty for the sandbox. */
export function flowAccount(
  { environment }: Pick<FlowDraft, 'environment'>,
  plan: Pick<FlowPlan, 'sandboxOnly' | 'mode'>,
  environments: readonly Environment[],
): string {
  return accountsOf(plan, environments).some(({ name }) => name === environment) ? environment : ''
}

/**
 * Returns the input of a run from the form. A saved handler brings its secret and registered URL.
 */
function draftInput(
  draft: FlowDraft,
  { inputs }: Pick<FlowSummary, 'inputs'>,
  handlers: readonly SavedHandler[],
): Pick<InputOf<'flows.start'>, 'speed' | 'handler' | 'literals'> {
  const handler = chosenHandler(draft, handlers)
  // Numbers stay as typed.
  const literals = inputs.flatMap(({ name }) => {
    const text = (draft.inputs[name] ?? '').trim()
    return text === '' ? [] : [[name, typedLiteral(text)] as const]
  })
  return {
    speed: draft.speed,
    handler: handler === null ? null : { url: handlerRef(handler) },
    literals: Object.fromEntries(literals),
  }
}

/** An invalid flow file: all errors with positions, or a single message. */
export interface FlowFileProblem {
  readonly file: string
  /** Whether the last valid version is still open. */
  readonly isOpen: boolean
  readonly message: string
  readonly problems: readonly FlowProblem[]
}

const problemsSchema = z.array(flowProblemSchema)

function fileProblemOf(error: unknown, file: string, isOpen: boolean): FlowFileProblem {
  const problems = problemsSchema.safeParse(error instanceof AppError ? error.details : null)
  return { file, isOpen, message: fileSentenceOf(error), problems: problems.data ?? [] }
}

function flowText(file: UserFile): Promise<string> {
  const tooLarge = new AppError(
    'INVALID_FLOW',
    `${file.name} is larger than 1 MiB. Split the flow into smaller files.`,
  )
  return fileText(file, FLOW_FILE_BYTES, tooLarge)
}

const CHECK_MS = 1_000

/** Calls back after each change of the file, until stopped. */
function watchFile({ changedAt }: UserFile, onChanged: () => void): () => void {
  if (changedAt === null) return () => undefined
  let known: number | null = null
  let isChecking = false
  let isStopped = false
  const check = () => {
    if (isChecking) return
    isChecking = true
    changedAt()
      .then((at) => {
        if (isStopped) return
        if (known !== null && at !== known) onChanged()
        known = at
      })
      // Editors replace a file when saving, so it may be missing for a moment. Look again.
      .catch(() => undefined)
      .finally(() => {
        isChecking = false
      })
  }
  check()
  const timer = setInterval(check, CHECK_MS)
  return () => {
    isStopped = true
    clearInterval(timer)
  }
}

/** Resolves once a run is over, or can't be read. */
function runEnded({ queries }: Data, runId: string): Promise<void> {
  const observer = new QueryObserver<OutputOf<'flows.run'>>(queries, {
    queryKey: ['flows.run', { runId }],
  })
  return new Promise((resolve) => {
    const stop = observer.subscribe(({ data, isError }) => {
      if (data === undefined ? !isError : isRunning(data.run)) return
      stop()
      resolve()
    })
  })
}

const endings = { html: 'html', junit: 'xml' } as const
export type FlowFileFormat = keyof typeof endings

interface FlowAsked {
  /** The step to pause before; those before it run at full speed. */
  readonly from: number
  /** Runs one step, then pauses. */
  readonly step: boolean
}

interface FlowState {
  readonly draft: FlowDraft
  readonly file: FlowFile | null
  readonly fileProblem: FlowFileProblem | null
  /** The built-in flow to run as soon as it is shown. */
  readonly runWanted: string | null
  /** Flows that are run one after the other, or null. */
  readonly series: FlowSeries | null
}

export function createFlowsSlice({
  client,
  data,
  act,
  notify,
  set,
  get,
  app,
  subscribe,
}: FeatureTools<
  FlowState,
  {
    readonly data: Data
    readonly files: FilesSlice
    readonly core: CoreSlice
    readonly navigation: NavigationSlice
    readonly flows: FlowState
  }
>) {
  /** Increments whenever a file is read or closed, so that older requests are ignored. */
  let turn = 0
  let stopWatching: () => void = () => undefined
  /** Loads the file. An open flow stays, with its runs, if the file is invalid now. */
  async function readFile(file: UserFile): Promise<void> {
    const mine = ++turn
    const { navigation } = app()
    const isOpen = get().file !== null && get().file?.name === navigation.at.flows.file
    try {
      const text = await flowText(file)
      const which = { source: { text, file: file.name } }
      const output = await client.call('flows.get', which)
      if (mine !== turn) return
      data.queries.setQueryData(['flows.get', which], output)
      set({ file: { name: file.name, text }, fileProblem: null })
      if (isOpen)
        notify({ tone: 'ok', title: 'Flow reloaded', message: `${file.name} has changed.` })
      else navigation.select('flows', { file: file.name })
    } catch (error) {
      if (mine === turn && !isQuiet(error))
        set({ fileProblem: fileProblemOf(error, file.name, isOpen) })
    }
  }

  subscribe((now, before) => {
    const { navigation } = now
    const { flow, file } = navigation.at.flows
    const was = before.navigation.at.flows
    if (flow !== was.flow || file !== was.file) {
      if (flow !== get().runWanted) set({ runWanted: null })
      if (file === undefined || file !== get().file?.name) {
        turn++
        stopWatching()
        set({ file: null, fileProblem: null })
      }
    }
    if (!isRouted('flows', now, before) || file === undefined || file === get().file?.name) return
    notify({
      tone: 'warn',
      title: `Open ${file} again`,
      message: "Countersign can't reopen a file by itself.",
    })
    navigation.select('flows', {})
  })

  const isCancelled = () => get().series?.isCancelled === true
  /** The run of a series in progress. */
  let seriesRun: string | null = null
  const cancelSeriesRun = async () => {
    const runId = seriesRun
    if (runId !== null)
      await act("Couldn't cancel the run", () => client.call('flows.cancel', { runId }))
  }
  /** Resolves once the run is over. Ends it if the series was cancelled meanwhile. */
  async function over(runId: string): Promise<void> {
    seriesRun = runId
    if (isCancelled()) void cancelSeriesRun()
    await runEnded(data, runId)
    seriesRun = null
  }

  /** Resolves with the run's ID. */
  async function startOne(flow: FlowSummary): Promise<string> {
    const { run } = await client.call('flows.start', {
      name: flow.name,
      ...draftInput(get().draft, flow, app().core.handlers),
    })
    return run.id
  }

  async function change(
    problem: string,
    call: (runId: string) => Promise<OutputOf<'flows.run'>>,
  ): Promise<void> {
    const { run } = flowAt(app())
    if (run === null) return
    const runId = run.id
    const output = await act(problem, () => call(runId))
    if (output !== undefined) data.patch('flows.run', { runId }, () => output)
  }

  const initial: FlowState = {
    draft: {
      ...{ environment: '', handler: null, speed: 'max', inputs: {} },
      ...readDraft('flows', draftSchema),
      // Asked for again after a reload.
      includesLive: false,
    },
    file: null,
    fileProblem: null,
    runWanted: null,
    series: null,
  }
  const actions = {
    changeDraft(part: Partial<FlowDraft>) {
      set({ draft: { ...get().draft, ...part } })
      writeDraft('flows', get().draft)
    },
    openAndRun(name: string) {
      set({ runWanted: name })
      app().navigation.go('flows', { flow: name })
    },
    /** Clears the request to run. */
    runBegun() {
      set({ runWanted: null })
    },
    /** Opens a flow file once it is chosen, and reloads it on change. Null if none was chosen. */
    async openFile(chosen: UserFile | Promise<UserFile | null>) {
      let file: UserFile | null
      try {
        file = await chosen
      } catch (error) {
        app().files.notOpened(error)
        return
      }
      if (file === null) return
      const opened = file
      stopWatching()
      stopWatching = watchFile(opened, () => void readFile(opened))
      await readFile(opened)
    },
    /** Selects a step by its number, or an unexpected delivery by its ID. Null selects none. */
    selectPlace(id: string | null) {
      const { at, select } = app().navigation
      const step = flowAt(app()).places.find((place) => place.id === id)?.name
      select('flows', { ...at.flows, step })
    },
    /** Runs the open flow. Rejects on errors. */
    async start({ step, from }: FlowAsked) {
      const { which, plan } = flowAt(app())
      if (which === null || plan === null) throw new AppError('INVALID_INPUT', 'Open a flow first.')
      const { environments, handlers } = app().core
      const environment = flowAccount(get().draft, plan, environments)
      const { literals, ...input } = draftInput(get().draft, plan, handlers)
      const { run } = await client.call('flows.start', {
        ...which,
        ...(environment === '' ? { literals } : { environment }),
        ...input,
        from,
        paused: step || from > 0,
      })
      const runId = run.id
      data.queries.setQueryData(['flows.run', { runId }], { run })
      // The run continues whatever is open, and is shown only if its flow is.
      const { at, select } = app().navigation
      const now = flowAt(app()).plan
      if (now?.name === plan.name && now.origin === plan.origin)
        select('flows', {
          ...at.flows,
          run: runId,
          step: from > 0 ? plan.steps[from]?.name : undefined,
        })
      if (!step) return
      const stepped = await client.call('flows.step', { runId })
      data.patch('flows.run', { runId }, () => stepped)
    },
    async steer(command: 'step' | 'pause' | 'resume' | 'cancel') {
      // The run is followed again.
      if (command === 'step' || command === 'resume') actions.selectPlace(null)
      await change("Couldn't change the run", (runId) => client.call(`flows.${command}`, { runId }))
    },
    /** Changes the speed of the next run, and of a shown run in progress. */
    async setSpeed(speed: FlowSpeed) {
      actions.changeDraft({ speed })
      if (isRunning(flowAt(app()).run))
        await change("Couldn't change the speed", (runId) =>
          client.call('flows.setSpeed', { runId, speed }),
        )
    },
    /** Saves the open flow or the shown run as a file. */
    async save(format: FlowFileFormat) {
      const { plan, run } = flowAt(app())
      if (plan === null || run === null) return
      await act(
        "Couldn't save the file",
        async () => {
          const { text } = await client.call('flows.report', { runId: run.id, format })
          // With the time of the run: `purchase-visa-20261121113000.html`.
          const moment = run.startedAt.slice(0, 19).replaceAll(/\D/g, '')
          const name = `${plan.name}-${moment}.${endings[format]}`
          saveBytes(new TextEncoder().encode(text), name)
          return name
        },
        { done: (name) => ({ tone: 'ok', title: 'File saved', message: name }) },
      )
    },
    /**
     * Runs all flows, or those named, and resolves once the first one runs. Rejects if that one
     * can't run.
     */
    async runAll(names: readonly string[] | null) {
      if (get().series !== null)
        throw new AppError(
          'ALREADY_RUNNING',
          'All flows are already being run. Wait for them to finish, or cancel them.',
        )
      const { flows: all } =
        data.cachedOutput('flows.list', {}) ?? (await client.call('flows.list', {}))
      const { includesLive } = get().draft
      const [first, ...others] = all
        .filter(({ name, mode }) =>
          names === null ? mode === 'test' || includesLive : names.includes(name),
        )
        // A live flow may need consent, so it is the first to ask.
        .toSorted((one, other) => Number(other.mode === 'live') - Number(one.mode === 'live'))
      if (first === undefined) return
      const walk = async (firstRun: string) => {
        const failures: string[] = []
        await over(firstRun)
        for (const flow of others) {
          if (isCancelled()) break
          set(({ series }) => ({ series: series && { ...series, done: series.done + 1 } }))
          try {
            await over(await startOne(flow))
          } catch (error) {
            // The others may still run.
            failures.push(sentenceOf(error))
          }
        }
        set({ series: null })
        if (failures[0] !== undefined)
          notify({
            tone: 'bad',
            title: `Couldn't run ${counted(failures.length, 'flow')}`,
            message: failures[0],
          })
      }
      const firstRun = await startOne(first)
      const series = [first, ...others].map(({ name }) => name)
      set({ series: { names: series, done: 0, isCancelled: false } })
      void walk(firstRun)
    },
    /** Stops the run in progress and starts no other. */
    cancelAll() {
      set(({ series }) => ({ series: series && { ...series, isCancelled: true } }))
      void cancelSeriesRun()
    },
  }
  return { ...initial, ...actions }
}
