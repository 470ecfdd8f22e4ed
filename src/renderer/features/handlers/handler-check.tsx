import { CircleCheck, CircleX, Play } from 'lucide-react'
import { checkGroups, isExplained, type CheckRun } from '../../../shared/model/check.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { groupResults } from './handler-facts.ts'
import { EmptySection, FailedCount, HeadingLink, PageSection, rowStyle } from './handler-parts.tsx'
import type { HandlerActions } from './use-handler-actions.ts'

/** Lists the groups of the last check, failures first, each with a link to the report. */
export function HandlerCheck({
  run,
  failing,
  actions: { busy, check },
}: {
  readonly run: CheckRun | null
  readonly failing: number
  readonly actions: HandlerActions
}) {
  const go = useApp((state) => state.navigation.go)
  return (
    <PageSection
      name="Check"
      note={<FailedCount count={run?.failed ?? 0} />}
      action={
        <>
          {run !== null && (
            <HeadingLink onClick={() => go('check', { run: run.id })}>Show report</HeadingLink>
          )}
          {(failing > 0 || run !== null) && (
            <Button icon={Play} disabled={busy} onClick={check}>
              {run === null ? 'Run check' : 'Run again'}
            </Button>
          )}
        </>
      }
    >
      {run === null && (
        <EmptySection>
          No check yet. A check shows whether this handler follows the spec.
        </EmptySection>
      )}
      {run?.conclusions.map(({ cause, message, fix }) => (
        <p key={cause} className="border-t border-line/50 bg-bad-wash px-5 py-1.5">
          <span className="font-medium">
            <QuotedText text={message} />
          </span>{' '}
          <span className="text-muted">
            <QuotedText text={fix} />
          </span>
        </p>
      ))}
      {run !== null &&
        groupResults(run.results).map(({ group, passed, failed }) => {
          const Icon = failed.length > 0 ? CircleX : CircleCheck
          const tone = failed.length > 0 ? 'text-bad' : 'text-ok'
          return (
            <div key={group}>
              <div className={rowStyle}>
                <Icon size={14} className={`shrink-0 ${tone}`} />
                <span className="min-w-0 flex-1 truncate font-medium">{checkGroups[group]}</span>
                <span className={`data shrink-0 ${failed.length > 0 ? 'text-bad' : 'text-muted'}`}>
                  {passed} of {passed + failed.length}
                </span>
              </div>
              {failed.map((result) => (
                <button
                  key={result.name}
                  type="button"
                  className={`${rowStyle} bg-ground pl-[42px] hover:bg-raised`}
                  title={visibleText(result.message)}
                  onClick={() => go('check', { run: run.id, case: result.name })}
                >
                  <span className="max-w-[60%] shrink-0 truncate">{result.title}</span>
                  <span className="min-w-0 flex-1 truncate text-right text-small text-muted">
                    {isExplained(result, run.conclusions)
                      ? 'no valid response'
                      : visibleText(result.message)}
                  </span>
                </button>
              ))}
            </div>
          )
        })}
    </PageSection>
  )
}
