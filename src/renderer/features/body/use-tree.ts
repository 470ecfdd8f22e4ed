/** The state of a tree: selection, expanded values, keys. */
import { useMemo, useState, type KeyboardEvent } from 'react'
import { JsonNode } from '../../../shared/json/tree.ts'
import {
  nodeAt,
  initialExpansion,
  rowKey,
  treeRows,
  withAncestorsOpen,
  withOpen,
  type Annotations,
  type Expanded,
  type JsonTree,
  type TreeRow,
} from './json-tree.ts'

export type TreeState = ReturnType<typeof useTree>

export function useTree({ root }: JsonTree, annotations: Annotations) {
  const [open, setOpen] = useState<Expanded>(() => initialExpansion(root))
  const [key, setKey] = useState(root.start)
  const rows = useMemo(() => treeRows(root, open, annotations), [root, open, annotations])
  const selectedRow = Math.max(
    0,
    rows.findIndex((row) => rowKey(row) === key),
  )
  return {
    open,
    rows,
    selectedRow,
    selected: rows[selectedRow] ?? root,
    selectRow(index: number) {
      setKey(rowKey(rows[Math.max(0, Math.min(index, rows.length - 1))] ?? root))
    },
    /** Expands or collapses a value; `whole` includes everything inside. */
    fold(node: JsonNode, unfold: boolean, whole = false) {
      if (!node.isContainer) return
      setOpen((before) => withOpen(before, node, unfold, whole))
      // Collapsing can hide the selected value.
      if (!unfold && key > node.start && key < node.end) setKey(node.start)
    },
    /** Expands the parents of the value at this position and selects it. */
    goTo(position: number) {
      const node = nodeAt(root, position)
      setOpen((before) => withAncestorsOpen(before, node))
      setKey(node.start)
    },
    /** Expands the parents of a schema finding and selects its row. */
    goToFinding(path: string) {
      for (const [node, extras] of [...annotations.below, ...annotations.after]) {
        const extra = extras.find(({ note }) => note.path === path)
        if (extra === undefined) continue
        setOpen((before) => withAncestorsOpen(before, node))
        setKey(extra.key)
        return
      }
    },
  }
}

export const isFoldable = (row: TreeRow): row is JsonNode =>
  row instanceof JsonNode && row.children.length > 0

/** Handles a key of the tree; returns whether it did. */
export function handleTreeKey(
  { key, shiftKey }: KeyboardEvent,
  root: JsonNode,
  state: TreeState,
  page: number,
): boolean {
  const { selected, selectedRow, rows } = state
  const node = isFoldable(selected) ? selected : null
  const isOpen = node !== null && state.open.has(node.start)
  switch (key) {
    case 'ArrowDown':
      state.selectRow(selectedRow + 1)
      return true
    case 'ArrowUp':
      state.selectRow(selectedRow - 1)
      return true
    case 'PageDown':
      state.selectRow(selectedRow + page)
      return true
    case 'PageUp':
      state.selectRow(selectedRow - page)
      return true
    case 'Home':
      state.selectRow(0)
      return true
    case 'End':
      state.selectRow(rows.length - 1)
      return true
    case 'ArrowRight':
      if (node !== null && (!isOpen || shiftKey)) state.fold(node, true, shiftKey)
      else if (isOpen) state.selectRow(selectedRow + 1)
      return true
    case 'ArrowLeft': {
      if (isOpen) state.fold(node, false, shiftKey)
      else if (selected instanceof JsonNode && selected.parent !== null)
        state.selectRow(rows.indexOf(selected.parent))
      return true
    }
    case '*':
      state.fold(selected instanceof JsonNode ? selected : root, true, true)
      return true
    case 'Enter':
    case ' ':
      if (node !== null) state.fold(node, !isOpen)
      return node !== null
    default:
      return false
  }
}
