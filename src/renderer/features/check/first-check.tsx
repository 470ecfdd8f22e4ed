/** Before the first check: what it is, the form, and what will be sent. */
import { checkGroups, type CheckCase } from '../../../shared/model/check.ts'
import { CheckForm } from './check-form.tsx'
import { groupsOf } from './case-entries.ts'

export function FirstCheck({ cases }: { readonly cases: readonly CheckCase[] }) {
  const groups = groupsOf(cases.map((one) => ({ one, result: null })))
  return (
    <div className="flex flex-wrap gap-x-16 gap-y-8 px-8 pt-8 pb-12">
      <div className="min-w-0 max-w-[640px] flex-1 basis-[440px]">
        <h2 className="text-title font-medium">Check your handler</h2>
        <p className="mt-1 mb-4 max-w-[560px] text-muted">
          Genuine, forged, late, duplicate and odd deliveries go to your endpoint. You see which of them it should have accepted
          or refused, why that matters, and how to mend it.
        </p>
        <CheckForm onCancel={null} />
      </div>
      <section aria-label="What is sent" className="w-[300px] shrink-0">
        <h2 className="mb-1.5 font-medium">{cases.length} cases</h2>
        <dl>
          {groups.map(([group, all]) => (
            <div key={group} className="flex justify-between gap-4 border-b border-line/50 py-1.5">
              <dt>{checkGroups[group]}</dt>
              <dd className="text-subtle tabular-nums">{all.length}</dd>
            </div>
          ))}
        </dl>
        <p className="mt-3 text-small text-subtle">
          Ids in genuine ones begin with <span className="data">c4ec0000</span>, so that what your handler books can be found. The
          same from the command line: <span className="data">countersign check</span>.
        </p>
      </section>
    </div>
  )
}
