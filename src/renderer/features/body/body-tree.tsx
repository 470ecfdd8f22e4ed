/** A JSON body as a tree, with the schema's findings about each value. */
import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { DEEPEST_FIELD, ANY_ITEM, pathText } from '../../../shared/body/json-path.ts'
import { JsonNode, stepsOf } from '../../../shared/json/tree.ts'
import { CODE_ROW_HEIGHT } from './body-view.tsx'
import { rowKey, type JsonTree, type TreeRow } from './json-tree.ts'
import { meaningOf } from './value-meaning.ts'
import { NodeRow, FindingRowView } from './tree-row.tsx'
import { type TreeState, isFoldable, handleTreeKey } from './use-tree.ts'
import { useRows } from '../../ui/use-rows.ts'
import { Scroller } from '../../ui/scroller.tsx'

interface TreeProps {
  readonly tree: JsonTree
  readonly state: TreeState
  readonly newFields: ReadonlySet<string>
  readonly event: string | null
  readonly receivedAt: string
}

export function BodyTree({
  tree,
  state,
  newFields,
  event,
  receivedAt,
  onKey,
}: TreeProps & {
  /** Handles a key for the selected value; returns whether it did. */
  readonly onKey: (event: KeyboardEvent) => boolean
}) {
  const id = useId()
  const { rows, selectedRow } = state
  const view = useTreeView(state)
  const { viewport } = view

  const onKeyDown = (press: KeyboardEvent) => {
    if (
      onKey(press) ||
      handleTreeKey(
        press,
        tree.root,
        state,
        Math.max(1, Math.floor(viewport / CODE_ROW_HEIGHT) - 1),
      )
    ) {
      press.preventDefault()
      press.stopPropagation()
    }
  }
  return (
    <Scroller
      rows={view}
      isWide
      role="tree"
      aria-label="Body"
      aria-activedescendant={`${id}-${selectedRow}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      // The tree handles clicks and keeps the focus; the right button selects too, for the menu.
      onMouseDown={({ target }) => {
        const index = rowUnder(target)
        if (index !== null) state.selectRow(index)
      }}
      onDoubleClick={({ target }) => {
        const node = rows[rowUnder(target) ?? -1]
        if (node instanceof JsonNode) state.fold(node, !state.open.has(node.start))
      }}
      className="group @container data h-full select-text"
    >
      {view.drawn.map((index) => {
        const row = rows[index]
        return (
          row !== undefined && (
            <TreeItem
              key={rowKey(row)}
              id={`${id}-${index}`}
              index={index}
              row={row}
              tree={tree}
              state={state}
              newFields={newFields}
              event={event}
              receivedAt={receivedAt}
            />
          )
        )
      })}
    </Scroller>
  )
}

/** Returns the visible rows, and scrolls to the selected row when it changes. */
function useTreeView({ rows, selectedRow }: TreeState) {
  const view = useRows({ count: rows.length, rowHeight: CODE_ROW_HEIGHT, overscan: 12 })
  const { viewport } = view
  const previous = useRef({ row: selectedRow, viewport })
  useEffect(() => {
    const before = previous.current
    previous.current = { row: selectedRow, viewport }
    // The selected row stays visible if the strip below shrinks the tree.
    const isShrunk =
      viewport < before.viewport &&
      (selectedRow + 1) * CODE_ROW_HEIGHT <= view.top + before.viewport
    if (selectedRow !== before.row || isShrunk) view.show(selectedRow)
  }, [selectedRow, viewport, view])
  return view
}

function isNewField(node: JsonNode, newFields: ReadonlySet<string>): boolean {
  return (
    newFields.size > 0 &&
    node.depth <= DEEPEST_FIELD &&
    node.key !== null &&
    newFields.has(
      pathText(stepsOf(node).map((step) => (typeof step === 'number' ? ANY_ITEM : step))),
    )
  )
}

function TreeItem({
  id,
  index,
  row,
  tree,
  state,
  newFields,
  event,
  receivedAt,
}: TreeProps & { readonly id: string; readonly index: number; readonly row: TreeRow }) {
  const isOpen = row instanceof JsonNode && state.open.has(row.start)
  return (
    <Row
      id={id}
      index={index}
      selected={index === state.selectedRow}
      level={row.depth + 1}
      {...(isFoldable(row) ? { expanded: isOpen } : {})}
    >
      {row instanceof JsonNode ? (
        <NodeRow
          node={row}
          open={isOpen}
          isNew={isNewField(row, newFields)}
          isRepeated={tree.repeated.has(row)}
          event={event}
          meaning={meaningOf(row, receivedAt)}
          onFold={() => state.fold(row, !isOpen)}
        />
      ) : (
        <FindingRowView extra={row} />
      )}
    </Row>
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
