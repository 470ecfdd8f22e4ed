/** What a tree view holds: which values are unfolded, which row is selected, and the rows that come of it. */
import { useMemo, useState } from 'react'
import { isContainer, nodeAt, type JsonTree } from './json-tree.ts'
import { openAtFirst, treeRows, withAncestorsOpen, withOpen, type Annotations } from './tree-rows.ts'

export interface TreeState {
  readonly open: Uint8Array
  readonly rows: Int32Array
  /** Index among the rows. */
  readonly selectedRow: number
  /** The value of the selected row, or the one that its finding belongs to; -1 for a finding's row. */
  readonly selected: number
  selectRow(index: number): void
  /** Unfolds or folds; `whole`: all that is inside as well. */
  fold(node: number, unfold: boolean, whole?: boolean): void
  /** Unfolds what holds the value at this place of the text and selects it. */
  goTo(position: number): void
}

export function useTree(tree: JsonTree, annotations: Annotations): TreeState {
  const [open, setOpen] = useState(() => openAtFirst(tree))
  /** A value, or `-1 - extra`: rows move, what they stand for stays. */
  const [row, setRow] = useState(0)
  const rows = useMemo(() => treeRows(tree, open, annotations), [tree, open, annotations])
  const found = rows.indexOf(row)
  return {
    open,
    rows,
    selectedRow: found === -1 ? 0 : found,
    selected: found === -1 ? 0 : row,
    selectRow(index) {
      setRow(rows[Math.max(0, Math.min(index, rows.length - 1))] ?? 0)
    },
    fold(node, unfold, whole = false) {
      if (!isContainer(tree, node)) return
      setOpen((before) => withOpen(tree, before, node, unfold, whole))
      // What was selected inside may be hidden now.
      if (!unfold && row > node && row < (tree.afters[node] ?? 0)) setRow(node)
    },
    goTo(position) {
      const node = nodeAt(tree, position)
      setOpen((before) => withAncestorsOpen(tree, before, node))
      setRow(node)
    },
  }
}
