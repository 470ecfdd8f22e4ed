/** Selects the run of a flow to show. */
import type { FlowPlan, FlowRun, FlowRunSummary } from '../../../shared/model/flow.ts'
import { labelOf, lookOfRun } from '../../../shared/model/outcomes.ts'
import { useParts } from '../../state/use-app.ts'
import { calendarDay, clockTime } from '../../ui/moment.ts'
import { useNarrow } from '../../ui/split-panes.tsx'
import { isRunOf } from './flow-table.ts'

export function wordsOfRun(run: FlowRunSummary): string {
  return `${labelOf(lookOfRun(run))} · ${calendarDay(run.startedAt)}, ${clockTime(run.startedAt)}${run.handler === null ? '' : run.handlerName === null ? ' · with a handler' : ` · @${run.handlerName}`}`
}

/** `Failed · 16:00`: what fits in a narrow window. */
function shortWordsOfRun(run: FlowRunSummary): string {
  return `${labelOf(lookOfRun(run))} · ${clockTime(run.startedAt).slice(0, 5)}`
}

const SHORT_BELOW = 1000

export function FlowRuns({ plan, run }: { readonly plan: FlowPlan; readonly run: FlowRun | null }) {
  const { runs, showRun } = useParts('flows', 'runs', 'showRun')
  const isShort = useNarrow(SHORT_BELOW)
  const mine = (runs ?? []).filter((each) => isRunOf(plan, each))
  if (mine.length === 0) return null
  const set = Object.entries(run?.set ?? {})
  return (
    <div className="flex min-w-0 flex-[1_1_0px] items-center gap-2 max-[1000px]:flex-[1_1_360px]">
      <select
        aria-label="Run"
        value={run?.id ?? ''}
        onChange={(event) =>
          void showRun(event.currentTarget.value === '' ? null : event.currentTarget.value)
        }
        className="h-7 min-w-0 truncate rounded-control border border-line bg-ground px-2 text-small text-muted hover:border-edge"
      >
        <option value="">Plan</option>
        {mine.map((each) => (
          <option key={each.id} value={each.id}>
            {isShort && each.id === run?.id ? shortWordsOfRun(each) : wordsOfRun(each)}
          </option>
        ))}
      </select>
      {set.length > 0 && (
        <span
          aria-label="Inputs of this run"
          className="data min-w-0 truncate text-small text-muted"
        >
          {set.map(([path, value]) => `${path} ${value.replaceAll('"', '')}`).join(' · ')}
        </span>
      )}
    </div>
  )
}
