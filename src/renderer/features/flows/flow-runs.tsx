/** Which run of the flow is looked at, and with which other one it is compared. */
import type { FlowPlan, FlowRun, FlowRunSummary } from '../../../shared/model/flow-run.ts'
import { useParts } from '../../state/use-app.ts'
import { calendarDay, clockTime } from '../../ui/moment.ts'
import { wordOfRun } from './flow-look.tsx'
import { isRunOf } from './run-origin.ts'

export function wordsOfRun(run: FlowRunSummary): string {
  return `${wordOfRun(run)} · ${calendarDay(run.startedAt)}, ${clockTime(run.startedAt)}${run.handler === null ? '' : ' · with a handler'}`
}

const look = 'h-7 min-w-0 truncate rounded-control border border-line bg-ground px-2 text-small text-muted hover:border-edge'

export function FlowRuns({ plan, run }: { readonly plan: FlowPlan; readonly run: FlowRun | null }) {
  const { runs, comparison, showRun, compareRun } = useParts('flows', 'runs', 'comparison', 'showRun', 'compareRun')
  const mine = (runs ?? []).filter((each) => isRunOf(plan, each))
  if (mine.length === 0) return null
  const others = mine.filter(({ id }) => id !== run?.id)
  const compared = comparison === null ? '' : comparison.before.id === run?.id ? comparison.after.id : comparison.before.id
  return (
    <div className="flex min-w-0 flex-[1_1_0px] gap-2">
      <select
        aria-label="Run"
        value={run?.id ?? ''}
        onChange={(event) => void showRun(event.currentTarget.value === '' ? null : event.currentTarget.value)}
        className={look}
      >
        <option value="">The plan</option>
        {mine.map((each) => (
          <option key={each.id} value={each.id}>
            {wordsOfRun(each)}
          </option>
        ))}
      </select>
      {run !== null && others.length > 0 && (
        <select
          aria-label="Compare with"
          value={compared}
          onChange={(event) => void compareRun(event.currentTarget.value === '' ? null : event.currentTarget.value)}
          className={`${look} w-36 shrink-0`}
        >
          <option value="">Compare with…</option>
          {others.map((each) => (
            <option key={each.id} value={each.id}>
              {wordsOfRun(each)}
            </option>
          ))}
        </select>
      )}
    </div>
  )
}
