import {
  useEffect,
  useLayoutEffect,
  useRef,
  type ComponentProps,
  type FocusEvent,
  type ReactNode,
} from 'react'
import { classNames } from './class-names.ts'
import { type Rows, useRows } from './use-rows.ts'

/** Leaves the focus of a click to the list around the rows. */
function focusList({ target, currentTarget }: FocusEvent<HTMLElement>): void {
  if (target !== currentTarget && target.role !== 'row') return
  currentTarget.parentElement
    ?.closest<HTMLElement>('[tabindex="0"]')
    ?.focus({ preventScroll: true })
}

/**
 * Renders the element in which rows scroll; its children are the drawn rows. The grid around a
 * `rowgroup` has the focus: a browser would make an element that scrolls a tab stop.
 */
export function Scroller({
  rows,
  listRole = 'presentation',
  isWide = false,
  className,
  children,
  ...rest
}: Omit<ComponentProps<'div'>, 'ref'> & {
  readonly rows: Rows
  readonly listRole?: string
  /** Whether rows may be wider than the element, and then scroll sideways. */
  readonly isWide?: boolean
}) {
  const isInGrid = listRole === 'rowgroup'
  return (
    <div
      ref={rows.scroller}
      className={classNames(
        'overscroll-contain outline-offset-[-2px] [overflow-anchor:none]',
        isWide ? 'overflow-auto' : 'overflow-x-hidden overflow-y-auto [scrollbar-gutter:stable]',
        className,
      )}
      {...(isInGrid ? { role: listRole, tabIndex: -1, onFocus: focusList } : {})}
      {...rest}
    >
      <div role="presentation" className="relative" style={{ height: rows.height }}>
        <div
          role={isInGrid ? 'presentation' : listRole}
          className={`absolute left-0 ${isWide ? 'w-max min-w-full' : 'w-full'}`}
          style={{ top: rows.start }}
        >
          {children}
        </div>
      </div>
    </div>
  )
}

/** Shows lines of text, of which only the visible ones are drawn. */
export function LineList({
  label,
  count,
  rowHeight,
  reveal = null,
  line,
  ...rest
}: {
  readonly label: string
  readonly count: number
  readonly rowHeight: number
  readonly listRole?: string
  readonly isWide?: boolean
  /** Lines to scroll into view, in this order; a new array each time. */
  readonly reveal?: readonly number[] | null
  readonly line: (index: number) => ReactNode
}) {
  const rows = useRows({ count, rowHeight, overscan: 12 })
  const show = useRef(rows.show)
  useLayoutEffect(() => {
    show.current = rows.show
  })
  useEffect(() => {
    for (const index of reveal ?? []) show.current(index)
  }, [reveal])
  return (
    <Scroller
      rows={rows}
      role="group"
      aria-label={label}
      tabIndex={0}
      className="data h-full select-text"
      {...rest}
    >
      {rows.drawn.map(line)}
    </Scroller>
  )
}
