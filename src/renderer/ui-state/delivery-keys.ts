import type { DeliveryRow } from '../../shared/model/delivery.ts'
import type { RunKey } from './commands.ts'
import { type DeliveryAction, deliveryActions } from './delivery-actions.ts'

/** Returns a key's action, on the selection, else on the current row or the open delivery. */
function runKey(action: DeliveryAction): RunKey {
  return (store) => {
    const state = store.getState()
    const act = (rows: readonly DeliveryRow[]) => {
      const [first, ...more] = rows
      if (first !== undefined && action.applies(rows))
        void action.run(store.getState(), [first, ...more])
    }
    const rows = state.marks.chosen()
    // Copying starts at the first row, like the arrow keys; other actions need a selected row.
    if (rows.length === 0 && action.group === 'copy') {
      void state.list.moveSelection(0).then((row) => {
        if (row !== null) act([row])
      })
    } else act(rows)
    return true
  }
}

type KeyedAction = Extract<(typeof deliveryActions)[number], { readonly key: string }>['key']

/** Actions by key, except `open`, which follows the row that the keys are on. */
export const deliveryKeys = Object.fromEntries(
  deliveryActions.flatMap((action) =>
    action.key === null ? [] : [[action.key, runKey(action)] as const],
  ),
) as Readonly<Record<KeyedAction, RunKey>>
