/** A body as formatted JSON, as sent, or as hex. Formatting happens in a worker and never changes characters. */
import { Check, X } from 'lucide-react'
import { useCallback, useEffect, useMemo, useState, type ReactNode } from 'react'
import { pathText } from '../../../shared/body/json-path.ts'
import { hexRow, hexRowCount } from '../../ui/hex-rows.ts'
import { indentOf, jsonPieces, type PieceKind } from '../../ui/json/row-tokens.ts'
import { LONGEST_ROW, rowAtPosition, type TextRows } from '../../ui/json/text-rows.ts'
import { LoadingRows } from '../../ui/message.tsx'
import { useWidth } from '../../ui/use-place.ts'
import type { BodyLayout } from './body-layout.ts'
import { CODE_ROW_HEIGHT, CodeRows, HighlightedText } from './code-rows.tsx'
import type { BodyText } from './decode-text.ts'
import type { Highlight } from './find-text.ts'
import { pathOf, type JsonTree } from './json-tree.ts'
import { useAboutBody, type BodySource } from './lay-out-in-worker.ts'

const pieceLook: Readonly<Record<PieceKind, string>> = {
  key: 'text-code-key',
  string: 'text-code-string',
  number: 'text-code-number',
  word: 'text-code-word',
  mark: 'text-subtle',
  plain: 'text-text',
}

/** Number of monospaced columns that fit into `width` pixels, without the margin. */
function columnsIn(width: number): number {
  const margin = 64 + 24 + 16
  const characterWidth = 7.2
  return Math.max(20, Math.floor((width - margin) / characterWidth))
}

/** The text of a body in rows: formatted if JSON, otherwise as sent. */
export function BodyRows({
  label,
  source,
  read,
  asSent,
  wrap,
  highlight = null,
  reveal = null,
  onLayout,
  marks,
  compact = false,
}: {
  readonly label: string
  readonly source: BodySource
  readonly read: BodyText
  /** Rows of the unchanged text, JSON or not. */
  readonly asSent: boolean
  readonly wrap: boolean
  readonly highlight?: Highlight | null
  /** Scrolls a position of the text into view; a new object each time. */
  readonly reveal?: { readonly at: number } | null
  /** Called once the rows are known. */
  readonly onLayout?: (layout: BodyLayout | 'too-long') => void
  /** Checked values by their position in the text: a mark beside the line says whether they are as expected. */
  readonly marks?: ReadonlyMap<number, boolean>
  /** For a narrow pane. */
  readonly compact?: boolean
}) {
  const { ref: frame, width } = useWidth()
  const usedColumns = wrap ? (width === null ? null : columnsIn(width)) : LONGEST_ROW
  const question = useMemo(
    () =>
      usedColumns === null ? null : ({ ask: 'layout', asSent, columns: usedColumns } as const),
    [asSent, usedColumns],
  )
  const layout = useAboutBody(source, question)

  useEffect(() => {
    if (layout !== 'reading') onLayout?.(layout)
  }, [layout, onLayout])

  return (
    <div ref={frame} className="h-full min-h-0">
      {layout === 'reading' && <LayingOut />}
      {layout === 'too-long' && <HexRows label={label} bytes={source.bytes} />}
      {typeof layout === 'object' && (
        <LaidOutRows
          label={label}
          text={read.text}
          layout={layout}
          highlight={highlight}
          reveal={reveal}
          marks={marks ?? noMarks}
          compact={compact}
        />
      )}
    </div>
  )
}

const lineWidths = ['w-8', 'w-1/2']

/** Placeholder while the worker prepares the body. */
export function LayingOut() {
  return (
    <LoadingRows
      label="Formatting the body"
      count={12}
      columns={lineWidths}
      row="h-5 items-center gap-4"
      className="px-4"
    />
  )
}

const askText = { ask: 'text' } as const
const askTree = { ask: 'tree' } as const

/** Bytes as text, formatted if JSON; as hex if binary. */
export function BodyBytes({
  label,
  bytes,
  cut,
  asSent = false,
  mostRows,
  checked,
}: {
  readonly label: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The bytes are incomplete. */
  readonly cut: boolean
  readonly asSent?: boolean
  /** For a pane that scrolls as a whole: as high as the content, up to this many rows. */
  readonly mostRows?: number
  /** Paths of checked values, and whether they are as expected. */
  readonly checked?: ReadonlyMap<string, boolean>
}) {
  const source = useMemo(() => ({ bytes, cut, charset: null }), [bytes, cut])
  const read = useAboutBody(source, askText)
  const answer = useAboutBody(source, checked === undefined || checked.size === 0 ? null : askTree)
  const [count, setCount] = useState<number | null>(null)
  const tree = typeof answer === 'object' ? answer.tree : null
  const marks = useMemo(
    () =>
      tree === null || typeof read !== 'object'
        ? noMarks
        : marksOf(read.text, tree, checked ?? new Map()),
    [tree, read, checked],
  )
  const onLayout = useCallback(
    (layout: BodyLayout | 'too-long') => setCount(layout === 'too-long' ? null : layout.rows.count),
    [],
  )
  const isHex = read === 'too-long' || (read !== 'reading' && read.binary)
  const rows = isHex || count === null ? hexRowCount(bytes.length) : count
  const content =
    read === 'reading' ? null : isHex ? (
      <HexRows label={label} bytes={bytes} />
    ) : (
      <BodyRows
        label={label}
        source={source}
        read={read}
        asSent={asSent}
        wrap={mostRows === undefined}
        marks={marks}
        compact={mostRows !== undefined}
        onLayout={onLayout}
      />
    )
  return mostRows === undefined ? (
    content
  ) : (
    <div style={{ height: Math.min(rows, mostRows) * CODE_ROW_HEIGHT + SCROLLBAR }}>{content}</div>
  )
}

