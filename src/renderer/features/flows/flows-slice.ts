/** Flows in the window: the list, those that run one after the other, and the open flow, built in or from a file that reloads on change. */
import { z } from 'zod'
import { AppError } from '../../../shared/contract/errors.ts'
import {
  FLOW_FILE_BYTES,
  flowProblemSchema,
  type FlowProblem,
  type FlowSummary,
} from '../../../shared/model/flow.ts'
import { counted } from '../../../shared/text/counted.ts'
import { isQuiet, sentenceOf } from '../../data/act.ts'
import { withItem } from '../../data/events.ts'
import type { CoreSlice } from '../../state/core-slice.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { isRouted, type NavigationSlice } from '../../state/navigation-slice.ts'
import { printAddress, type Params } from '../../state/routes.ts'
import { type FilesSlice, fileSentenceOf, fileText, type UserFile } from '../../state/user-file.ts'
import type { Consented } from '../../ui/use-consents.ts'
import { isRunOf, type FlowSeries } from './flow-table.ts'
import {
  draftInput,
  isGoing,
  type FlowRunsSlice,
  type OpenedFlow,
  type WhichFlow,
} from './runs-slice.ts'

/** An invalid flow file: all errors with positions, or a single message. */
export interface FlowFileProblem {
  readonly file: string
  /** Whether the last valid version is still open. */
  readonly isOpen: boolean
  readonly message: string
  readonly problems: readonly FlowProblem[]
}

