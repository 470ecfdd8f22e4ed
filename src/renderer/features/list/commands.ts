/** The list's palette commands and shortcuts. */
import { isShortId, parseLatestRef } from '../../../shared/model/delivery-ref.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { BUILT_IN_VIEWS, type View } from '../../../shared/model/view.ts'
import { always, when, type PaletteItem, type RunKey } from '../../ui-state/commands.ts'
import { keysOf, type KeyAction } from '../../key-map.ts'
import type { AppState, AppStore } from '../../ui-state/store.ts'
import { pointOf } from '../../connected/delivery-menu.tsx'
import { LIST_ID } from './delivery-list.tsx'
import { rowId } from './delivery-row.tsx'
import { FILTER_ID } from './filter.tsx'
import { isUpToDate } from './loader-state.ts'
import { clearWords } from './deletion-actions.ts'

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
      label: 'Open the last delivery that fails at your handler',
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
      label: state.filter.showsStatistics ? 'Hide statistics' : 'Show statistics',
      run: () => {
        state.navigation.go('deliveries')
        state.filter.toggleStatistics()
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

/** Returns commands for the built-in views with their keys, then for saved ones. */
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

/** Returns a command for the deliveries of each hook, with its URL: hooks may share an event. */
export function ofHookCommands(state: AppState): readonly PaletteItem[] {
  return state.core.hooks.map(({ id, event, url }) => ({
    value: `hook-${id}`,
    label: `Deliveries of ${event}`,
    note: url,
    run: () => search(state, `hook:${id}`),
  }))
}

/** Returns a command that opens a delivery if the typed text may refer to one. */
export function byIdCommands(state: AppState, typed: string): readonly PaletteItem[] {
  const id = typed.trim()
  return when(isShortId(id) || parseLatestRef(id) !== null, {
    value: `delivery-${id}`,
    label: `Open delivery ${id}`,
    run: () => state.navigation.go('deliveries', { id }),
  })
}

/** Whether a delivery is open. */
function isOpen(store: AppStore): boolean {
  return store.getState().navigation.at.deliveries.id !== undefined
}

/** Toggles the current row's selection, or selects it and the next or previous row. */
function pick(store: AppStore, by: 1 | 0 | -1): boolean {
  const { list } = store.getState()
  void list.moveSelection(0).then(async (from) => {
    if (from === null) return
    if (by === 0) {
      store.getState().selection.toggle(from)
      return
    }
    const to = await list.moveSelection(by)
    const { selection, detail } = store.getState()
    selection.add(to === null ? [from] : [from, to])
    if (to !== null && isOpen(store)) detail.open(to.id, false)
  })
  return true
}

/** Selects all matching rows, unless the key selects the text of an open detail. */
function pickAll(store: AppStore): boolean {
  if (document.activeElement === document.body && isOpen(store)) return false
  void store.getState().selection.selectAll()
  return true
}

/** Compares two selected rows; otherwise marks the current row as A, or compares it with A. */
export function compareSelected(store: AppStore): boolean {
  const { selection, list, compare } = store.getState()
  const [first, second, third] = [...selection.rows.values()].sort(
    (left, right) => left.seq - right.seq,
  )
  const start = (left: DeliveryRow, right: DeliveryRow) =>
    void compare.start({ kind: 'delivery', id: left.id }, { kind: 'delivery', id: right.id })
  // The bar below the list asks for exactly two.
  if (third !== undefined) return true
  if (first !== undefined && second !== undefined) {
    start(first, second)
    return true
  }
  void (first === undefined ? list.moveSelection(0) : Promise.resolve(first)).then((row) => {
    if (row === null) return
    const { marked, mark } = store.getState().compare
    if (marked === null) mark(row)
    else if (marked.id === row.id) mark(null)
    else start(marked, row)
  })
  return true
}

/** Opens the menu of the selection, or of the current row, below that row. */
function openMenu(store: AppStore): boolean {
  const state = store.getState()
  const rows = state.marks.chosen()
  const { selectedSeq } = state.list
  const row = selectedSeq === null ? null : document.getElementById(rowId(selectedSeq))
  const place = row ?? document.getElementById(LIST_ID)
  if (rows.length === 0 || place === null) return false
  state.menu.open({ at: pointOf({ clientX: 0, clientY: 0 }, place), rows, value: null })
  return true
}

const PAGE_ROWS = 20

/** Moves to a row; an open detail shows it. */
function goTo(findRow: (state: AppState) => Promise<DeliveryRow | null>): RunKey {
  return (store) => {
    void findRow(store.getState()).then((row) => {
      if (row !== null && isOpen(store)) store.getState().detail.open(row.id, false)
    })
    return true
  }
}

/** Runs an action on the current row. */
function withSelected(act: (row: DeliveryRow, state: AppState) => unknown): RunKey {
  return (store) => {
    void store
      .getState()
      .list.moveSelection(0)
      .then((row) => {
        if (row !== null) act(row, store.getState())
      })
    return true
  }
}

const move = (by: number) => goTo((state) => state.list.moveSelection(by))
const openSelected = (focus: boolean) =>
  withSelected((row, state) => state.detail.open(row.id, focus))

/** Focuses the delivery filter, from any screen. */
export function focusFilter(store: AppStore): boolean {
  store.getState().navigation.go('deliveries')
  const focus = () => document.getElementById(FILTER_ID)?.focus()
  // Immediately if it is rendered: text typed before the next frame would trigger shortcuts.
  if (document.getElementById(FILTER_ID) === null) requestAnimationFrame(focus)
  else focus()
  return true
}

/** Closes, in order: the filter field, full width, the detail, the selection, the filter. */
export function leaveDeliveries(store: AppStore): boolean {
  const state = store.getState()
  const list = () => document.getElementById(LIST_ID)
  if (document.activeElement?.id === FILTER_ID) {
    list()?.focus()
    return true
  }
  if (state.detail.full) state.detail.toggleFull()
  else if (isOpen(store)) state.detail.close()
  else if (state.selection.rows.size > 0) state.selection.clear()
  else if (state.compare.marked !== null) state.compare.mark(null)
  else if (state.list.selectedSeq !== null) state.list.select(null)
  else if (state.filter.applied !== '' || state.filter.draft !== '') state.filter.clear()
  else return false
  requestAnimationFrame(() => list()?.focus())
  return true
}

const viewKeys = Object.fromEntries(
  BUILT_IN_VIEWS.map((view) => [`view-${view.id}`, always((state) => state.views.open(view))]),
) as Record<`view-${(typeof BUILT_IN_VIEWS)[number]['id']}`, RunKey>

export const listKeys = {
  next: move(1),
  previous: move(-1),
  'next-page': move(PAGE_ROWS),
  'previous-page': move(-PAGE_ROWS),
  first: goTo((state) => state.list.selectIndex(0)),
  last: goTo((state) => state.list.selectIndex(Number.MAX_SAFE_INTEGER)),
  open: openSelected(true),
  peek(store) {
    const state = store.getState()
    if (!isOpen(store) || state.detail.full) return openSelected(false)(store)
    state.detail.close()
    return true
  },
  'send-sample': always((state) => void state.list.sendSample()),
  follow: always((state) => state.list.toggleFollow()),
  newest: always((state) => state.list.jumpToNewest()),
  ...viewKeys,
  pick: (store) => pick(store, 0),
  'pick-next': (store) => pick(store, 1),
  'pick-previous': (store) => pick(store, -1),
  'pick-all': pickAll,
  'clear-shown': always((state) => state.marks.clearShown()),
  undo: (store) => store.getState().marks.undo(),
  compare: compareSelected,
  menu: openMenu,
} satisfies Partial<Record<KeyAction, RunKey>>
