/** Before the first check: what it is, the form, and what will be sent. */
import type { CheckCase } from '../../../shared/model/check.ts'
import { CheckForm } from './check-form.tsx'

export function FirstCheck({ cases }: { readonly cases: readonly CheckCase[] }) {
  return (
    <div className="px-8 pt-8 pb-12">
      <h2 className="text-title font-medium">Check your handler</h2>
      <p className="mt-1 mb-4 max-w-[560px] text-muted">
        Genuine, forged, late, duplicate and odd deliveries go to your endpoint. You see which of them it should have accepted or
        refused, why that matters, and how to mend it.
      </p>
      <CheckForm cases={cases} onCancel={null} />
    </div>
  )
}
