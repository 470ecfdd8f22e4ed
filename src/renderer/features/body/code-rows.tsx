/** Numbered lines of code or bytes with a fixed height, drawn only while visible, with search hits highlighted. */
import { useEffect, useRef, type ReactNode } from 'react'
import { ExactText } from '../../ui/exact-text.tsx'
import { RowScroller, useRowWindow } from '../../ui/use-row-window.tsx'
import { highlighted, type Highlight } from './find-text.ts'

export const CODE_ROW_HEIGHT = 20

export interface CodeRowsProps {
  readonly label: string
  readonly count: number
  /** The text in the margin of a row. */
  readonly margin: (index: number) => ReactNode
  readonly row: (index: number) => ReactNode
  /** Scrolls a row into view; a new object each time. */
  readonly reveal?: { readonly index: number } | null
  /** A narrow margin. */
  readonly compact?: boolean
}

export function CodeRows({
  label,
  count,
  margin,
  row,
  reveal = null,
  compact = false,
}: CodeRowsProps) {
  const view = useRowWindow({ count, rowHeight: CODE_ROW_HEIGHT, overscan: 12 })
  const { first, end } = view.rows
  const revealed = useRef<CodeRowsProps['reveal']>(null)
  useEffect(() => {
    if (reveal === revealed.current || reveal === null) return
    revealed.current = reveal
    view.show(reveal.index)
  }, [reveal, view])
  return (
    <RowScroller label={label} view={view} wide>
      {(place) => (
        <div style={place}>
          {Array.from({ length: end - first }, (_, from) => (
            <div
              key={first + from}
              className="flex h-5 leading-5 whitespace-pre"
              data-row={first + from}
            >
              <span
                className={`sticky left-0 shrink-0 bg-surface pr-3 text-right text-subtle select-none ${compact ? 'w-12' : 'w-16'}`}
                aria-hidden
              >
                {margin(first + from)}
              </span>
              <span className="pr-6">{row(first + from)}</span>
            </div>
          ))}
        </div>
      )}
    </RowScroller>
  )
}

/** A piece of a body with search hits marked and invisible characters drawn as escapes. */
export function HighlightedText({
  text,
  at,
  highlight,
}: {
  readonly text: string
  /** Its position in the whole text. */
  readonly at: number
  readonly highlight: Highlight | null
}) {
  const parts = highlighted(text, at, highlight)
  if (parts.length === 1 && parts[0]?.look === 'plain') return <ExactText text={text} />
  return parts.map((part, index) =>
    part.look === 'plain' ? (
      <ExactText key={index} text={part.text} />
    ) : (
      <mark
        key={index}
        className={
          part.look === 'current'
            ? 'rounded-small bg-accent-solid text-on-accent'
            : 'rounded-small bg-control text-text outline outline-edge'
        }
      >
        <ExactText text={part.text} />
      </mark>
    ),
  )
}
