import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { useApp } from '../../ui-state/use-app.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { flowResults } from './handler-facts.ts'
import { HeadingLink, PageSection, ResultRow, rowStyle } from './handler-parts.tsx'
import type { HandlerPageProps } from './use-handler-actions.ts'

/** Failed flows shown before the others are unfolded. */
const FAILED_SHOWN = 6

/** Lists the last run of each flow: failed ones with the whole reason, others folded. */
export function HandlerFlows({ page: { flows }, actions: { showFlows } }: HandlerPageProps) {
  const go = useApp((state) => state.navigation.go)
  const [open, setOpen] = useState(false)
  const { failed, passed } = flowResults(flows)
  const folded = [...failed.slice(FAILED_SHOWN), ...passed]
  const row = ({ flow, runId, outcome, title, reason }: (typeof flows)[number]) => (
    <ResultRow
      key={flow}
      name={visibleText(title)}
      isFailed={outcome === 'fail'}
      words={visibleText(reason)}
      onClick={() => go('flows', { flow, run: runId })}
    />
  )
  const more = failed.length - FAILED_SHOWN
  return (
    <PageSection name="Flows" action={<HeadingLink onClick={showFlows}>Show flows</HeadingLink>}>
      {failed.slice(0, FAILED_SHOWN).map(row)}
      {folded.length > 0 && (
        <button
          type="button"
          aria-expanded={open}
          className={`${rowStyle} text-muted hover:bg-raised`}
          onClick={() => setOpen(!open)}
        >
          <ChevronRight size={14} className={open ? 'rotate-90' : ''} />
          {[more > 0 && `${more} more failed`, passed.length > 0 && `${passed.length} passed`]
            .filter(Boolean)
            .join(', ')}
        </button>
      )}
      {open && folded.map(row)}
    </PageSection>
  )
}
