/** Result of all flows, or the progress of a series. */
import { RotateCw, Square } from 'lucide-react'
import { useAppParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { toneText } from '../../ui/outcome-mark.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { resultWords, type FlowTableRow } from './flow-table.ts'
import { useChosenHandler } from './run-form.tsx'

export type OnRun = (names: readonly string[]) => void

/** Shows the result of all flows with a bar, or the progress of a series. */
export function FlowResults({
  rows,
  onRun,
}: {
  readonly rows: readonly FlowTableRow[]
  readonly onRun: OnRun
}) {
  const { series, cancelAll, edit, hasHandlers } = useAppParts((state) => ({
    series: state.flows.series,
    cancelAll: state.flows.cancelAll,
    edit: state.handlers.edit,
    hasHandlers: state.core.handlers.length > 0,
  }))
  const handler = useChosenHandler()
  const failed = rows.filter(({ hasFailed }) => hasFailed)
  const bars = [
    ['bg-bad', failed.length],
    ['bg-ok', rows.filter(({ outcome }) => outcome.tone === 'good').length],
    [
      'bg-edge',
      rows.filter(({ runId, outcome }) => runId !== null && outcome.tone === 'neutral').length,
    ],
  ] as const
  const shown = series === null ? failed[0]?.outcome : undefined
  return (
    <div
      role="status"
      aria-label="Results"
      className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-1"
    >
      {series === null ? (
        <>
          <p className={shown === undefined ? '' : `font-medium ${toneText[shown.tone]}`}>
            {resultWords(rows, handler)}
          </p>
          <span
            aria-hidden
            className="flex h-1.5 w-32 gap-px max-[800px]:hidden overflow-hidden rounded-small"
          >
            {bars.map(([color, count]) => (
              <i key={color} className={color} style={{ flex: count }} />
            ))}
          </span>
        </>
      ) : (
        <>
          <p>{`Running flow ${series.done + 1} of ${series.names.length}`}</p>
          <ProgressBar
            label="Completed flows"
            value={series.done}
            max={series.names.length}
            className="w-32"
          />
        </>
      )}
      <span className="flex-1" />
      {series !== null ? (
        <Button icon={Square} onClick={cancelAll}>
          Cancel
        </Button>
      ) : failed.length > 0 ? (
        <Button
          kind="primary"
          icon={RotateCw}
          onClick={() => onRun(failed.map(({ flow }) => flow.name))}
        >
          Re-run {failed.length} failed
        </Button>
      ) : (
        !hasHandlers && (
          <>
            <span className="text-small text-muted">Add your handler to check its responses.</span>
            <Button onClick={() => edit({ secret: '' })}>Add handler</Button>
          </>
        )
      )}
    </div>
  )
}
