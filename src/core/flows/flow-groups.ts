/**
 * Runs many built-in flows as one group: "run all", or again those that failed. A group has a row for every flow, so that its table
 * is complete and two groups can be compared, also after a restart.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { ParsedInputOf } from '../../shared/contract/contract.ts'
import { happenedIn } from '../../shared/flow-diagram/story.ts'
import type { Flow } from '../../shared/model/flow.ts'
import {
  flowGroupSchema,
  type FlowGroup,
  type FlowGroupRow,
  type FlowRun,
} from '../../shared/model/flow-run.ts'
import { isFailedStep } from '../../shared/model/outcomes.ts'
import type { Clock, Ids, Log } from '../base/deps.ts'
import { isAlive } from '../base/processes.ts'
import { createRuns, failureSentence, type StartedRun } from '../base/runs.ts'
import type { Store } from '../store/store.ts'
import { builtInFlows, type BuiltInFlow } from './built-in/index.ts'
import { literalsFor, type StartInput } from './start-run.ts'

interface FlowGroupsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Ids
  readonly log: Log
  /** Starts one flow. Rejects if it can't run, for example without consent. */
  start(input: StartInput): Promise<StartedFlow>
  /** Called with a group's progress, at most ten times per second, and at its end. */
  onChanged(group: FlowGroup): void
}

/** A flow that runs, and its end. */
export interface StartedFlow {
  readonly run: FlowRun
  readonly ended: Promise<FlowRun>
  cancel(): void
}

type RunAllInput = Omit<ParsedInputOf<'flows.runAll'>, 'handler'> & Pick<StartInput, 'handler'>

export interface FlowGroups {
  /** Resolves once the first flow runs; rejects if it can't, before anything is stored. */
  runAll(input: RunAllInput): Promise<FlowGroup>
  /** Stops the flow in progress and starts no other. Resolves with its results so far once it has ended. */
  cancel(groupId: string): Promise<FlowGroup>
  /** Newest first. */
  list(limit: number): Promise<FlowGroup[]>
  /** Throws `NOT_FOUND`. */
  get(groupId: string): Promise<FlowGroup>
  close(): Promise<void>
}

/** Groups that are kept. A run of all flows adds one run for each, and a thousand runs are kept. */
const GROUPS_KEPT = 30

const NOT_LIVE = 'Live-mode payloads not allowed.'

interface Wanted {
  readonly flow: Flow
  /** Why it is skipped; null if it runs. */
  readonly skip: string | null
}

const nothing = { passed: 0, failed: 0, skipped: 0 }

function blankRow({ name, title, mode }: Flow): FlowGroupRow {
  return {
    ...{
      flow: name,
      title,
      mode,
      state: 'waiting',
      outcome: null,
      runId: null,
      happened: '',
      rules: [],
      counts: nothing,
    },
    ...{ ms: null, isUnreachable: false, isKept: false },
  }
}

/** The run's result as a row. A cancelled run proves nothing. */
export function resultRow(row: FlowGroupRow, run: FlowRun): FlowGroupRow {
  const { steps, strays, startedAt, endedAt } = run
  const failures = steps.filter(isFailedStep)
  return {
    ...row,
    state: 'done',
    outcome: run.outcome,
    runId: run.id,
    happened: happenedWords(run),
    rules: [
      ...failures.map(({ name, rule }) => `${name}: ${rule ?? 'failed'}`),
      ...strays.map(({ kind }) => kind),
    ],
    counts: {
      passed: steps.filter(({ outcome }) => outcome === 'pass').length,
      failed: failures.length + strays.length,
      skipped: steps.filter(({ outcome }) => outcome === 'skip').length,
    },
    ms: Math.max(0, Date.parse(endedAt ?? startedAt) - Date.parse(startedAt)),
    isUnreachable: failures.some(
      ({ response }) => response?.by === 'handler' && response.kind === 'unreachable',
    ),
  }
}

/** What happened in a run, as one line. */
function happenedWords(run: FlowRun): string {
  if (run.state === 'cancelled') return 'Cancelled.'
  const { head, rest } = happenedIn(run)
  if (rest === '') return head
  return rest.startsWith('to ') ? `${head} ${rest}` : `${head}: ${rest}`
}

interface LiveGroup {
  group: FlowGroup
}

