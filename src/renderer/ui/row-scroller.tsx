/** The element that a window of rows scrolls in: the rows drawn stand where the position puts them, what is below them gives the bar its length. */
import type { ReactNode } from 'react'
import type { RowWindow } from './use-row-window.ts'

export interface RowScrollerProps {
  readonly label: string
  readonly view: RowWindow
  /** Rows may be wider than the element, and are scrolled sideways then. */
  readonly wide?: boolean
  /** The rows drawn, given what puts them in their place. */
  readonly children: (place: { readonly transform: string }) => ReactNode
}

export function RowScroller({ label, view, wide = false, children }: RowScrollerProps) {
  return (
    <div
      ref={view.scroller}
      role="group"
      aria-label={label}
      tabIndex={0}
      onScroll={view.onScroll}
      className={`data h-full ${wide ? 'overflow-auto' : 'overflow-x-hidden overflow-y-auto'} outline-offset-[-2px] [overflow-anchor:none] select-text`}
    >
      <div className={`sticky top-0 h-0 ${wide ? 'w-max min-w-full' : ''}`}>
        {children({ transform: `translateY(${view.rows.offset}px)` })}
      </div>
      <div style={{ height: view.shape.scrollHeight }} />
    </div>
  )
}
