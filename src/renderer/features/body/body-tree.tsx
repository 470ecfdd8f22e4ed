/** A JSON body as a tree, with the schema's findings about each value. Only visible rows are drawn, at any depth and size. */
import {
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react'
import { DEEPEST_FIELD, each, pathText } from '../../../shared/body/json-path.ts'
import { useRowWindow } from '../../ui/use-row-window.tsx'
import { CODE_ROW_HEIGHT } from './code-rows.tsx'
import type { Highlight } from './find-text.ts'
import { isContainer, nodeAt, pathOf, type JsonTree } from './json-tree.ts'
import { ExtraRow, NodeRow } from './tree-row.tsx'
import {
  openAtFirst,
  treeRows,
  withAncestorsOpen,
  withOpen,
  type Annotations,
} from './tree-rows.ts'
import { meaningOf } from './value-meaning.ts'

interface TreeState {
  readonly open: Uint8Array
  readonly rows: Int32Array
  /** Index among the rows. */
  readonly selectedRow: number
  /** The value of the selected row, or the one that its finding belongs to; -1 for a finding's own row. */
  readonly selected: number
  selectRow(index: number): void
  /** Expands or collapses; `whole`: with everything inside. */
  fold(node: number, unfold: boolean, whole?: boolean): void
  /** Expands the parents of the value at this position and selects it. */
  goTo(position: number): void
  /** Expands the parents of a schema finding and selects its row. */
  goToFinding(path: string): void
}

/** State of a tree view: expanded values, the selected row, and the resulting rows. */
export function useTree(tree: JsonTree, annotations: Annotations): TreeState {
  const [open, setOpen] = useState(() => openAtFirst(tree))
  /** A value, or `-1 - extra`. Row indices change, but this stays the same. */
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
      // The selected value may be hidden now.
      if (!unfold && row > node && row < (tree.afters[node] ?? 0)) setRow(node)
    },
    goTo(position) {
      const node = nodeAt(tree, position)
      setOpen((before) => withAncestorsOpen(tree, before, node))
      setRow(node)
    },
    goToFinding(path) {
      const extra = annotations.extras.findIndex((one) => one?.note.path === path)
      const node = [...annotations.below, ...annotations.after].find(([, extras]) =>
        extras.includes(extra),
      )?.[0]
      if (node === undefined) return
      setOpen((before) => withAncestorsOpen(tree, before, node))
      setRow(-1 - extra)
    },
  }
}