/** Room for a scrollbar below the last row. */
const SCROLLBAR = 10

function marksOf(
  text: string,
  tree: JsonTree,
  checked: ReadonlyMap<string, boolean>,
): ReadonlyMap<number, boolean> {
  const marks = new Map<number, boolean>()
  for (let node = 0; node < tree.count && marks.size < checked.size; node++) {
    const passed = checked.get(pathText(pathOf(text, tree, node)))
    if (passed !== undefined) marks.set(tree.starts[node] ?? 0, passed)
  }
  return marks
}

export function HexRows({ label, bytes }: { readonly label: string; readonly bytes: Uint8Array }) {
  return (
    <CodeRows
      label={label}
      count={hexRowCount(bytes.length)}
      margin={(index) => hexRow(bytes, index).offset.slice(-6)}
      row={(index) => {
        const { hex, characters } = hexRow(bytes, index)
        return (
          <>
            {hex} <span className="border-l border-line pl-3 text-muted">{characters}</span>
          </>
        )
      }}
    />
  )
}

const noMarks: ReadonlyMap<number, boolean> = new Map()

function LaidOutRows({
  label,
  text,
  layout,
  highlight,
  reveal,
  marks,
  compact,
}: {
  readonly label: string
  readonly text: string
  readonly layout: BodyLayout
  readonly highlight: Highlight | null
  readonly reveal: { readonly at: number } | null
  readonly marks: ReadonlyMap<number, boolean>
  readonly compact: boolean
}) {
  const { rows } = layout
  const markOfRow = useMemo(
    () => new Map([...marks].map(([at, passed]) => [rowAtPosition(rows, at), passed])),
    [rows, marks],
  )
  const stopAt = layout.kind === 'text' ? (layout.notJson?.stop?.at ?? null) : null
  const stopRow = stopAt === null ? null : rowAtPosition(rows, stopAt)
  const revealed = useMemo(
    () => (reveal === null ? null : { index: rowAtPosition(rows, reveal.at) }),
    [rows, reveal],
  )
  return (
    <CodeRows
      label={label}
      count={rows.count}
      reveal={revealed}
      compact={compact}
      margin={(index) => {
        const passed = markOfRow.get(index)
        const line = rows.lines[index] === 0 ? '↪' : rows.lines[index]
        if (passed === undefined) return line
        const Mark = passed ? Check : X
        return (
          <>
            <Mark
              size={13}
              className={`float-left mt-1 ml-0.5 ${passed ? 'text-ok' : 'text-bad'}`}
            />
            {line}
          </>
        )
      }}
      row={(index) => {
        const [start, end] = [rows.starts[index] ?? 0, rows.ends[index] ?? 0]
        if (layout.kind === 'json')
          return <JsonRow text={text} rows={rows} index={index} highlight={highlight} />
        const piece = (from: number, to: number) => (
          <HighlightedText text={text.slice(from, to)} at={from} highlight={highlight} />
        )
        if (stopAt === null || index !== stopRow) return piece(start, end)
        const stopEnd = Math.min(
          end,
          stopAt + String.fromCodePoint(text.codePointAt(stopAt) ?? 0).length,
        )
        return (
          <>
            {piece(start, Math.min(end, stopAt))}
            <JsonStopMark>{stopAt < end && piece(stopAt, stopEnd)}</JsonStopMark>
            {stopEnd < end && piece(stopEnd, end)}
          </>
        )
      }}
    />
  )
}

/** The unexpected character; an upright line if a line or the text ends instead. */
function JsonStopMark({ children }: { readonly children: ReactNode }) {
  return (
    <mark
      title="Invalid JSON from here"
      className="rounded-small bg-bad-wash text-bad underline decoration-bad decoration-wavy underline-offset-3 empty:border-l-2 empty:border-bad"
    >
      {children}
    </mark>
  )
}

function JsonRow({
  text,
  rows,
  index,
  highlight,
}: {
  readonly text: string
  readonly rows: TextRows
  readonly index: number
  readonly highlight: Highlight | null
}): ReactNode {
  return (
    <>
      {'  '.repeat(indentOf(rows, index))}
      {jsonPieces(text, rows, index).map((piece, place) => (
        <span key={place} className={pieceLook[piece.kind]}>
          <HighlightedText text={piece.text} at={piece.at} highlight={highlight} />
        </span>
      ))}
    </>
  )
}
