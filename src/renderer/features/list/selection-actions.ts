/** What the keys of selecting and comparing do in the list of deliveries. */
import type { AppStore } from '../../state/store.ts'

/** Selects the row that the list stands on, or not any more; with `by`, it and the next or previous one, and goes there. */
export function pick(store: AppStore, by: 1 | 0 | -1): boolean {
  const {
    list: { moveSelection },
  } = store.getState()
  void moveSelection(0).then(async (from) => {
    if (from === null) return
    const {
      selection: { toggle: togglePicked, add: addPicked },
      detail: { mode: detailMode },
    } = store.getState()
    if (by === 0) {
      togglePicked(from)
      return
    }
    const to = await moveSelection(by)
    addPicked(to === null ? [from] : [from, to])
    if (to !== null && detailMode !== 'closed') store.getState().detail.open(to.id, false)
  })
  return true
}

/** Selects all that the filter finds. Where a detail is open and nothing has the focus, the key is the browser's: for its text. */
export function pickAll(store: AppStore): boolean {
  const {
    selection: { selectAll: select },
    detail: { mode: detailMode },
  } = store.getState()
  if (document.activeElement === document.body && detailMode !== 'closed') return false
  void select()
  return true
}

/** Two selected: compares them, the older one left. Else the row that the list stands on is kept as A, and the next one is B. */
export function compareSelected(store: AppStore): boolean {
  const {
    selection: { rows: picked },
    list: { moveSelection },
    compare: { start: compare },
  } = store.getState()
  // The bar under the list says that two can be compared.
  if (picked.size > 2) return true
  if (picked.size === 2) {
    const [older, newer] = [...picked.values()].sort((one, other) => one.seq - other.seq)
    if (older !== undefined && newer !== undefined)
      void compare({ kind: 'delivery', id: older.id }, { kind: 'delivery', id: newer.id })
    return true
  }
  const [only] = picked.values()
  void (only === undefined ? moveSelection(0) : Promise.resolve(only)).then((row) => {
    if (row === null) return
    const {
      compare: { marked: markedForCompare, mark: markForCompare },
    } = store.getState()
    if (markedForCompare === null || markedForCompare.id === row.id) markForCompare(markedForCompare === null ? row : null)
    else void compare({ kind: 'delivery', id: markedForCompare.id }, { kind: 'delivery', id: row.id })
  })
  return true
}
