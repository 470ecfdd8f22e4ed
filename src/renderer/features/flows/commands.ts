/** What the palette offers of flows: each of them, to be run; and the last runs of the built-in ones, to be looked at. */
import type { PaletteItem } from '../../state/palette.ts'
import type { AppState } from '../../state/store.ts'
import { wordsOfRun } from './flow-runs.tsx'

const RECENT_RUNS = 5

export function flowPalette(state: AppState): readonly PaletteItem[] {
  const flows = (state.flows.all ?? []).map(({ name, title }): PaletteItem => ({
    value: `flow-${name}`,
    label: `Run flow: ${title}`,
    note: name,
    run: () => {
      state.navigation.go('flows')
      void state.flows.openAndRun(name)
    },
  }))
  const recent = (state.flows.runs ?? []).filter(({ origin }) => origin === null).slice(0, RECENT_RUNS)
  const runs = recent.map((run): PaletteItem => ({
    value: `flow-run-${run.id}`,
    label: `Show run: ${run.title}`,
    note: wordsOfRun(run),
    run: () => {
      state.navigation.go('flows')
      void state.flows.open(run.flow).then(() => state.flows.showRun(run.id))
    },
  }))
  return [...runs, ...flows]
}
