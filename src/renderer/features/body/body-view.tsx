/** A body as formatted JSON, as sent, or as hex. Formatting happens in a worker and never changes characters. */
import { useEffect, useMemo, useState, type ReactNode } from 'react'
import { hexRow, hexRowCount } from '../../ui/hex-rows.ts'
import { indentOf, jsonPieces, type PieceKind } from '../../ui/json/row-tokens.ts'
import { LONGEST_ROW, rowAtPosition, type TextRows } from '../../ui/json/text-rows.ts'
import { LoadingRows } from '../../ui/message.tsx'
import type { BodyLayout } from './body-layout.ts'
import { CodeRows, HighlightedText } from './code-rows.tsx'
import type { BodyText } from './decode-text.ts'
import type { Highlight } from './find-text.ts'
import { useAboutBody, type BodySource } from './lay-out-in-worker.ts'

const pieceLook: Readonly<Record<PieceKind, string>> = {
  key: 'text-code-key',
  string: 'text-code-string',
  number: 'text-code-number',
  word: 'text-code-word',
  mark: 'text-subtle',
  plain: 'text-text',
}

export interface BodyRowsProps {
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
}

/** Number of monospaced columns that fit into `width` pixels, without the margin. */
function columnsIn(width: number): number {
  const margin = 64 + 24 + 16
  const characterWidth = 7.2
  return Math.max(20, Math.floor((width - margin) / characterWidth))
}

/** The text of a body in rows: formatted if JSON, otherwise as sent. */
export function BodyRows({ label, source, read, asSent, wrap, highlight = null, reveal = null, onLayout }: BodyRowsProps) {
  const [frame, setFrame] = useState<HTMLDivElement | null>(null)
  const [columns, setColumns] = useState<number | null>(null)
  const usedColumns = wrap ? columns : LONGEST_ROW
  const question = useMemo(
    () => (usedColumns === null ? null : ({ ask: 'layout', asSent, columns: usedColumns } as const)),
    [asSent, usedColumns],
  )
  const layout = useAboutBody(source, question)

  useEffect(() => {
    if (frame === null) return
    const observer = new ResizeObserver(() => {
      setColumns(columnsIn(frame.clientWidth))
    })
    observer.observe(frame)
    return () => {
      observer.disconnect()
    }
  }, [frame])

  useEffect(() => {
    if (layout !== 'reading') onLayout?.(layout)
  }, [layout, onLayout])

  return (
    <div ref={setFrame} className="h-full min-h-0">
      {layout === 'reading' && <LayingOut />}
      {layout === 'too-long' && <HexRows label={label} bytes={source.bytes} />}
      {typeof layout === 'object' && (
        <LaidOutRows label={label} text={read.text} layout={layout} highlight={highlight} reveal={reveal} />
      )}
    </div>
  )
}

const lineWidths = ['w-8', 'w-1/2']

/** Placeholder while the worker prepares the body. */
export function LayingOut() {
  return <LoadingRows label="Formatting the body" count={12} columns={lineWidths} row="h-5 items-center gap-4" className="px-4" />
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

interface LaidOutRowsProps {
  readonly label: string
  readonly text: string
  readonly layout: BodyLayout
  readonly highlight: Highlight | null
  readonly reveal: { readonly at: number } | null
}

function LaidOutRows({ label, text, layout, highlight, reveal }: LaidOutRowsProps) {
  const { rows } = layout
  const stopAt = layout.kind === 'text' ? (layout.notJson?.stop?.at ?? null) : null
  const stopRow = stopAt === null ? null : rowAtPosition(rows, stopAt)
  const revealed = useMemo(() => (reveal === null ? null : { index: rowAtPosition(rows, reveal.at) }), [rows, reveal])
  return (
    <CodeRows
      label={label}
      count={rows.count}
      reveal={revealed}
      margin={(index) => (rows.lines[index] === 0 ? '↪' : rows.lines[index])}
      row={(index) => {
        const [start, end] = [rows.starts[index] ?? 0, rows.ends[index] ?? 0]
        if (layout.kind === 'json') return <JsonRow text={text} rows={rows} index={index} highlight={highlight} />
        const piece = (from: number, to: number) => (
          <HighlightedText text={text.slice(from, to)} at={from} highlight={highlight} />
        )
        if (stopAt === null || index !== stopRow) return piece(start, end)
        const stopEnd = Math.min(end, stopAt + String.fromCodePoint(text.codePointAt(stopAt) ?? 0).length)
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

interface JsonRowProps {
  readonly text: string
  readonly rows: TextRows
  readonly index: number
  readonly highlight: Highlight | null
}

function JsonRow({ text, rows, index, highlight }: JsonRowProps): ReactNode {
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
