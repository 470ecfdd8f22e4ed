/** The end of a form whose call went well, but told something worth knowing. */
import type { ReactNode } from 'react'
import type { Finding } from '../../ui/call-problem.ts'
import { DoneFoot } from '../../ui/form-foot.tsx'
import { Warnings } from './warnings.tsx'

export interface WorthKnowingProps {
  /** What was done, as a sentence. */
  readonly children: ReactNode
  readonly warnings: readonly Finding[]
  readonly onDone: () => void
}

export function WorthKnowing({ children, warnings, onDone }: WorthKnowingProps) {
  return (
    <div className="flex flex-col gap-3.5">
      <p role="status">{children} Worth knowing:</p>
      <Warnings warnings={warnings} />
      <DoneFoot onDone={onDone} />
    </div>
  )
}
