/** In place of content: nothing to show yet, not loaded, or loading. */
import type { ReactNode } from 'react'
import { Button } from './button.tsx'

export interface MessageProps {
  readonly title: string
  readonly children: ReactNode
  readonly action?: ReactNode
}

export function Message({ title, children, action }: MessageProps) {
  return (
    <div>
      <h2 className="text-title font-medium">{title}</h2>
      <p className="mt-1 max-w-[560px] wrap-anywhere text-muted">{children}</p>
      {action !== undefined && <div className="mt-3 flex flex-wrap gap-2">{action}</div>}
    </div>
  )
}

interface NotReadProps {
  /** What could not be read, as a title. */
  readonly title: string
  readonly problem: string
  readonly onAgain: () => void
}

/** In place of a screen whose state could not be read at all: why, and another try. */
export function NotRead({ title, problem, onAgain }: NotReadProps) {
  return (
    <div role="alert">
      <Message
        title={title}
        action={
          <Button kind="primary" onClick={onAgain}>
            Try again
          </Button>
        }
      >
        {problem}
      </Message>
    </div>
  )
}

/** Grey rows in the place of a list that is being read: columns and height of what will stand there, fading out, and nothing for the first 150 ms. */
interface LoadingRowsProps {
  /** What is being read, for who cannot see the rows. */
  readonly label: string
  readonly count: number
  /** Width of each mark in a row, as a class. */
  readonly columns: readonly string[]
  /** How a row lays its marks out. */
  readonly row?: string
  readonly className?: string
}

export function LoadingRows({
  label,
  count,
  columns,
  row = 'h-9 items-center gap-8',
  className = 'px-4 pt-14',
}: LoadingRowsProps) {
  return (
    <div className={`late min-h-0 flex-1 overflow-hidden ${className}`} role="status" aria-label={label}>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className={`flex border-b border-line/50 ${row}`} style={{ opacity: 1 - index / count }}>
          {columns.map((width) => (
            <span key={width} className={`skeleton h-2.5 ${width}`} />
          ))}
        </div>
      ))}
    </div>
  )
}
