/** State of the flow list: groups of runs, the selected flow with its last run, and the commands that run many flows. */
import type { FlowGroup, FlowRun, FlowSummary } from '../../../shared/model/flow-run.ts'
import type { SendAnswer } from '../../../shared/model/send.ts'
import type { EntitiesSlice } from '../../state/entities-slice.ts'
import { withItem, type FeatureTools } from '../../state/feature-tools.ts'
import { saveBytes } from '../../ui/save.ts'
import type { Consented } from '../../ui/use-consents.ts'
import type { FlowRunsSlice } from './flow-runs-slice.ts'
import { handlerInput, inputLiterals } from './flow-start.ts'

export type GroupFormat = 'junit' | 'html' | 'json'

export interface FlowGroupsSlice {
  /** Newest first; null until loaded. */
  readonly groups: readonly FlowGroup[] | null
  /** The earlier group to compare with, by its ID; null for the previous group. */
  readonly comparedGroup: string | null
  /** The flow that the user selected, by its name; null for the first one in the list. */
  readonly selectedFlow: string | null
  /** The last run of the selected flow; null until loaded, or if it hasn't run. */
  readonly selectedRun: FlowRun | null
  /** The response that failed in it, with its body. */
  readonly selectedResponse: SendAnswer | null
  /** Rejects if loading fails. */
  readGroups(): Promise<void>
  /** Runs all flows, or those named. Rejects on errors and while consent is missing. */
  runAll(names: readonly string[] | null, consent: Consented): Promise<void>
  cancelAll(): Promise<void>
  compareGroup(groupId: string | null): void
  selectFlow(name: string): void
  /** Loads the run to show beside the list; null if the flow hasn't run. */
  readResult(runId: string | null): Promise<void>
  saveGroup(format: GroupFormat): Promise<void>
  groupChanged(group: FlowGroup): void
}

/** The response of the first failed handler step. */
function failedSend(run: FlowRun): string | null {
  const failed = run.steps.find(({ kind, outcome }) => kind === 'answer' && outcome === 'fail')
  return failed?.response?.sendId ?? null
}

export function createFlowGroupsSlice({
  client,
  act,
  set,
  get,
  app,
}: FeatureTools<
  FlowGroupsSlice & FlowRunsSlice & { readonly all: readonly FlowSummary[] | null },
  { readonly core: EntitiesSlice }
>): FlowGroupsSlice {
  /** Increments with each selection, so that older requests are ignored. */
  let turn = 0
  return {
    groups: null,
    comparedGroup: null,
    selectedFlow: null,
    selectedRun: null,
    selectedResponse: null,
    async readGroups() {
      const { groups } = await client.call('flows.groups', {})
      set({ groups })
    },
    async runAll(names, { allowHosts, live }) {
      const { draft, all } = get()
      const wanted = (all ?? []).filter(({ name, mode }) =>
        names === null ? mode === 'test' || draft.includesLive || live : names.includes(name),
      )
      const literals = Object.assign(
        {},
        ...wanted.map((flow) => inputLiterals(flow, draft)),
      ) as Record<string, string>
      const { group } = await client.call('flows.runAll', {
        ...(names === null ? {} : { names: [...names] }),
        speed: draft.speed,
        handler: handlerInput(draft, app().core.handlers),
        ...(Object.keys(literals).length === 0 ? {} : { literals }),
        allowHosts,
        live: live || (names === null && draft.includesLive),
      })
      // It may have progressed before its ID was known here.
      if (get().groups?.some(({ id }) => id === group.id) !== true) get().groupChanged(group)
      set({ comparedGroup: null })
    },
    async cancelAll() {
      const running = get().groups?.find(({ state }) => state === 'running')
      if (running === undefined) return
      await act("Couldn't cancel the run", async () => {
        get().groupChanged((await client.call('flows.cancelAll', { groupId: running.id })).group)
      })
    },
    compareGroup(comparedGroup) {
      set({ comparedGroup })
    },
    selectFlow(selectedFlow) {
      set({ selectedFlow })
    },
    async readResult(runId) {
      const mine = ++turn
      const wanted = () => mine === turn
      if (runId !== null && get().selectedRun?.id === runId) return
      set({ selectedRun: null, selectedResponse: null })
      if (runId === null) return
      const read = await act("Couldn't load the run", () => client.call('flows.run', { runId }), {
        wanted,
      })
      if (read === undefined) return
      set({ selectedRun: read.run })
      const sendId = failedSend(read.run)
      if (sendId === null) return
      const selectedResponse = await act(
        "Couldn't load the response",
        () => client.call('replay.send', { id: sendId }),
        {
          wanted,
        },
      )
      if (selectedResponse !== undefined) set({ selectedResponse })
    },
    async saveGroup(format) {
      const group = get().groups?.[0]
      if (group === undefined) return
      await act(
        "Couldn't save the file",
        async () => {
          const text =
            format === 'json'
              ? `${JSON.stringify(group, null, 2)}\n`
              : (await client.call('flows.groupReport', { groupId: group.id, format })).text
          const name = `flows-run-all-${group.number}.${format === 'junit' ? 'xml' : format}`
          saveBytes(new TextEncoder().encode(text), name)
          return name
        },
        { done: (name) => ({ tone: 'ok', title: 'File saved', message: name }) },
      )
    },
    groupChanged(group) {
      set(({ groups }) => ({ groups: withItem(groups, group) }))
    },
  }
}
