/** A body as formatted JSON, as the text sent, or in hexadecimal. Laying out happens in a worker; what is drawn is what was sent. */
import { useEffect, useState, type ReactNode } from 'react'
import { ExactText } from '../../../ui/exact-text.tsx'
import type { BodyLayout } from '../body/body-layout.ts'
import { hexRow, hexRowCount } from '../body/hex-rows.ts'
import { layOutInWorker } from '../body/lay-out-in-worker.ts'
import { indentOf, jsonPieces, type PieceKind } from '../body/row-tokens.ts'
import { LONGEST_ROW, type TextRows } from '../body/text-rows.ts'
import type { BodyView as View } from '../detail-slice.ts'
import { CodeRows } from './code-rows.tsx'

const pieceLook: Readonly<Record<PieceKind, string>> = {
  key: 'text-code-key',
  string: 'text-code-string',
  number: 'text-code-number',
  word: 'text-code-word',
  mark: 'text-subtle',
  plain: 'text-text',
}

export interface BodyViewProps {
  readonly label: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The bytes are the beginning of more. */
  readonly cut: boolean
  readonly view: View
  readonly wrap: boolean
  /** Told once the layout is known, for the notes above. */
  readonly onLayout?: (layout: BodyLayout | 'too-long') => void
}

/** Columns of the monospaced face that fit into `width` pixels, the margin taken off. */
function columnsIn(width: number): number {
  const margin = 56 + 24 + 16
  const characterWidth = 7.2
  return Math.max(20, Math.floor((width - margin) / characterWidth))
}

export function BodyView({ label, bytes, cut, view, wrap, onLayout }: BodyViewProps) {
  const [frame, setFrame] = useState<HTMLDivElement | null>(null)
  const [columns, setColumns] = useState<number | null>(null)
  const [layout, setLayout] = useState<BodyLayout | 'too-long' | null>(null)
  const usedColumns = wrap ? columns : LONGEST_ROW

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
    if (view === 'hex' || usedColumns === null) return
    let wanted = true
    void layOutInWorker({ bytes, cut, asSent: view === 'text', columns: usedColumns }).then((answer) => {
      if (!wanted) return
      setLayout(answer ?? 'too-long')
      onLayout?.(answer ?? 'too-long')
    })
    return () => {
      wanted = false
    }
  }, [bytes, cut, view, usedColumns, onLayout])

  return (
    <div ref={setFrame} className="h-full min-h-0">
      {view === 'hex' || layout === 'too-long' || layout?.kind === 'binary' ? (
        <HexRows label={label} bytes={bytes} />
      ) : (
        layout !== null && <TextRowsView label={label} layout={layout} />
      )}
    </div>
  )
}

function HexRows({ label, bytes }: { readonly label: string; readonly bytes: Uint8Array }) {
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

function TextRowsView({ label, layout }: { readonly label: string; readonly layout: Exclude<BodyLayout, { kind: 'binary' }> }) {
  const { text, rows } = layout
  return (
    <CodeRows
      label={label}
      count={rows.count}
      margin={(index) => (continues(rows, index) ? '↪' : String(index + 1))}
      row={(index) =>
        layout.kind === 'json' ? (
          <JsonRow text={text} rows={rows} index={index} />
        ) : (
          <ExactText text={text.slice(rows.starts[index], rows.ends[index])} />
        )
      }
    />
  )
}

/** Whether a row goes on with the one above it: it begins where that ends. */
function continues(rows: TextRows, index: number): boolean {
  return index > 0 && rows.states[index] !== 0 && rows.starts[index] === rows.ends[index - 1]
}

function JsonRow({ text, rows, index }: { readonly text: string; readonly rows: TextRows; readonly index: number }): ReactNode {
  return (
    <>
      {'  '.repeat(indentOf(rows, index))}
      {jsonPieces(text, rows, index).map((piece, place) => (
        <span key={place} className={pieceLook[piece.kind]}>
          <ExactText text={piece.text} />
        </span>
      ))}
    </>
  )
}
