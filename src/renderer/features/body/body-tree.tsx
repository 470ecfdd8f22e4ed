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
import { JsonNode, stepsOf } from '../../../shared/json/tree.ts'
import { Scroller, useRows } from '../../ui/list.tsx'
import { CODE_ROW_HEIGHT } from './body-view.tsx'
import {
  nodeAt,
  openAtFirst,
  rowKey,
  treeRows,
  withAncestorsOpen,
  withOpen,
  type Annotations,
  type Expanded,
  type Extra,
  type JsonTree,
  type TreeRow,
} from './json-tree.ts'
import { meaningOf, type Meaning } from './value-meaning.ts'
import { ChevronRight, CircleAlert, TriangleAlert } from 'lucide-react'
import { ExactText } from '../../ui/exact-text.tsx'
import { FindingText } from '../../ui/finding-text.tsx'
import { DEEPEST_INDENT } from '../../../shared/json/format.ts'
import { counted } from '../../../shared/text/counted.ts'

type TreeState = ReturnType<typeof useTree>

export function useTree({ root }: JsonTree, annotations: Annotations) {
  const [open, setOpen] = useState<Expanded>(() => openAtFirst(root))
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
    /** Expands or collapses; `whole`: with everything inside. */
    fold(node: JsonNode, unfold: boolean, whole = false) {
      if (!node.isContainer) return
      setOpen((before) => withOpen(before, node, unfold, whole))
      // The selected value may be hidden now.
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

export function BodyTree({
  tree,
  state,
  newFields,
  event,
  receivedAt,
  onKey,
}: {
  readonly tree: JsonTree
  readonly state: TreeState
  readonly newFields: ReadonlySet<string>
  readonly event: string | null
  readonly receivedAt: string
  /** Keys for the selected value; true if the key was handled. */
  readonly onKey: (event: KeyboardEvent) => boolean
}) {
  const id = useId()
  const { rows, selectedRow } = state
  const view = useRows({ count: rows.length, rowHeight: CODE_ROW_HEIGHT, overscan: 12 })
  const { viewport } = view
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
      move(press, tree.root, state, Math.max(1, Math.floor(viewport / CODE_ROW_HEIGHT) - 1))
    ) {
      press.preventDefault()
      press.stopPropagation()
    }
  }
  const isNew = (node: JsonNode) =>
    newFields.size > 0 &&
    node.depth <= DEEPEST_FIELD &&
    node.key !== null &&
    newFields.has(pathText(stepsOf(node).map((step) => (typeof step === 'number' ? each : step))))

  return (
    <Scroller
      rows={view}
      isWide
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
        const node = rows[rowUnder(target) ?? -1]
        if (node instanceof JsonNode) state.fold(node, !state.open.has(node.start))
      }}
      className="group data h-full select-text"
    >
      {view.drawn.map((index) => {
        const row = rows[index]
        if (row === undefined) return null
        const isOpen = row instanceof JsonNode && state.open.has(row.start)
        return (
          <Row
            key={rowKey(row)}
            id={`${id}-${index}`}
            index={index}
            selected={index === selectedRow}
            level={row.depth + 1}
            {...(isFoldable(row) ? { expanded: isOpen } : {})}
          >
            {row instanceof JsonNode ? (
              <NodeRow
                node={row}
                open={isOpen}
                isNew={isNew(row)}
                isRepeated={tree.repeated.has(row)}
                event={event}
                meaning={meaningOf(row, receivedAt)}
                onFold={() => state.fold(row, !isOpen)}
              />
            ) : (
              <ExtraRow extra={row} />
            )}
          </Row>
        )
      })}
    </Scroller>
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

const isFoldable = (row: TreeRow): row is JsonNode =>
  row instanceof JsonNode && row.children.length > 0

