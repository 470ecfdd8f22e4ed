/** Warnings about a hook, before and after it is registered. */
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Finding } from '../../ui/call-problem.ts'
import { FindingText } from '../../ui/finding-text.tsx'
import { DoneFoot } from '../../ui/form-foot.tsx'

/** Warnings that don't prevent an action. */
export function Warnings({ warnings }: { readonly warnings: readonly Finding[] }) {
  if (warnings.length === 0) return null
  // A warning about a base URL applies to every hook under it, so show it only once.
  const different = new Map(warnings.map((warning) => [warning.message, warning]))
  return (
    <section
      aria-label="Warnings"
      className="rounded-control border border-warn bg-warn-wash px-3 py-2"
    >
      {[...different.values()].map((warning) => (
        <p key={warning.message} className="flex gap-2 wrap-anywhere">
          <TriangleAlert size={14} className="mt-[3px] shrink-0 text-warn" />
          <span className="min-w-0">
            <FindingText finding={warning} />
          </span>
        </p>
      ))}
    </section>
  )
}

/**
 * Shows the result of a form that succeeded with warnings. `children`: the completed action, as a
 * sentence.
 */
export function SavedWithWarnings({
  children,
  warnings,
  onDone,
}: {
  readonly children: ReactNode
  readonly warnings: readonly Finding[]
  readonly onDone: () => void
}) {
  return (
    <div className="flex flex-col gap-3.5">
      <p role="status">{children} Please note:</p>
      <Warnings warnings={warnings} />
      <DoneFoot onDone={onDone} />
    </div>
  )
}
