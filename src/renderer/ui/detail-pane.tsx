/** The pane beside a list: what the chosen thing holds. `F6` leads to it by its name. */
import type { ReactNode } from 'react'

export interface DetailPaneProps {
  readonly label: string
  /** Its name among the panes. */
  readonly pane: string
  readonly children: ReactNode
}

export function DetailPane({ label, pane, children }: DetailPaneProps) {
  return (
    <section aria-label={label} data-pane={pane} className="@container flex h-full min-w-0 flex-col bg-surface">
      {children}
    </section>
  )
}
