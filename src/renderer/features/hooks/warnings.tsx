/** What is worth knowing of a hook, and does not keep it from being registered. */
import { TriangleAlert } from 'lucide-react'
import type { Finding } from '../../ui/call-problem.ts'
import { FindingText } from '../../ui/finding-text.tsx'

export function Warnings({ warnings }: { readonly warnings: readonly Finding[] }) {
  if (warnings.length === 0) return null
  // What is the matter with an address is the matter with every hook there: it is said once.
  const told = new Map(warnings.map((warning) => [warning.message, warning]))
  return (
    <section aria-label="Warnings" className="rounded-control border border-warn bg-warn-wash px-3 py-2">
      {[...told.values()].map((warning) => (
        <p key={warning.message} className="flex gap-2 wrap-anywhere">
          <TriangleAlert size={14} aria-hidden className="mt-[3px] shrink-0 text-warn" />
          <span className="min-w-0">
            <FindingText finding={warning} />
          </span>
        </p>
      ))}
    </section>
  )
}