export function createFlowGroups({
  store,
  clock,
  ids,
  log,
  start,
  onChanged,
}: FlowGroupsDeps): FlowGroups {
  const now = () => new Date(clock.now()).toISOString()
  const keep = (group: FlowGroup) => store.write('putFlowGroup', { run: group, owner: process.pid })
  const runs = createRuns<LiveGroup, FlowGroup>({
    onProgress: ({ state }) => onChanged(state.group),
    onFailed(error) {
      log.bug(error, 'the end of a group of flows')
      throw error
    },
    onEnded: (_, group) => onChanged(group),
  })
  let isStarting = false

  async function list(limit: number): Promise<FlowGroup[]> {
    const kept = await store.read('flowGroups', limit)
    return kept.map(({ run, owner }) => {
      const group = flowGroupSchema.parse(JSON.parse(run))
      const live = runs.get(group.id)
      if (live !== undefined) return live.state.group
      const isLost = group.state === 'running' && (owner === process.pid || !isAlive(owner))
      return isLost ? endOf(group, 'interrupted', group.startedAt) : group
    })
  }

  /** Rows that didn't run show nothing, rather than that they are still pending. */
  function endOf(group: FlowGroup, state: FlowGroup['state'], endedAt: string): FlowGroup {
    const rows = group.rows.map((row): FlowGroupRow =>
      row.state === 'done' ? row : { ...row, state: 'done', outcome: null },
    )
    return { ...group, state, endedAt, rows }
  }

  function wantedFlows({ names, live }: RunAllInput): Wanted[] {
    const all: readonly BuiltInFlow[] = builtInFlows()
    const unknown = names?.find((name) => !all.some(({ flow }) => flow.name === name))
    if (unknown !== undefined)
      throw new AppError(
        'NOT_FOUND',
        `Flow "${unknown}" not found. A group runs built-in flows only.`,
      )
    return all
      .filter(({ flow }) => names === undefined || names.includes(flow.name))
      .map(({ flow }) => ({
        flow,
        skip: flow.mode === 'live' && !live && names === undefined ? NOT_LIVE : null,
      }))
  }

  function inputOf({ names: _, literals, ...input }: RunAllInput, flow: Flow): StartInput {
    return {
      ...input,
      name: flow.name,
      literals: literalsFor(flow, literals ?? {}),
      paused: false,
      from: 0,
    }
  }

  async function begin(input: RunAllInput): Promise<FlowGroup> {
    const wanted = wantedFlows(input)
    const paths = Object.keys(input.literals ?? {})
    const idle = paths.find(
      (path) => !wanted.some(({ flow }) => path in literalsFor(flow, input.literals ?? {})),
    )
    if (idle !== undefined)
      throw new AppError(
        'INVALID_INPUT',
        `None of these flows has the input or field ${idle}. Check the path.`,
      )
    const [before] = await list(1)
    // A live flow needs a confirmation, so it is the first to ask.
    const runnable = wanted.filter(({ skip }) => skip === null)
    const first = runnable.find(({ flow }) => flow.mode === 'live' && !input.live) ?? runnable[0]
    // What keeps one flow from starting keeps all of them: a missing consent, a stopped receiver.
    const begun =
      first === undefined
        ? null
        : { name: first.flow.name, started: await start(inputOf(input, first.flow)) }
    const group: FlowGroup = {
      id: ids.next(),
      number: (before?.number ?? 0) + 1,
      startedAt: now(),
      endedAt: null,
      state: 'running',
      speed: input.speed,
      handler: begun?.started.run.handler ?? null,
      handlerName: begun?.started.run.handlerName ?? null,
      set: input.literals ?? {},
      rows: builtInFlows().map(({ flow }) => {
        const mine = wanted.find((one) => one.flow === flow)
        const row = blankRow(flow)
        if (mine === undefined) {
          const earlier = before?.rows.find((one) => one.flow === flow.name)
          return { ...row, ...earlier, state: 'done', isKept: true }
        }
        if (mine.skip === null) return row
        const counts = { ...nothing, skipped: flow.steps.length }
        return { ...row, state: 'done', outcome: 'skip', happened: mine.skip, counts }
      }),
    }
    await keep(group)
    const names = wanted.flatMap(({ flow, skip }) => (skip === null ? [flow] : []))
    const run = runs.start(group.id, { group }, (live) => walk(live, input, names, begun))
    return run.state.group
  }

  async function walk(
    live: Pick<StartedRun<LiveGroup, FlowGroup>, 'state' | 'stopped' | 'progress'>,
    input: RunAllInput,
    flows: readonly Flow[],
    begun: { readonly name: string; readonly started: StartedFlow } | null,
  ): Promise<FlowGroup> {
    const { state, stopped, progress } = live
    const put = (name: string, change: (row: FlowGroupRow) => FlowGroupRow) => {
      state.group = {
        ...state.group,
        rows: state.group.rows.map((row) => (row.flow === name ? change(row) : row)),
      }
      progress()
    }
    for (const flow of flows) {
      if (stopped.aborted && flow.name !== begun?.name) break
      try {
        const started =
          flow.name === begun?.name ? begun.started : await start(inputOf(input, flow))
        put(flow.name, (row) => ({ ...row, state: 'running', runId: started.run.id }))
        stopped.addEventListener('abort', started.cancel, { once: true })
        if (stopped.aborted) started.cancel()
        const ended = await started.ended
        stopped.removeEventListener('abort', started.cancel)
        put(flow.name, (row) => resultRow(row, ended))
      } catch (error) {
        // The others may still run.
        const happened = failureSentence(error, log, 'a flow of a group')
        put(flow.name, (row) => ({
          ...row,
          state: 'done',
          outcome: stopped.aborted ? null : 'fail',
          happened,
          rules: ['start'],
        }))
      }
    }
    const ended = endOf(state.group, stopped.aborted ? 'cancelled' : 'done', now())
    await keep(ended).catch((error: unknown) => {
      log.warn("Couldn't store the results of a group of flows.", {
        group: ended.id,
        reason: (error as Error).message,
      })
    })
    return ended
  }

  return {
    async runAll(input) {
      const isRunning = (await list(1)).some(({ state }) => state === 'running')
      if (isStarting || isRunning)
        throw new AppError(
          'ALREADY_RUNNING',
          'All flows are already being run. Wait for them to finish, or cancel them.',
        )
      isStarting = true
      try {
        return await runs.track(begin(input))
      } finally {
        isStarting = false
      }
    },
    async cancel(groupId) {
      const ended = await runs.cancel(groupId)
      if (ended !== undefined) return ended
      throw new AppError('NOT_FOUND', `Run all ${groupId} isn't in progress.`)
    },
    list,
    async get(groupId) {
      const found = (await list(GROUPS_KEPT)).find(({ id }) => id === groupId)
      if (found !== undefined) return found
      throw new AppError(
        'NOT_FOUND',
        `Run all ${groupId} not found. The last ${GROUPS_KEPT} are kept.`,
      )
    },
    close: runs.close,
  }
}
