/** What each key does: from the action's name to the store. */
import { FILTER_ID, LIST_ID, tabs } from '../features/deliveries/index.ts'
import { leaveWalk, walkHasFocus } from '../features/first-walk/index.ts'
import {
  FLOW_RUN_ID,
  FLOW_SEARCH_ID,
  FLOW_STEP_ID,
  goToFirstFailed,
  moveActor,
  movePlace,
  openShownDelivery,
} from '../features/flows/index.ts'
import { OBJECT_FILTER_ID, SEND_ID } from '../features/sandbox/index.ts'
import type { KeyAction } from '../state/key-map.ts'
import type { AppStore } from '../state/store.ts'
import { copyText } from '../ui/copy.tsx'
import { compareSelected, goToCompare, pick } from './run-selection.ts'
import { focusNextPane } from './panes.ts'

const ROWS_OF_A_PAGE = 20
const bodyViews = ['tree', 'formatted', 'text', 'hex'] as const

/** Runs an action; false where it does nothing here, so that the key keeps its usual meaning. */
export function runAction(action: KeyAction, store: AppStore): boolean {
  const state = store.getState()
  switch (action) {
    case 'palette':
      state.openOverlay('palette')
      return true
    case 'shortcuts':
      state.openOverlay('shortcuts')
      return true
    case 'go-deliveries':
      state.go('deliveries')
      return true
    case 'go-compare':
      goToCompare(store)
      return true
    case 'go-hooks':
      state.go('hooks')
      return true
    case 'go-flows':
      state.go('flows')
      return true
    case 'go-check':
      state.go('check')
      return true
    case 'go-sandbox':
      state.go('sandbox')
      return true
    case 'go-settings':
      state.go('settings')
      return true
    case 'filter':
      if (state.screen === 'sandbox' && state.sandboxView === 'objects') {
        document.getElementById(OBJECT_FILTER_ID)?.focus()
        return true
      }
      if (state.screen === 'flows' && state.openedFlow === null) {
        document.getElementById(FLOW_SEARCH_ID)?.focus()
        return true
      }
      state.go('deliveries')
      requestAnimationFrame(() => document.getElementById(FILTER_ID)?.focus())
      return true
    case 'next-pane':
      focusNextPane(1)
      return true
    case 'previous-pane':
      focusNextPane(-1)
      return true
    case 'back':
      return (walkHasFocus() && leaveWalk(store)) || goBack(store) || leaveWalk(store)
    case 'next':
      return move(store, 1)
    case 'previous':
      return move(store, -1)
    case 'next-page':
      return move(store, ROWS_OF_A_PAGE)
    case 'previous-page':
      return move(store, -ROWS_OF_A_PAGE)
    case 'first':
      return moveTo(store, 0)
    case 'last':
      return moveTo(store, Number.MAX_SAFE_INTEGER)
    case 'open':
      return openSelected(store, true)
    case 'peek':
      if (state.detailMode === 'pane') {
        state.closeDetail()
        return true
      }
      return openSelected(store, false)
    case 'follow':
      state.setFollow(!state.follow)
      return true
    case 'mark':
      state.setFilterMode(state.filterMode === 'mark' ? 'hide' : 'mark')
      return true
    case 'newest':
      state.jumpToNewest()
      return true
    case 'pick':
      return pick(store, 0)
    case 'pick-next':
      return pick(store, 1)
    case 'pick-previous':
      return pick(store, -1)
    case 'pin':
      state.togglePin(state.chosen())
      return true
    case 'note':
      state.editNote(state.chosen())
      return true
    case 'delete':
      state.deleteChosen(state.chosen())
      return true
    case 'clear-shown':
      void state.clearShown()
      return true
    case 'undo-delete':
      return state.undoDelete()
    case 'compare':
      return compareSelected(store)
    case 'older-alike':
      void state.openAlike(-1)
      return true
    case 'newer-alike':
      void state.openAlike(1)
      return true
    case 'next-change':
      state.stepChange(1)
      return true
    case 'previous-change':
      state.stepChange(-1)
      return true
    case 'swap-sides':
      state.swapSides()
      return true
    case 'compare-layout':
      state.setCompareLayout(state.compareLayout === 'split' ? 'unified' : 'split')
      return true
    case 'ignore-volatile':
      state.setIgnoreVolatile(!state.ignoreVolatile)
      return true
    case 'replay':
      void state.replayAgain(state.chosen().toSorted((one, other) => one.seq - other.seq))
      return true
    case 'replay-compose': {
      const rows = state.chosen().toSorted((one, other) => one.seq - other.seq)
      if (rows.length > 0) state.composeReplay({ kind: 'rows', rows })
      return true
    }
    case 'go-replays':
      state.showReplays(null)
      return true
    case 'cancel-replays':
      return state.cancelReplays()
    case 'copy-id':
      return copyId(store)
    case 'body-view':
      if (state.tab === 'raw') state.setRawView(state.rawView === 'text' ? 'hex' : 'text')
      else state.setBodyView(bodyViews[(bodyViews.indexOf(state.bodyView) + 1) % bodyViews.length] ?? 'tree')
      return true
    case 'verify':
      state.setTab('signature')
      void state.verifyAgain()
      return true
    case 'wrap':
      state.setPreference('wrap', !state.wrap)
      return true
    case 'sandbox-send':
      if (state.sandboxView !== 'trigger') return false
      document.getElementById(SEND_ID)?.click()
      return true
    case 'sandbox-trigger':
      state.showSandbox('trigger')
      return true
    case 'sandbox-objects':
      state.showSandbox('objects')
      return true
    case 'sandbox-log':
      state.showSandbox('log')
      return true
    case 'flow-left':
      return moveActor(store, -1)
    case 'flow-right':
      return moveActor(store, 1)
    case 'flow-next':
      return movePlace(1)
    case 'flow-previous':
      return movePlace(-1)
    case 'flow-first':
      return movePlace(-Infinity)
    case 'flow-last':
      return movePlace(Infinity)
    case 'flow-open':
      return openShownDelivery(store)
    case 'flow-failed':
      return goToFirstFailed(store)
    case 'flow-run':
      document.getElementById(FLOW_RUN_ID)?.click()
      return true
    case 'flow-step':
      document.getElementById(FLOW_STEP_ID)?.click()
      return true
    case 'flow-view':
      state.setFlowView(document.querySelector('svg[data-flow-diagram]') === null ? 'diagram' : 'list')
      return true
    case 'full':
      state.toggleFull()
      return true
    default: {
      const tab = tabs.find((one) => action === `tab-${one}`)
      if (tab === undefined) return false
      state.setTab(tab)
      return true
    }
  }
}

