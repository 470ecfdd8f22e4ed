import { ChevronRight, CircleCheck, CircleX, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { duration } from '../../ui/moment.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { flowResults } from './handler-facts.ts'
import { EmptySection, FailedCount, PageSection, rowStyle } from './handler-parts.tsx'
import type { HandlerPageProps } from './use-handler-actions.ts'

/** Lists the last run of each flow: failed ones with the reason, others folded. */
export function HandlerFlows({
  page: { flows },
  actions: { busy, runFlows },
}: Pick<HandlerPageProps, 'page' | 'actions'>) {
  const go = useApp((state) => state.navigation.go)
  const [open, setOpen] = useState(false)
  const { failed, passed } = flowResults(flows)
  const row = (flow: (typeof flows)[number], isFailed: boolean) => (
    <button
      key={flow.flow}
      type="button"
      className={`${rowStyle} hover:bg-raised`}
      title={visibleText(`${flow.title}: ${flow.summary}`)}
      onClick={() => go('flows', { flow: flow.flow, run: flow.runId })}
    >
      {isFailed ? (
        <CircleX size={14} className="shrink-0 text-bad" />
      ) : (
        <CircleCheck size={14} className="shrink-0 text-ok" />
      )}
      <span className="max-w-[50%] shrink-0 truncate font-medium">{visibleText(flow.title)}</span>
      <span
        className={`min-w-0 flex-1 truncate text-right text-small ${isFailed ? 'text-bad' : 'text-muted'}`}
      >
        {visibleText(flow.summary)}
      </span>
    </button>
  )
  return (
    <PageSection
      name="Flows"
      note={<FailedCount count={failed.length} />}
      action={
        <Button
          icon={RotateCw}
          disabled={busy}
          onClick={() => runFlows(failed.length > 0 ? failed.map(({ flow }) => flow) : null)}
        >
          {failed.length > 0 ? `Re-run ${failed.length} failed` : 'Run all flows'}
        </Button>
      }
    >
      {flows.length === 0 && <EmptySection>No flow has run against this handler yet.</EmptySection>}
      {failed.map((flow) => row(flow, true))}
      {passed.length > 0 && (
        <button
          type="button"
          aria-expanded={open}
          className={`${rowStyle} text-muted hover:bg-raised`}
          onClick={() => setOpen(!open)}
        >
          <ChevronRight size={14} className={open ? 'rotate-90' : ''} />
          <span className="flex-1">{passed.length} passed</span>
          <span className="text-small">
            {duration(
              passed.reduce(
                (sum, { startedAt, endedAt }) => sum + Date.parse(endedAt) - Date.parse(startedAt),
                0,
              ),
            )}{' '}
            in all
          </span>
        </button>
      )}
      {open && passed.map((flow) => row(flow, false))}
    </PageSection>
  )
}
