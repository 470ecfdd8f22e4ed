/** A named choice with a note under it. The control carries the name for those who do not see it. */
import type { ReactNode } from 'react'

export interface ChoiceProps {
  readonly name: string
  readonly note: string
  readonly children: ReactNode
}

export function Choice({ name, note, children }: ChoiceProps) {
  return (
    <div className="flex flex-col items-start gap-1">
      <p className="text-small font-medium text-muted" aria-hidden>
        {name}
      </p>
      {children}
      <p className="text-small text-subtle">{note}</p>
    </div>
  )
}
