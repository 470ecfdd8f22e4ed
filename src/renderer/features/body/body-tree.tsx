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
import { Scroller, useRows } from '../../ui/list.tsx'
import { CODE_ROW_HEIGHT } from './body-view.tsx'
import { isContainer, nodeAt, pathOf, type JsonTree, nodeKinds } from './json-tree.ts'
import {
  openAtFirst,
  treeRows,
  withAncestorsOpen,
  withOpen,
  type Annotations,
  INDENT,
  type Extra,
} from './json-tree.ts'
import { meaningOf, type Meaning } from './value-meaning.ts'
import { ChevronRight, CircleAlert, TriangleAlert } from 'lucide-react'
import { ExactText } from '../../ui/exact-text.tsx'
import { FindingText } from '../../ui/finding-text.tsx'
import { DEEPEST_INDENT } from '../../../shared/json/format.ts'

interface TreeState {
  readonly open: Uint8Array
  readonly rows: Int32Array
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
      const extra = annotations.extras.findIndex(({ note }) => note.path === path)
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
  onKey,
}: {
  readonly text: string
  readonly tree: JsonTree
  readonly state: TreeState
  readonly annotations: Annotations
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
      move(press, tree, state, Math.max(1, Math.floor(viewport / CODE_ROW_HEIGHT) - 1))
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
        const node = rows[rowUnder(target) ?? -1] ?? -1
        if (node >= 0) state.fold(node, state.open[node] !== 1)
      }}
      className="group data h-full select-text"
    >
      {view.drawn.map((index) => {
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
              onFold={onFold}
            />
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

// One row of the tree: a value with its name and meaning, or a schema finding below it.

/** Characters of a value shown in a row; the strip below shows more of the selected one. */
const LONGEST_VALUE = 300

const valueStyle: Readonly<Record<number, string>> = {
  [nodeKinds.string]: 'text-code-string',
  [nodeKinds.number]: 'text-code-number',
  [nodeKinds.word]: 'text-code-word',
}

interface NodeRowProps {
  readonly text: string
  readonly tree: JsonTree
  readonly node: number
  readonly open: boolean
  readonly isNew: boolean
  readonly event: string | null
  readonly meaning: Meaning | null
  readonly onFold: () => void
}

function NodeRow({ text, tree, node, open, isNew, event, meaning, onFold }: NodeRowProps) {
  const keyStart = tree.keyStarts[node] ?? -1
  const depth = tree.depths[node] ?? 0
  const foldable = isContainer(tree, node) && (tree.sizes[node] ?? 0) > 0
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
      {keyStart === -1 ? (
        depth > 0 && <span className="text-subtle">{tree.places[node]}: </span>
      ) : (
        <>
          <span className="text-code-key">
            <ExactText
              text={text.slice(
                keyStart,
                Math.min(tree.keyEnds[node] ?? 0, keyStart + LONGEST_VALUE),
              )}
            />
          </span>
          <span className="text-subtle">: </span>
        </>
      )}
      <Value text={text} tree={tree} node={node} />
      {tree.repeated[node] === 1 && (
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

function Value({ text, tree, node }: Pick<NodeRowProps, 'text' | 'tree' | 'node'>) {
  const kind = tree.kinds[node] ?? nodeKinds.word
  if (kind === nodeKinds.object || kind === nodeKinds.array) {
    const size = tree.sizes[node] ?? 0
    const [start, end] = kind === nodeKinds.object ? ['{', '}'] : ['[', ']']
    return (
      <span className="text-subtle">
        {start}
        {size > 0 && (
          <span className="px-1 font-sans text-tiny tabular-nums">
            {countOf(size, kind === nodeKinds.object)}
          </span>
        )}
        {end}
      </span>
    )
  }
  const start = tree.starts[node] ?? 0
  const end = tree.ends[node] ?? start
  const shownEnd = Math.min(end, start + LONGEST_VALUE)
  return (
    <span className={valueStyle[kind]}>
      <ExactText text={text.slice(start, shownEnd)} />
      {shownEnd < end && (
        <span className="font-sans text-subtle">
          … {(end - shownEnd).toLocaleString('en')} more characters
        </span>
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

function indentWidth(depth: number): number {
  return Math.min(depth, DEEPEST_INDENT) * INDENT
}

function countOf(size: number, isObject: boolean): string {
  const what = isObject ? 'field' : 'item'
  return `${size.toLocaleString('en')} ${what}${size === 1 ? '' : 's'}`
}
