/** Palette entries and keyboard shortcuts for replays. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { always, when, type PaletteItem, type RunKey } from '../../state/commands.ts'
import { keysOf, type KeyAction } from '../../state/key-map.ts'
import type { AppState } from '../../state/store.ts'

/** The selected deliveries, or the open one, oldest first. */
function chosenInOrder(state: AppState): DeliveryRow[] {
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

export function replayPalette(state: AppState): readonly PaletteItem[] {
  const rows = chosenInOrder(state)
  const what = rows.length === 1 ? 'delivery' : `${rows.length} selected`
  return [
    ...when(
      rows.length > 0,
      { value: 'replay', label: `Replay ${what}`, keys: keysOf('replay'), run: () => void state.replay.again(rows) },
      {
        value: 'replay-compose',
        label: `Replay ${what} with changes…`,
        keys: keysOf('replay-compose'),
        run: () => {
          state.replay.compose({ kind: 'rows', rows })
        },
      },
    ),
    {
      value: 'replay-filter',
      label: state.filter.applied === '' ? 'Replay all deliveries…' : 'Replay matching deliveries…',
      note: state.filter.applied,
      run: () => {
        state.replay.compose({ kind: 'query', query: state.filter.applied })
      },
    },
    {
      value: 'replays',
      label: 'Show replays',
      note: 'everything sent again',
      keys: keysOf('go-replays'),
      run: () => {
        state.replay.show(null)
      },
    },
    ...when(state.replay.jobs?.some((job) => job.state === 'running') === true, {
      value: 'cancel-replays',
      label: 'Cancel replay',
      keys: keysOf('cancel-replays'),
      run: () => void state.replay.cancelAll(),
    }),
  ]
}
