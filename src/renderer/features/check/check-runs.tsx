/** Which run is looked at: the present one, or an earlier one. */
import type { CheckRun, CheckSummary } from '../../../shared/model/check.ts'
import { useParts } from '../../state/use-app.ts'
import { calendarDay, clockTime } from '../../ui/moment.ts'
import { visibleText } from '../../ui/visible-text.ts'

function words({ createdAt, target, state, passed, failed, score }: CheckSummary): string {
  const outcome =
    state === 'running'
      ? 'running'
      : failed > 0
        ? `${failed} failed`
        : state === 'done'
          ? `${passed} passed${score === null ? '' : `, score ${score}`}`
          : state
  return `${outcome} · ${calendarDay(createdAt)}, ${clockTime(createdAt).slice(0, 8)} · ${visibleText(target)}`
}

export function CheckRuns({ run }: { readonly run: CheckRun }) {
  const { runs, show: showCheck } = useParts('check', 'runs', 'show')
  const all = runs?.some(({ id }) => id === run.id) === true ? runs : [run, ...(runs ?? [])]
  return (
    <select
      aria-label="Run"
      value={run.id}
      onChange={(event) => void showCheck(event.currentTarget.value)}
      className="h-7 w-full max-w-[460px] truncate rounded-control border border-line bg-ground px-2 text-small text-muted hover:border-edge"
    >
      {all.map((each) => (
        <option key={each.id} value={each.id}>
          {words(each)}
        </option>
      ))}
    </select>
  )
}
