/** The handler check in the window: which cases there are, the runs so far, the one that is looked at, and what is done with it. */
import type { StateCreator } from 'zustand/vanilla'
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { CheckCase, CheckRun, CheckSummary } from '../../../shared/model/check.ts'
import { isQuiet, sentenceOf, type SliceContext } from '../../state/slice-context.ts'
import { outcomeOf } from '../../ui/call-problem.ts'
import { saveBytes } from '../../ui/save.ts'

export interface CheckSlice {
  /** Null until they were read. */
  readonly checkCases: readonly CheckCase[] | null
  /** Newest first; null until they were read. */
  readonly checkRuns: readonly CheckSummary[] | null
  readonly checkRun: CheckRun | null
  /** Name of the case that is looked at. */
  readonly checkCase: string | null
  readonly checkProblem: string | null
  /** Whether the form for another check is asked for. */
  readonly checkForm: boolean
  /** Name of the case that is being tried again. */
  readonly checkTrying: string | null
  /** Reads the cases and the runs, and shows the newest run where none is shown. */
  readChecks(): Promise<void>
  showCheck(runId: string): Promise<void>
  selectCheckCase(name: string): void
  setCheckForm(shown: boolean): void
  /** Rejects where it is refused, and until what it asks is agreed to. */
  startCheck(input: InputOf<'check.start'>): Promise<void>
  cancelCheck(): Promise<void>
  /** Sends one case of the run once more. Rejects as `startCheck` does. */
  tryCheckAgain(input: Omit<InputOf<'check.again'>, 'runId'>): Promise<void>
  saveCheck(format: InputOf<'check.report'>['format']): Promise<void>
  checkChanged(run: CheckSummary): void
}

export function createCheckSlice({ client, notify }: SliceContext): StateCreator<CheckSlice> {
  return (set, get) => {
    const put = (run: CheckSummary) => {
      const runs = get().checkRuns ?? []
      const known = runs.some(({ id }) => id === run.id)
      set({ checkRuns: known ? runs.map((each) => (each.id === run.id ? run : each)) : [run, ...runs] })
    }
    /** Rises whenever another run is to be shown: one that was asked for before it is no longer wanted. */
    let turn = 0
    /** One reading at a time: what changes meanwhile is read once more after it. */
    let reading: Promise<void> | null = null
    let stale = false
    const refresh = async (): Promise<void> => {
      stale = true
      reading ??= (async () => {
        while (stale) {
          stale = false
          const shown = get().checkRun
          if (shown === null) return
          const outcome = await outcomeOf(client.call('check.get', { runId: shown.id }))
          if (outcome.ok && get().checkRun?.id === shown.id) set({ checkRun: outcome.value.run })
        }
      })().finally(() => {
        reading = null
      })
      return reading
    }
    return {
      checkCases: null,
      checkRuns: null,
      checkRun: null,
      checkCase: null,
      checkProblem: null,
      checkForm: false,
      checkTrying: null,
      async readChecks() {
        try {
          const mine = turn
          const [{ cases }, { runs }] = await Promise.all([client.call('check.cases', {}), client.call('check.list', {})])
          const shown = get().checkRun?.id ?? runs[0]?.id
          // Read before anything is shown: the form of a first check is not to stand there for a moment, nor one that is filled in to go.
          const outcome = shown === undefined ? null : await outcomeOf(client.call('check.get', { runId: shown }))
          set({ checkCases: cases, checkRuns: runs, checkProblem: null })
          if (outcome?.ok === true && mine === turn) set({ checkRun: outcome.value.run })
        } catch (error) {
          if (!isQuiet(error)) set({ checkProblem: sentenceOf(error) })
        }
      },
      async showCheck(runId) {
        const mine = ++turn
        const outcome = await outcomeOf(client.call('check.get', { runId }))
        if (mine !== turn) return
        if (outcome.ok) set({ checkRun: outcome.value.run, checkForm: false })
        else notify({ tone: 'bad', title: 'The check could not be read', message: outcome.problem.message })
      },
      selectCheckCase(name) {
        set({ checkCase: name })
      },
      setCheckForm(shown) {
        set({ checkForm: shown })
      },
      async startCheck(input) {
        const { run } = await client.call('check.start', input)
        turn++
        put(run)
        set({ checkRun: run, checkCase: null, checkForm: false })
        // It may have gone on, or ended, before it was known here.
        void refresh()
      },
      async cancelCheck() {
        const run = get().checkRun
        if (run === null) return
        const outcome = await outcomeOf(client.call('check.cancel', { runId: run.id }))
        if (outcome.ok) {
          if (get().checkRun?.id === run.id) set({ checkRun: outcome.value.run })
        } else notify({ tone: 'bad', title: 'The check was not cancelled', message: outcome.problem.message })
      },
      async tryCheckAgain(input) {
        const runId = get().checkRun?.id ?? ''
        set({ checkTrying: input.name })
        try {
          const { run } = await client.call('check.again', { runId, ...input })
          if (get().checkRun?.id === runId) set({ checkRun: run })
        } finally {
          set({ checkTrying: null })
        }
      },
      async saveCheck(format) {
        const runId = get().checkRun?.id ?? ''
        const outcome = await outcomeOf(client.call('check.report', { runId, format }))
        if (!outcome.ok) {
          notify({ tone: 'bad', title: 'The report was not saved', message: outcome.problem.message })
          return
        }
        const { text, fileName } = outcome.value
        saveBytes(new TextEncoder().encode(text), fileName)
        notify({ tone: 'ok', title: 'Report saved', message: fileName })
      },
      checkChanged(run) {
        if (get().checkRuns !== null) put(run)
        if (get().checkRun?.id === run.id) void refresh()
      },
    }
  }
}
