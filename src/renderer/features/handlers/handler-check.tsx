import { checkGroups } from '../../../shared/model/check.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { groupResults, groupWords } from './handler-facts.ts'
import type { useRead } from '../../core-data/use-read.ts'
import { HeadingLink, LoadingPart, PageSection, ResultRow } from './handler-parts.tsx'

/** Lists the groups of the last check, failures first, each a link to its cases in the report. */
export function HandlerCheck({
  check,
}: {
  readonly check: ReturnType<typeof useRead<'check.get'>>
}) {
  const run = check.output?.run ?? null
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
      {run === null && <LoadingPart what="check" {...check} />}
      {run !== null &&
        groupResults(run.results).map(({ group, cases, failed }) => (
          <ResultRow
            key={group}
            name={checkGroups[group]}
            isFailed={failed.length > 0}
            words={groupWords(failed.length, cases.length)}
            onClick={() => go('check', { run: run.id, case: (failed[0] ?? cases[0])?.name })}
          />
        ))}
    </PageSection>
  )
}
