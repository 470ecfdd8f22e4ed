/** What the keys of a flow do. */
import { always, press, type RunKey } from '../../state/key-action.ts'
import type { KeyAction } from '../../state/key-map.ts'
import { goToFirstFailed, openShownDelivery } from './flow-actions.ts'
import { FLOW_RUN_ID, FLOW_STEP_ID } from './flow-controls.tsx'
import { moveActor } from './move.ts'
import { movePlace } from './places.ts'

export const flowKeys = {
  'flow-left': (store) => moveActor(store, -1),
  'flow-right': (store) => moveActor(store, 1),
  'flow-next': () => movePlace(1),
  'flow-previous': () => movePlace(-1),
  'flow-first': () => movePlace(-Infinity),
  'flow-last': () => movePlace(Infinity),
  'flow-open': openShownDelivery,
  'flow-failed': goToFirstFailed,
  'flow-run': press(FLOW_RUN_ID),
  'flow-step': press(FLOW_STEP_ID),
  'flow-view': always((state) => {
    state.flows.setView(document.querySelector('svg[data-flow-diagram]') === null ? 'diagram' : 'list')
  }),
} satisfies Partial<Record<KeyAction, RunKey>>
