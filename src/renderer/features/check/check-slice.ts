/** Handler check state: cases, runs, selection and actions. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { CheckCase, CheckRun, CheckSummary } from '../../../shared/model/check.ts'
import { withItem, type FeatureTools } from '../../state/feature-tools.ts'
import { outcomeOf } from '../../ui/call-problem.ts'
import { saveBytes } from '../../ui/save.ts'

export interface CheckSlice {
  /** Null until loaded. */
  readonly cases: readonly CheckCase[] | null
  /** Newest first; null until loaded. */
  readonly runs: readonly CheckSummary[] | null
  readonly run: CheckRun | null
  /** Name of the selected case. */
  readonly caseName: string | null
  readonly problem: string | null
  /** Whether the form for a new check is open. */
  readonly formShown: boolean
  /** Name of the case being run again. */
  readonly trying: string | null
  /** Loads cases and runs, and shows the latest run by default. */
  read(): Promise<void>
  show(runId: string): Promise<void>
  selectCase(name: string): void
  showForm(shown: boolean): void
  /** Rejects on errors and while consent is missing. */
  start(input: InputOf<'check.start'>): Promise<void>
  cancel(): Promise<void>
  /** Runs one case again. Rejects like `start`. */
  tryAgain(input: Omit<InputOf<'check.again'>, 'runId'>): Promise<void>
  save(format: InputOf<'check.report'>['format']): Promise<void>
  changed(run: CheckSummary): void
}

export function createCheckSlice({
  client,
  resource,
  act,
  set,
  get,
}: FeatureTools<CheckSlice>): CheckSlice {
  const put = (run: CheckSummary) => set(({ runs }) => ({ runs: withItem(runs, run) }))
  /** Increments with each run to show, so that older requests are ignored. */
  let turn = 0
  /** One read at a time. Changes during a read trigger another one. */
  let reading: Promise<void> | null = null
  let stale = false
  const refresh = async (): Promise<void> => {
    stale = true
    reading ??= (async () => {
      while (stale) {
        stale = false
        const shown = get().run
        if (shown === null) return
        const outcome = await outcomeOf(client.call('check.get', { runId: shown.id }))
        if (outcome.ok && get().run?.id === shown.id) set({ run: outcome.value.run })
      }
    })().finally(() => {
      reading = null
    })
    return reading
  }
  return {
    cases: null,
    runs: null,
    run: null,
    caseName: null,
    problem: null,
    formShown: false,
    trying: null,
    read: resource(async () => {
      const mine = turn
      const [{ cases }, { runs }] = await Promise.all([
        client.call('check.cases', {}),
        client.call('check.list', {}),
      ])
      const shown = get().run?.id ?? runs[0]?.id
      // Load everything before showing anything, so the form of the first check doesn't flash and a filled-in one isn't lost.
      const outcome =
        shown === undefined ? null : await outcomeOf(client.call('check.get', { runId: shown }))
      return {
        cases,
        runs,
        ...(outcome?.ok === true && mine === turn ? { run: outcome.value.run } : {}),
      }
    }, 'problem'),
    async show(runId) {
      const mine = ++turn
      const wanted = () => mine === turn
      const read = await act("Couldn't load the check", () => client.call('check.get', { runId }), {
        wanted,
      })
      if (read !== undefined) set({ run: read.run, formShown: false })
    },
    selectCase(name) {
      set({ caseName: name })
    },
    showForm(shown) {
      set({ formShown: shown })
    },
    async start(input) {
      const { run } = await client.call('check.start', input)
      turn++
      put(run)
      set({ run, caseName: null, formShown: false })
      // The run may have progressed or finished before its ID was known here.
      void refresh()
    },
    async cancel() {
      const runId = get().run?.id
      if (runId === undefined) return
      await act("Couldn't cancel the check", async () => {
        const { run } = await client.call('check.cancel', { runId })
        if (get().run?.id === runId) set({ run })
      })
    },
    async tryAgain(input) {
      const runId = get().run?.id ?? ''
      set({ trying: input.name })
      try {
        const { run } = await client.call('check.again', { runId, ...input })
        if (get().run?.id === runId) set({ run })
      } finally {
        set({ trying: null })
      }
    },
    async save(format) {
      const runId = get().run?.id ?? ''
      await act(
        "Couldn't save the report",
        async () => {
          const { text, fileName } = await client.call('check.report', { runId, format })
          saveBytes(new TextEncoder().encode(text), fileName)
          return fileName
        },
        { done: (fileName) => ({ tone: 'ok', title: 'Report saved', message: fileName }) },
      )
    },
    changed(run) {
      if (get().runs !== null) put(run)
      if (get().run?.id === run.id) void refresh()
    },
  }
}