/** Tree keys: up and down between rows, right to expand, left to collapse. True if the key was handled. */
function move(
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

// One row of the tree: a value with its name and meaning, or a schema finding below it.

/** Characters of a value shown in a row; the strip below shows more of the selected one. */
const LONGEST_VALUE = 300

const valueStyle: Readonly<Partial<Record<JsonNode['kind'], string>>> = {
  string: 'text-code-string',
  number: 'text-code-number',
  word: 'text-code-word',
}

interface NodeRowProps {
  readonly node: JsonNode
  readonly open: boolean
  readonly isNew: boolean
  /** Whether its object has another field of this name. */
  readonly isRepeated: boolean
  readonly event: string | null
  readonly meaning: Meaning | null
  readonly onFold: () => void
}

function NodeRow({ node, open, isNew, isRepeated, event, meaning, onFold }: NodeRowProps) {
  const { rawName, depth } = node
  const foldable = isFoldable(node)
  return (
    <>
      <span style={{ width: indentWidth(depth) }} className="shrink-0" />
      {depth > DEEPEST_INDENT && <span className="pr-1 text-subtle">{depth}:</span>}
      <span
        className="inline-flex w-4 shrink-0 justify-center text-subtle"
        aria-hidden
        onClick={foldable ? onFold : undefined}
      >
        {foldable && <ChevronRight size={14} className={open ? 'rotate-90' : ''} />}
      </span>
      {rawName === null ? (
        depth > 0 && <span className="text-subtle">{node.place}: </span>
      ) : (
        <>
          <span className="text-code-key">
            <ExactText text={rawName.slice(0, LONGEST_VALUE)} />
          </span>
          <span className="text-subtle">: </span>
        </>
      )}
      <Value node={node} />
      {isRepeated && (
        <Badge tone="warn" title="Duplicate name in this object. Most parsers use the last one.">
          duplicate
        </Badge>
      )}
      {isNew && (
        <Badge
          tone="accent"
          title={`No earlier delivery of ${event ?? 'this event'} had this field.`}
        >
          new
        </Badge>
      )}
      {meaning !== null && (
        <span
          className={`pl-3 font-sans ${meaning.odd ? 'text-warn' : 'text-subtle'}`}
          title={meaning.title}
        >
          {meaning.text}
        </span>
      )}
    </>
  )
}

function Value({ node: { kind, isContainer, children, raw } }: Pick<NodeRowProps, 'node'>) {
  if (isContainer) {
    const size = children.length
    const [start, end, what] = kind === 'object' ? ['{', '}', 'field'] : ['[', ']', 'item']
    return (
      <span className="text-subtle">
        {start}
        {size > 0 && (
          <span className="px-1 font-sans text-tiny tabular-nums">{counted(size, what)}</span>
        )}
        {end}
      </span>
    )
  }
  const more = raw.length - LONGEST_VALUE
  return (
    <span className={valueStyle[kind]}>
      <ExactText text={raw.slice(0, LONGEST_VALUE)} />
      {more > 0 && (
        <span className="font-sans text-subtle">… {more.toLocaleString('en')} more characters</span>
      )}
    </span>
  )
}

function ExtraRow({ extra: { note, depth, missing } }: { readonly extra: Extra }) {
  const isBad = note.tone === 'bad'
  const Icon = isBad ? CircleAlert : TriangleAlert
  return (
    <>
      <span
        style={{ width: indentWidth(depth) + (missing === null ? 0 : 16) }}
        className="shrink-0"
      />
      {missing !== null && (
        <span className="pr-3 text-subtle italic">
          <ExactText text={missing} />
        </span>
      )}
      <span className={`inline-flex items-center font-sans ${isBad ? 'text-bad' : 'text-warn'}`}>
        <Icon size={13} className="mr-1.5 shrink-0" />
        <span className="sr-only">{isBad ? 'Error: ' : 'Note: '}</span>
        <span>
          <FindingText finding={note} />
        </span>
      </span>
    </>
  )
}

function Badge({
  tone,
  title,
  children,
}: {
  readonly tone: 'warn' | 'accent'
  readonly title: string
  readonly children: string
}) {
  const style = tone === 'warn' ? 'bg-warn-wash text-warn' : 'bg-selected text-accent'
  return (
    <span
      title={title}
      className={`ml-2 rounded-small px-1.5 font-sans text-tiny leading-4 font-medium ${style}`}
    >
      {children}
    </span>
  )
}

/** Pixels by which each level is indented. */
const INDENT = 16

function indentWidth(depth: number): number {
  return Math.min(depth, DEEPEST_INDENT) * INDENT
}