export interface FlowsSlice {
  /** Built-in flows; null until loaded. */
  readonly all: readonly FlowSummary[] | null
  readonly problem: string | null
  readonly opened: OpenedFlow | null
  readonly fileProblem: FlowFileProblem | null
  /** Whether to run the flow immediately after opening. */
  readonly runWanted: boolean
  /** Null if no flows are being run one after the other. */
  readonly series: FlowSeries | null
  read(): Promise<void>
  /** Opens a built-in flow and its latest run, if any. */
  open(name: string): Promise<void>
  /** Opens and runs a built-in flow. */
  openAndRun(name: string): Promise<void>
  /** Clears the request to run. */
  runBegun(): void
  /** Opens a flow file once it is chosen, and reloads it on change. Null if none was chosen. */
  openFile(chosen: UserFile | Promise<UserFile | null>): Promise<void>
  /** Returns to the list; false if it is already shown. */
  leave(): boolean
  /**
   * Runs all flows, or those named, and resolves once the first one runs. Rejects if that one can't run, and while consent is missing.
   */
  runAll(names: readonly string[] | null, consent: Consented): Promise<void>
  /** Stops the run in progress and starts no other. */
  cancelAll(): void
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

const LOOK_MS = 1_000

/** Calls back after each change of the file, until stopped. */
function watchFile({ changedAt }: UserFile, onChanged: () => void): () => void {
  if (changedAt === null) return () => undefined
  let known: number | null = null
  let isLooking = false
  let isStopped = false
  const look = () => {
    if (isLooking) return
    isLooking = true
    changedAt()
      .then((at) => {
        if (isStopped) return
        if (known !== null && at !== known) onChanged()
        known = at
      })
      // Editors replace a file when saving, so it may be missing for a moment. Look again.
      .catch(() => undefined)
      .finally(() => {
        isLooking = false
      })
  }
  look()
  const timer = setInterval(look, LOOK_MS)
  return () => {
    isStopped = true
    clearInterval(timer)
  }
}

export function createFlowsSlice({
  client,
  resource,
  fail,
  act,
  notify,
  set,
  get,
  app,
  subscribe,
}: FeatureTools<
  FlowsSlice & FlowRunsSlice,
  {
    readonly files: FilesSlice
    readonly core: CoreSlice
    readonly navigation: NavigationSlice
    readonly flows: FlowsSlice & FlowRunsSlice
  }
>): FlowsSlice {
  /** Increments whenever a flow is opened, reloaded or closed, so that older requests are ignored. */
  let turn = 0
  /** The file of the open flow. */
  let openedFile: UserFile | null = null
  let stopWatching: () => void = () => undefined

  /** Opens a flow; false if another one was opened meanwhile. */
  async function open(which: WhichFlow, file: UserFile | null, mine: number): Promise<boolean> {
    const { flow: plan } = await client.call('flows.get', which)
    if (mine !== turn) return false
    openedFile = file
    get().forgetRun()
    set({ opened: { which, plan, opening: mine }, fileProblem: null, runWanted: false })
    const last = get().runs?.find((run) => isRunOf(plan, run))
    if (last !== undefined) await get().showRun(last.id)
    return mine === turn
  }

  /** Loads the file. An open flow stays, with its runs, if the file is invalid now. */
  async function readFile(file: UserFile): Promise<void> {
    const mine = ++turn
    const before = openedFile === file ? get().opened : null
    try {
      const which = { source: { text: await flowText(file), file: file.name } }
      if (before === null) {
        await open(which, file, mine)
        return
      }
      const { flow: plan } = await client.call('flows.get', which)
      if (mine !== turn) return
      set({ opened: { ...before, which, plan }, fileProblem: null })
      notify({ tone: 'ok', title: 'Flow reloaded', message: `${file.name} has changed.` })
    } catch (error) {
      if (mine === turn && !isQuiet(error))
        set({ fileProblem: fileProblemOf(error, file.name, before !== null) })
    }
  }

  /** Resolves with whether the flow is open. */
  async function openBuiltIn(name: string): Promise<boolean> {
    stopWatching()
    try {
      return await open({ name }, null, ++turn)
    } catch (error) {
      fail("Couldn't open the flow", error)
      return false
    }
  }

  /** The address of the open flow, its run and step. */
  const shown = (): Params<'flows'> => {
    const { opened, run, place } = get()
    if (opened === null) return {}
    const { name, origin } = opened.plan
    const { steps } = run ?? opened.plan
    const step = steps.find(({ index }) => String(index) === place)?.name ?? place ?? undefined
    return {
      ...(origin === null ? { flow: name } : { file: origin.split(/[/\\]/).at(-1) ?? origin }),
      run: run?.id,
      step,
    }
  }
  const isShown = (params: Params<'flows'>) =>
    printAddress('flows', params) === printAddress('flows', shown())
  const isOpen = ({ flow, file }: Params<'flows'>) =>
    isShown({ ...shown(), flow, file }) && get().opened !== null

  /** Increments with each address to show. Until it is shown, it isn't overwritten with something half loaded. */
  let following = 0
  let isFollowing = false
  async function follow(params: Params<'flows'>): Promise<void> {
    const mine = ++following
    const isWanted = () => mine === following
    const { flow, file, run, step } = params
    isFollowing = true
    if (!isOpen(params)) {
      get().leave()
      if (file !== undefined)
        notify({
          tone: 'warn',
          title: `Open ${file} again`,
          message: "Countersign can't reopen a file by itself.",
        })
      // Which run is the latest is known only from the list of runs.
      if (flow !== undefined && get().runs === null) await get().read()
      if (flow !== undefined && isWanted()) await get().open(flow)
    }
    if (run !== undefined && isWanted() && get().opened !== null && get().run?.id !== run)
      await get().showRun(run)
    if (!isWanted()) return
    const drawn = get().run ?? get().opened?.plan
    const unexpected = drawn !== undefined && 'strays' in drawn ? drawn.strays : []
    const place =
      drawn?.steps.find(({ name }) => name === step)?.index ??
      unexpected.find(({ deliveryId }) => deliveryId === step)?.deliveryId
    if (step !== undefined && place !== undefined) get().selectPlace(String(place))
    isFollowing = false
    app().navigation.select('flows', shown())
  }
  subscribe((now, before) => {
    const { at, select } = now.navigation
    if (isRouted('flows', now, before) && !isShown(at.flows)) {
      void follow(at.flows)
      return
    }
    const { opened, run, place } = now.flows
    const was = before.flows
    if (isFollowing || (opened === was.opened && run === was.run && place === was.place)) return
    select('flows', shown())
  })

  const isCancelled = () => get().series?.isCancelled === true

  /** Resolves once the run is over. Ends it if the series is cancelled. */
  async function ended(runId: string): Promise<void> {
    const isRunning = () => isGoing(get().runs?.find(({ id }) => id === runId))
    await new Promise<void>((resolve) => {
      const look = () => {
        if (isRunning() && !isCancelled()) return
        stop()
        resolve()
      }
      const stop = subscribe(look)
      look()
    })
    if (isRunning())
      await act("Couldn't cancel the run", () => client.call('flows.cancel', { runId }))
  }

  /** Starts one of several flows. Resolves with the run's ID. */
  async function startOne(flow: FlowSummary, consent: Consented): Promise<string> {
    const { run } = await client.call('flows.start', {
      name: flow.name,
      ...draftInput(get().draft, flow, app().core.handlers),
      ...consent,
    })
    // It may have progressed before its ID was known here.
    const { run: now } = await client.call('flows.run', { runId: run.id })
    set(({ runs }) => ({ runs: withItem(runs, now) }))
    return run.id
  }

  return {
    all: null,
    problem: null,
    opened: null,
    fileProblem: null,
    runWanted: false,
    series: null,
    read: resource(async () => {
      const [{ flows }] = await Promise.all([client.call('flows.list', {}), get().readRuns()])
      return { all: flows }
    }, 'problem'),
    async open(name) {
      await openBuiltIn(name)
    },
    async openAndRun(name) {
      if (await openBuiltIn(name)) set({ runWanted: true })
    },
    runBegun() {
      set({ runWanted: false })
    },
    async openFile(chosen) {
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
    leave() {
      if (get().opened === null) return false
      turn++
      stopWatching()
      openedFile = null
      get().forgetRun()
      set({ opened: null, fileProblem: null, runWanted: false })
      return true
    },
    async runAll(names, { allowHosts, live }) {
      if (get().series !== null)
        throw new AppError(
          'ALREADY_RUNNING',
          'All flows are already being run. Wait for them to finish, or cancel them.',
        )
      const all = get().all ?? (await client.call('flows.list', {})).flows
      const includesLive = live || (names === null && get().draft.includesLive)
      const [first, ...others] = all
        .filter(({ name, mode }) =>
          names === null ? mode === 'test' || includesLive : names.includes(name),
        )
        // A live flow needs a confirmation, so it is the first to ask.
        .toSorted((one, other) => Number(other.mode === 'live') - Number(one.mode === 'live'))
      if (first === undefined) return
      const consent = { allowHosts, live: includesLive }
      const walk = async (firstRun: string) => {
        const failures: string[] = []
        await ended(firstRun)
        for (const flow of others) {
          if (isCancelled()) break
          set(({ series }) => ({ series: series && { ...series, done: series.done + 1 } }))
          try {
            await ended(await startOne(flow, consent))
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
      const firstRun = await startOne(first, consent)
      const series = [first, ...others].map(({ name }) => name)
      set({ series: { names: series, done: 0, isCancelled: false } })
      void walk(firstRun)
    },
    cancelAll() {
      set(({ series }) => ({ series: series && { ...series, isCancelled: true } }))
    },
  }
}