export function BodyTree({
  text,
  tree,
  state,
  annotations,
  newFields,
  event,
  receivedAt,
  highlight,
  onKey,
}: {
  readonly text: string
  readonly tree: JsonTree
  readonly state: TreeState
  readonly annotations: Annotations
  readonly newFields: ReadonlySet<string>
  readonly event: string | null
  readonly receivedAt: string
  readonly highlight: Highlight | null
  /** Keys for the selected value; true if the key was handled. */
  readonly onKey: (event: KeyboardEvent) => boolean
}) {
  const id = useId()
  const { rows, selectedRow } = state
  const view = useRowWindow({ count: rows.length, rowHeight: CODE_ROW_HEIGHT, overscan: 12 })
  const { first, end, offset } = view.rows
  const { viewport } = view.shape
  const shown = useRef({ row: selectedRow, viewport })
  useEffect(() => {
    const before = shown.current
    shown.current = { row: selectedRow, viewport }
    // The strip below the tree reduces its height: the selected row must stay visible.
    const shrunk =
      viewport < before.viewport &&
      (selectedRow + 1) * CODE_ROW_HEIGHT <= view.top + before.viewport
    if (selectedRow !== before.row || shrunk) view.show(selectedRow)
  }, [selectedRow, viewport, view])

  const onKeyDown = (press: KeyboardEvent) => {
    if (
      onKey(press) ||
      move(press, tree, state, Math.max(1, Math.floor(view.shape.viewport / CODE_ROW_HEIGHT) - 1))
    ) {
      press.preventDefault()
      press.stopPropagation()
    }
  }
  const isNew = (node: number) =>
    newFields.size > 0 &&
    (tree.depths[node] ?? 0) <= DEEPEST_FIELD &&
    (tree.keyStarts[node] ?? -1) !== -1 &&
    newFields.has(
      pathText(pathOf(text, tree, node).map((step) => (typeof step === 'number' ? each : step))),
    )

  return (
    <div
      ref={view.scroller}
      role="tree"
      aria-label="Body"
      aria-activedescendant={`${id}-${selectedRow}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      // The tree keeps the focus while its rows come and go, so clicks are handled here. Either button selects, because the context
      // menu is about the row under it.
      onMouseDown={({ target }) => {
        const index = rowUnder(target)
        if (index !== null) state.selectRow(index)
      }}
      onDoubleClick={({ target }) => {
        const node = rows[rowUnder(target) ?? -1] ?? -1
        if (node >= 0) state.fold(node, state.open[node] !== 1)
      }}
      onScroll={view.onScroll}
      className="group data h-full overflow-auto outline-offset-[-2px] [overflow-anchor:none] select-text"
    >
      <div className="sticky top-0 h-0 w-max min-w-full">
        <div style={{ transform: `translateY(${offset}px)` }}>
          {Array.from({ length: end - first }, (_, place) => {
            const index = first + place
            const row = rows[index] ?? 0
            const common = {
              id: `${id}-${index}`,
              index,
              selected: index === selectedRow,
            }
            if (row < 0) {
              const extra = annotations.extras[-1 - row]
              return (
                <Row key={row} {...common} level={(extra?.depth ?? 0) + 1}>
                  {extra !== undefined && <ExtraRow extra={extra} />}
                </Row>
              )
            }
            const foldable = isContainer(tree, row) && (tree.sizes[row] ?? 0) > 0
            const open = state.open[row] === 1
            const onFold = () => state.fold(row, !open)
            return (
              <Row
                key={row}
                {...common}
                level={(tree.depths[row] ?? 0) + 1}
                {...(foldable ? { expanded: open } : {})}
              >
                <NodeRow
                  text={text}
                  tree={tree}
                  node={row}
                  open={open}
                  isNew={isNew(row)}
                  event={event}
                  meaning={meaningOf(text, tree, row, receivedAt)}
                  highlight={highlight}
                  onFold={onFold}
                />
              </Row>
            )
          })}
        </div>
      </div>
      <div style={{ height: view.shape.scrollHeight }} />
    </div>
  )
}

interface RowProps {
  readonly id: string
  readonly selected: boolean
  readonly level: number
  readonly expanded?: boolean
  readonly index: number
  readonly children: ReactNode
}

function Row({ id, index, selected, level, expanded, children }: RowProps) {
  return (
    <div
      id={id}
      role="treeitem"
      aria-level={level}
      aria-selected={selected}
      {...(expanded === undefined ? {} : { 'aria-expanded': expanded })}
      data-row={index}
      className={`flex h-5 items-center pr-6 pl-3 leading-5 whitespace-pre ${
        selected ? 'bg-selected-quiet group-focus-visible:bg-selected' : 'hover:bg-raised'
      }`}
    >
      {children}
    </div>
  )
}

function rowUnder(target: EventTarget): number | null {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null
  return row === null ? null : Number(row.dataset['row'])
}

/** Tree keys: up and down between rows, right to expand, left to collapse. True if the key was handled. */
function move(
  { key, shiftKey }: KeyboardEvent,
  tree: JsonTree,
  state: TreeState,
  page: number,
): boolean {
  const { selected: node, selectedRow, rows } = state
  const foldable = node >= 0 && isContainer(tree, node) && (tree.sizes[node] ?? 0) > 0
  const open = foldable && state.open[node] === 1
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
      if (foldable && (!open || shiftKey)) state.fold(node, true, shiftKey)
      else if (open) state.selectRow(selectedRow + 1)
      return true
    case 'ArrowLeft': {
      if (open) state.fold(node, false, shiftKey)
      else if (node >= 0 && (tree.parents[node] ?? -1) !== -1)
        state.selectRow(rows.indexOf(tree.parents[node] ?? 0))
      return true
    }
    case '*':
      state.fold(node >= 0 ? node : 0, true, true)
      return true
    case 'Enter':
    case ' ':
      if (foldable) state.fold(node, !open)
      return foldable
    default:
      return false
  }
}