function move(store: AppStore, by: number): boolean {
  void store
    .getState()
    .moveSelection(by)
    .then((row) => {
      if (row !== null && store.getState().detailMode !== 'closed') store.getState().openDelivery(row.id, false)
    })
  return true
}

function moveTo(store: AppStore, index: number): boolean {
  void store
    .getState()
    .selectIndex(index)
    .then((row) => {
      if (row !== null && store.getState().detailMode !== 'closed') store.getState().openDelivery(row.id, false)
    })
  return true
}

function openSelected(store: AppStore, focus: boolean): boolean {
  void store
    .getState()
    .moveSelection(0)
    .then((row) => {
      if (row !== null) store.getState().openDelivery(row.id, focus)
    })
  return true
}

function copyId(store: AppStore): boolean {
  void store
    .getState()
    .moveSelection(0)
    .then((row) => {
      if (row !== null) void copyText(row.id)
    })
  return true
}

/** Leaves the filter's field, then the full width, then the detail, then the selection, then the filter. */
function goBack(store: AppStore): boolean {
  const state = store.getState()
  if (state.screen === 'flows') return state.leaveFlow()
  if (state.screen !== 'deliveries') return false
  const list = () => document.getElementById(LIST_ID)
  if (document.activeElement?.id === FILTER_ID) {
    list()?.focus()
    return true
  }
  if (state.detailMode === 'full') state.toggleFull()
  else if (state.detailMode === 'pane') state.closeDetail()
  else if (state.picked.size > 0) state.clearPicked()
  else if (state.markedForCompare !== null) state.markForCompare(null)
  else if (state.selectedSeq !== null) state.select(null)
  else if (state.filter !== '' || state.draft !== '') state.clearQuery()
  else return false
  requestAnimationFrame(() => list()?.focus())
  return true
}
