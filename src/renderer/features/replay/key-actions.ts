/** What the keys of sending again do. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { always, type RunKey } from '../../state/key-action.ts'
import type { KeyAction } from '../../state/key-map.ts'
import type { AppState } from '../../state/store.ts'

/** What is selected, or the one that is looked at, oldest first. */
export function chosenInOrder(state: AppState): DeliveryRow[] {
  return state.marks.chosen().toSorted((one, other) => one.seq - other.seq)
}

export const replayKeys = {
  replay: always((state) => state.replay.again(chosenInOrder(state))),
  'replay-compose': always((state) => {
    const rows = chosenInOrder(state)
    if (rows.length > 0) state.replay.compose({ kind: 'rows', rows })
  }),
  'go-replays': always((state) => {
    state.replay.show(null)
  }),
  'cancel-replays': (store) => store.getState().replay.cancelAll(),
} satisfies Partial<Record<KeyAction, RunKey>>
