import { ChevronRight, CircleCheck, CircleX } from 'lucide-react'
import { checkGroups, type CheckRun } from '../../../shared/model/check.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { groupResults, groupWords } from './handler-facts.ts'
import { EmptySection, HeadingLink, PageSection, rowStyle } from './handler-parts.tsx'

/** Lists the groups of the last check, failures first, each a link to its cases in the report. */
export function HandlerCheck({ run }: { readonly run: CheckRun | null }) {
  const go = useApp((state) => state.navigation.go)
  return (
    <PageSection
      name="Check"
      action={
        run !== null && (
          <HeadingLink onClick={() => go('check', { run: run.id })}>Show report</HeadingLink>
        )
      }
    >
      {run === null && (
        <EmptySection>
          No check yet. A check shows whether this handler follows the spec.
        </EmptySection>
      )}
      {run !== null &&
        groupResults(run.results).map(({ group, cases, failed }) => {
          const isFailed = failed.length > 0
          const Icon = isFailed ? CircleX : CircleCheck
          const [shown] = isFailed ? failed : cases
          return (
            <button
              key={group}
              type="button"
              className={`${rowStyle} hover:bg-raised`}
              onClick={() => go('check', { run: run.id, case: shown?.name })}
            >
              <Icon size={14} className={`shrink-0 ${isFailed ? 'text-bad' : 'text-ok'}`} />
              <span
                className={`min-w-0 flex-1 truncate ${isFailed ? 'font-medium' : 'text-muted'}`}
              >
                {checkGroups[group]}
              </span>
              <span className={`shrink-0 text-small ${isFailed ? 'text-bad' : 'text-muted'}`}>
                {groupWords(failed.length, cases.length)}
              </span>
              <ChevronRight size={14} className="shrink-0 text-subtle" />
            </button>
          )
        })}
    </PageSection>
  )
}
