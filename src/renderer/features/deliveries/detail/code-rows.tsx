/** Lines of code or bytes: numbered, one fixed height, drawn only where they are in view. */
import { useEffect, useRef, type ReactNode } from 'react'
import { useRowWindow } from '../../../ui/use-row-window.ts'

export const CODE_ROW_HEIGHT = 20

export interface CodeRowsProps {
  readonly label: string
  readonly count: number
  /** What stands in the margin of a row. */
  readonly margin: (index: number) => ReactNode
  readonly row: (index: number) => ReactNode
  /** Brings a row into view; a new object each time. */
  readonly reveal?: { readonly index: number } | null
}

export function CodeRows({ label, count, margin, row, reveal = null }: CodeRowsProps) {
  const view = useRowWindow({ count, rowHeight: CODE_ROW_HEIGHT, overscan: 12 })
  const { first, end, offset } = view.rows
  const revealed = useRef<CodeRowsProps['reveal']>(null)
  useEffect(() => {
    if (reveal === revealed.current || reveal === null) return
    revealed.current = reveal
    view.show(reveal.index)
  }, [reveal, view])
  return (
    <div
      ref={view.scroller}
      role="group"
      aria-label={label}
      tabIndex={0}
      onScroll={view.onScroll}
      className="data h-full overflow-auto outline-offset-[-2px] [overflow-anchor:none] select-text"
    >
      <div className="sticky top-0 h-0 w-max min-w-full">
        <div style={{ transform: `translateY(${offset}px)` }}>
          {Array.from({ length: end - first }, (_, place) => (
            <div key={first + place} className="flex h-5 leading-5 whitespace-pre" data-row={first + place}>
              <span className="sticky left-0 w-16 shrink-0 bg-surface pr-3 text-right text-subtle select-none" aria-hidden>
                {margin(first + place)}
              </span>
              <span className="pr-6">{row(first + place)}</span>
            </div>
          ))}
        </div>
      </div>
      <div style={{ height: view.shape.scrollHeight }} />
    </div>
  )
}
