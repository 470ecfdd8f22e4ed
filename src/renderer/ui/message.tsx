/** What stands where there is nothing to show: why, and what to do. */
import type { ReactNode } from 'react'

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
