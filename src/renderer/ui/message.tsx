/** Placeholders for content that is empty, failed or loading, and a banner with a problem. */
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { QuotedText } from './finding-text.tsx'
import { CircleX, TriangleAlert, type LucideIcon } from 'lucide-react'
import { classNames } from './class-names.ts'

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

/**
 * Replaces a screen, pane or part whose data couldn't be loaded: what happened, why, and a retry.
 */
export function LoadProblem({
  title,
  problem,
  onAgain,
  isPart = false,
}: {
  readonly title: string
  readonly problem: string
  readonly onAgain: () => void
  /** Whether it replaces a part of a pane, which has its own margins. */
  readonly isPart?: boolean
}) {
  return (
    <div role="alert" className={classNames('flex gap-3', !isPart && 'px-8 pt-12')}>
      <CircleX size={20} className="shrink-0 text-bad" />
      <Message
        title={title}
        action={
          <Button kind="primary" onClick={onAgain}>
            Try again
          </Button>
        }
      >
        <QuotedText text={problem} />
      </Message>
    </div>
  )
}

interface LoadingRowsProps {
  readonly label: string
  readonly count: number
  /** Width of each mark in a row, as a class. */
  readonly columns: readonly string[]
  /** Layout of the marks in a row, as classes. */
  readonly row?: string
  readonly className?: string
}

/** Shows gray rows in place of a loading list, fading out; hidden for the first 150 ms. */
export function LoadingRows({
  label,
  count,
  columns,
  row = 'h-9 items-center gap-8',
  className = 'px-4 pt-14',
}: LoadingRowsProps) {
  return (
    <div
      className={`late min-h-0 flex-1 overflow-hidden ${className}`}
      role="status"
      aria-label={label}
    >
      {Array.from({ length: count }, (_, index) => (
        <div
          key={index}
          className={`flex border-b border-line/50 ${row}`}
          style={{ opacity: 1 - index / count }}
        >
          {columns.map((width) => (
            <span key={width} className={`skeleton h-2.5 ${width}`} />
          ))}
        </div>
      ))}
    </div>
  )
}

/** Shows a problem in a line across a pane, with a remedy; not for good news. */
export function Banner({
  tone,
  icon: Icon = TriangleAlert,
  title,
  children,
  action,
}: {
  readonly tone: 'bad' | 'warn'
  readonly icon?: LucideIcon
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <div
      role="status"
      className={classNames(
        'flex min-h-10 shrink-0 items-center gap-3 border-b border-line px-4 py-1.5',
        tone === 'bad' ? 'bg-bad-wash' : 'bg-warn-wash',
      )}
    >
      <span className={tone === 'bad' ? 'text-bad' : 'text-warn'}>
        <Icon size={15} />
      </span>
      <p className="min-w-0 flex-1">
        <span className="font-medium">{title}</span> <span className="text-muted">{children}</span>
      </p>
      {action}
    </div>
  )
}
