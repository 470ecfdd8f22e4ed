/** Lines of code or bytes: numbered, one fixed height, drawn only where they are in view. */
import { useEffect, useRef, type ReactNode } from 'react'
import { RowScroller } from '../../ui/row-scroller.tsx'
import { useRowWindow } from '../../ui/use-row-window.ts'

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
            <div key={first + from} className="flex h-5 leading-5 whitespace-pre" data-row={first + from}>
              <span className="sticky left-0 w-16 shrink-0 bg-surface pr-3 text-right text-subtle select-none" aria-hidden>
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
