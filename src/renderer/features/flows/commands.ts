/** Palette entries (run a flow, show a recent run) and keyboard shortcuts for flows. */
import { always, press, type PaletteItem, type RunKey } from '../../state/commands.ts'
import type { KeyAction } from '../../state/key-map.ts'
import type { AppState } from '../../state/store.ts'
import { FLOW_REPLAY_ID, goToFirstFailed, moveActor, openShownDelivery } from './flow-actions.ts'
import { FLOW_RUN_ID, FLOW_STEP_ID } from './flow-controls.tsx'
import { RUN_ALL_ID } from './flow-list.tsx'
import { NEXT_FAILURE_ID } from './flow-result.tsx'
import { wordsOfRun } from './flow-runs.tsx'
import { movePlace } from './places.ts'

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
  const recent = (state.flows.runs ?? [])
    .filter(({ origin }) => origin === null)
    .slice(0, RECENT_RUNS)
  const runs = recent.map((run): PaletteItem => ({
    value: `flow-run-${run.id}`,
    label: `Show run: ${run.title}`,
    note: wordsOfRun(run),
    run: () => {
      state.navigation.go('flows', { flow: run.flow, run: run.id })
    },
  }))
  return [...runs, ...flows]
}

export const flowKeys = {
  'flow-left': (store) => moveActor(store, -1),
  'flow-right': (store) => moveActor(store, 1),
  'flow-next': () => movePlace(1),
  'flow-previous': () => movePlace(-1),
  'flow-first': () => movePlace(-Infinity),
  'flow-last': () => movePlace(Infinity),
  'flow-open': openShownDelivery,
  'flow-replay': press(FLOW_REPLAY_ID),
  'flow-failed': (store) =>
    store.getState().flows.opened === null ? press(NEXT_FAILURE_ID)(store) : goToFirstFailed(store),
  'flow-run-all': press(RUN_ALL_ID),
  'flow-run': press(FLOW_RUN_ID),
  'flow-step': press(FLOW_STEP_ID),
  'flow-view': always((state) =>
    state.flows.setView(
      document.querySelector('[data-flow-diagram]') === null ? 'diagram' : 'list',
    ),
  ),
} satisfies Partial<Record<KeyAction, RunKey>>
