/** Palette commands for the deliveries: view options, saved views, and a delivery by its id. */
import { isShortId, readLatest } from '../../../shared/model/delivery-ref.ts'
import { BUILT_IN_VIEWS, type View } from '../../../shared/model/settings.ts'
import { keysOf } from '../../state/key-map.ts'
import { when, type PaletteItem } from '../../state/commands.ts'
import type { AppState } from '../../state/store.ts'
import { isUpToDate } from './list-loader.ts'
import { clearWords } from './marks-slice.ts'

function search(state: AppState, query: string): void {
  state.navigation.go('deliveries')
  state.filter.setDraft(query)
}

export function listCommands(state: AppState): readonly PaletteItem[] {
  return [
    {
      value: 'newest',
      label: 'Jump to newest delivery',
      keys: keysOf('newest'),
      run: () => {
        state.navigation.go('deliveries')
        state.list.jumpToNewest()
      },
    },
    {
      value: 'follow',
      label: isUpToDate(state.list) ? 'Stop following newest' : 'Follow newest',
      keys: keysOf('follow'),
      run: () => state.list.toggleFollow(),
    },
    {
      value: 'last-failing',
      label: 'Open the last delivery that fails at my handler',
      run: () => void state.list.openLastFailing(),
    },
    {
      value: 'pinned',
      label: 'Show pinned deliveries',
      note: 'is:pinned',
      run: () => search(state, 'is:pinned'),
    },
    ...when((state.core.status?.store.deliveries ?? 0) > 0, {
      value: 'statistics',
      label: state.timeline.statistics === null ? 'Show statistics' : 'Hide statistics',
      run: () => {
        state.navigation.go('deliveries')
        state.timeline.toggleStatistics()
      },
    }),
    {
      value: 'clear',
      label: 'Clear filter',
      run: () => state.filter.clear(),
    },
    {
      value: 'select-all',
      label: state.filter.applied === '' ? 'Select all deliveries' : 'Select matching deliveries',
      keys: keysOf('pick-all'),
      run: () => {
        state.navigation.go('deliveries')
        void state.selection.selectAll()
      },
    },
    ...when(state.filter.applied !== '', {
      value: 'save-view',
      label: 'Save view…',
      note: state.filter.applied,
      run: () => state.navigation.openOverlay('save-view'),
    }),
    ...when(state.core.views.length > 0, {
      value: 'saved-views',
      label: 'Edit saved views…',
      run: () => state.navigation.openOverlay('saved-views'),
    }),
    {
      value: 'clear-shown',
      label: clearWords(state.filter.applied),
      keys: keysOf('clear-shown'),
      run: () => void state.marks.clearShown(),
    },
  ]
}

/** The built-in views with their keys, then saved ones. */
export function viewPalette(state: AppState): readonly PaletteItem[] {
  const item = (view: View): PaletteItem => ({
    value: `view-${view.id}`,
    label: view.name,
    note: view.query,
    run: () => state.views.open(view),
  })
  return [
    ...BUILT_IN_VIEWS.map((view) => ({ ...item(view), keys: keysOf(`view-${view.id}`) })),
    ...state.core.views.map(item),
  ]
}

/** The deliveries of each hook. Several hooks may share an event. */
export function ofHookCommands(state: AppState): readonly PaletteItem[] {
  return state.core.hooks.map(({ id, event, url }) => ({
    value: `hook-${id}`,
    label: `Deliveries of ${event}`,
    note: url,
    run: () => search(state, `hook:${id}`),
  }))
}

/** If the typed text may refer to a delivery. */
export function byIdCommands(state: AppState, typed: string): readonly PaletteItem[] {
  const id = typed.trim()
  return when(isShortId(id) || readLatest(id) !== null, {
    value: `delivery-${id}`,
    label: `Open delivery ${id}`,
    run: () => state.navigation.go('deliveries', { id }),
  })
}
