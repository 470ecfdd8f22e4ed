/** Exports of the replay feature for the shell. */
import { always, when, type PaletteItem, type RunKey } from '../../ui-state/commands.ts'
import { type KeyAction, keysOf } from '../../key-map.ts'
import type { AppState } from '../../ui-state/store.ts'

export { ReplayButton } from './replay-button.tsx'
export { ReplayProgress } from './replay-progress.tsx'
export { ReplayDialogs } from './replay-dialogs.tsx'

export const replayKeys = {
  'go-replays': always((state) => state.replay.show(null)),
  'new-request': always((state) => state.replay.newRequest()),
  'cancel-replays': (store) => store.getState().replay.cancelAll(),
} satisfies Partial<Record<KeyAction, RunKey>>

export function replayPalette(state: AppState): readonly PaletteItem[] {
  return [
    {
      value: 'new-request',
      label: 'New request…',
      note: 'any body, signed like the service',
      keys: keysOf('new-request'),
      run: state.replay.newRequest,
    },
    {
      value: 'replay-filter',
      label: state.filter.applied === '' ? 'Replay all deliveries…' : 'Replay matching deliveries…',
      note: state.filter.applied,
      run: () => state.replay.compose({ kind: 'query', query: state.filter.applied }),
    },
    {
      value: 'compare-runs',
      label: 'Compare runs…',
      note: 'did a change break anything?',
      run: () => state.replay.compareRuns(null),
    },
    {
      value: 'replays',
      label: 'Show replays',
      note: 'everything sent again',
      keys: keysOf('go-replays'),
      run: () => state.replay.show(null),
    },
    ...when(state.core.replays?.some((replay) => replay.state === 'running') === true, {
      value: 'cancel-replays',
      label: 'Cancel replay',
      keys: keysOf('cancel-replays'),
      run: () => void state.replay.cancelAll(),
    }),
  ]
}
