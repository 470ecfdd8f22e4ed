/** What the palette offers of flows: each of them, to be run; and the last runs of the built-in ones, to be looked at. */
import type { PaletteItem } from '../../state/palette.ts'
import type { AppState } from '../../state/store.ts'
import { wordsOfRun } from './flow-runs.tsx'

const RECENT_RUNS = 5

export function flowCommands(state: AppState): readonly PaletteItem[] {
  const flows = (state.flows ?? []).map(({ name, title }): PaletteItem => ({
    value: `flow-${name}`,
    label: `Run flow: ${title}`,
    note: name,
    run: () => {
      state.go('flows')
      void state.runFlow(name)
    },
  }))
  const recent = (state.flowRuns ?? []).filter(({ origin }) => origin === null).slice(0, RECENT_RUNS)
  const runs = recent.map((run): PaletteItem => ({
    value: `flow-run-${run.id}`,
    label: `Show run: ${run.title}`,
    note: wordsOfRun(run),
    run: () => {
      state.go('flows')
      void state.openFlow(run.flow).then(() => state.showFlowRun(run.id))
    },
  }))
  return [...runs, ...flows]
}
