/** The public parts of the flows feature: its screen, palette entries and keyboard shortcuts. */
import { ALL_FLOW_RUNS } from '../../core-data/events.ts'
import { press, type PaletteItem, type RunKey, type Screens } from '../../ui-state/commands.ts'
import type { KeyAction } from '../../key-map.ts'
import type { AppState, AppStore } from '../../ui-state/store.ts'
import { runTitle } from './flow-table.ts'
import { FLOW_SEARCH_ID, RUN_ALL_ID } from './all-flows.tsx'
import { FlowsScreen } from './flows-screen.tsx'
import { leaveFlow } from './leave-flow.ts'
import { addressedFlow, focusPlace, isFlowOpen, movePlace } from './open-flow.ts'
import { FLOW_RUN_ID, FLOW_STEP_ID } from './run-form.tsx'
import { FLOW_REPLAY_ID, openShownDelivery } from './step-pane.tsx'

export { droppedFile } from './flow-file.tsx'

export const ownScreens: Screens<'flows'> = {
  flows: {
    Screen: FlowsScreen,
    scopes: (state) => (isFlowOpen(state) ? ['flows'] : []),
    searchId: (state) => (isFlowOpen(state) ? null : FLOW_SEARCH_ID),
    leave: leaveFlow,
  },
}

const RECENT_RUNS = 5

export function flowPalette({ data, navigation, flows }: AppState): readonly PaletteItem[] {
  const all = data.cachedOutput('flows.list', {})?.flows ?? []
  const runs = data.cachedOutput('flows.runs', ALL_FLOW_RUNS)?.runs ?? []
  return [
    ...runs
      .filter(({ origin }) => origin === null)
      .slice(0, RECENT_RUNS)
      .map((run): PaletteItem => ({
        value: `flow-run-${run.id}`,
        label: `Show run: ${run.title}`,
        note: runTitle(run),
        run: () => navigation.go('flows', { flow: run.flow, run: run.id }),
      })),
    ...all.map(({ name, title }): PaletteItem => ({
      value: `flow-${name}`,
      label: `Run flow: ${title}`,
      note: name,
      run: () => flows.openAndRun(name),
    })),
  ]
}

/** Selects the first failure; false if there is none. */
function goToFirstFailed(store: AppStore): boolean {
  const failure = addressedFlow(store.getState()).places.find(({ isBad }) => isBad)
  return failure !== undefined && focusPlace(failure.id)
}

export const flowKeys = {
  'flow-next': () => movePlace(1),
  'flow-previous': () => movePlace(-1),
  'flow-first': () => movePlace(-Infinity),
  'flow-last': () => movePlace(Infinity),
  'flow-open': openShownDelivery,
  'flow-replay': press(FLOW_REPLAY_ID),
  'flow-failed': goToFirstFailed,
  'flow-run-all': press(RUN_ALL_ID),
  'flow-run': press(FLOW_RUN_ID),
  'flow-step': press(FLOW_STEP_ID),
} satisfies Partial<Record<KeyAction, RunKey>>
