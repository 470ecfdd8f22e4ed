/** The two clocks of a run beside one another: how far the business is, and how long that took. */
import { momentWords, timeWords } from '../../../shared/flow-diagram/words.ts'
import type { FlowRun } from '../../../shared/model/flow-run.ts'

export function FlowClock({ run }: { readonly run: FlowRun }) {
  const { clock, startedAt, businessStartedAt, endedAt } = run
  if (clock === null) return null
  const since = (from: string, to: string) => timeWords(Math.max(0, Date.parse(to) - Date.parse(from)))
  return (
    <dl aria-label="Clocks of the run" className="flex shrink-0 items-baseline gap-4 text-small">
      <div className="flex items-baseline gap-1.5">
        <dt className="text-subtle">Business</dt>
        <dd className="data">
          {momentWords(clock.businessAt)} <span className="text-muted">+{since(businessStartedAt, clock.businessAt)}</span>
        </dd>
      </div>
      <div className="flex items-baseline gap-1.5">
        <dt className="text-subtle">Real</dt>
        <dd className="data text-muted">+{since(startedAt, endedAt ?? clock.at)}</dd>
      </div>
    </dl>
  )
}
