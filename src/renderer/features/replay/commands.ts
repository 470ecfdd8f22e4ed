/** What the palette offers of sending again: what is chosen, what the filter finds, and what became of it. */
import { keysOf } from '../../state/key-map.ts'
import { when, type PaletteItem } from '../../state/palette.ts'
import type { AppState } from '../../state/store.ts'
import { chosenInOrder } from './key-actions.ts'

export function replayPalette(state: AppState): readonly PaletteItem[] {
  const rows = chosenInOrder(state)
  const what = rows.length === 1 ? 'the delivery' : `the ${rows.length} selected`
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
      label: state.filter.applied === '' ? 'Replay all deliveries…' : 'Replay what the filter finds…',
      note: state.filter.applied,
      run: () => {
        state.replay.compose({ kind: 'query', query: state.filter.applied })
      },
    },
    {
      value: 'replays',
      label: 'Show replays',
      note: 'what was sent again',
      keys: keysOf('go-replays'),
      run: () => {
        state.replay.show(null)
      },
    },
    ...when(state.replay.jobs?.some((job) => job.state === 'running') === true, {
      value: 'cancel-replays',
      label: 'Cancel the replay that goes on',
      keys: keysOf('cancel-replays'),
      run: () => void state.replay.cancelAll(),
    }),
  ]
}
