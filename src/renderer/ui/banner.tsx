/** A line across a pane with a problem and what to do about it. Not for good news. */
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export function Banner({
  tone,
  icon,
  title,
  children,
  action,
}: {
  readonly tone: 'bad' | 'warn'
  readonly icon?: ReactNode
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
        {icon ?? <TriangleAlert size={15} aria-hidden />}
      </span>
      <p className="min-w-0 flex-1">
        <span className="font-medium">{title}</span> <span className="text-muted">{children}</span>
      </p>
      {action}
    </div>
  )
}
