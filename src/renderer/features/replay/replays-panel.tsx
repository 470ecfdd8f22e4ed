/** The panel of all replays, with the selected one's progress and results. */
import type { Ref } from 'react'
import type { ReplayJob } from '../../../shared/model/send.ts'
import { isCompared, outcomeOfJob } from '../../../shared/model/send-outcomes.ts'
import { counted } from '../../../shared/text/english.ts'
import { REPLAYS } from '../../core-data/events.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { LoadProblem } from '../../ui/message.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { MiddleTruncated } from '../../ui/exact-text.tsx'
import { clockTime, dayUnlessToday } from '../../ui/moment.ts'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { NotFoundPane } from '../../ui/split-panes.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { queryWords } from './query-words.ts'
import { againstText, changesText } from './replay-words.ts'
import { JobComparison } from './job-comparison.tsx'
import { JobSends } from './job-sends.tsx'
import { JobHead, JobStatistics, useDestination } from './job-head.tsx'
import { useFirstFocus } from '../../ui/use-first-focus.ts'

export function ReplaysPanel({ onLeave }: { readonly onLeave: () => void }) {
  const { about: shown } = useParts('navigation', 'about')
  const { output, problem, readAgain } = useRead('replay.jobs', REPLAYS)
  const jobs = output?.jobs
  const job = shown === null ? jobs?.[0] : jobs?.find(({ id }) => id === shown)
  const first = useFirstFocus<HTMLButtonElement>(job !== undefined)
  if (jobs === undefined) {
    return problem === null ? (
      <div role="status" aria-label="Loading replays" className="late m-5 skeleton h-16" />
    ) : (
      <LoadProblem title="Couldn't load replays" problem={problem} onAgain={readAgain} />
    )
  }
  if (jobs.length === 0) {
    return (
      <div className="max-w-[560px] px-5 pt-6 pb-8">
        <h3 className="font-medium">No replays yet</h3>
        <p className="mt-1 text-muted">
          Press <ActionKeys action="replay" spoken /> on a delivery to send it to your endpoint, or{' '}
          <ActionKeys action="replay-compose" spoken /> to change it first. Use the command palette
          to replay all matching deliveries.
        </p>
      </div>
    )
  }
  return (
    <div className="flex min-h-0 flex-1 max-[900px]:flex-col">
      <nav
        aria-label="Replays"
        className="w-[300px] shrink-0 overflow-auto border-r border-line max-[900px]:max-h-[30%] max-[900px]:w-auto max-[900px]:border-r-0 max-[900px]:border-b"
      >
        <ul>
          {jobs.map((listed) => (
            <JobItem
              key={listed.id}
              job={listed}
              isCurrent={listed === job}
              ref={listed === job ? first : undefined}
            />
          ))}
        </ul>
      </nav>
      <section
        aria-label="Replay"
        className="@container flex min-h-0 min-w-0 flex-1 flex-col overflow-auto"
      >
        {job === undefined ? (
          <NotFoundPane what="Replay" name={shown ?? ''} />
        ) : (
          <>
            <JobHead key={job.id} job={job} onLeave={onLeave} />
            {isCompared(job) ? (
              <JobComparison key={`comparison ${job.id}`} job={job} onLeave={onLeave} />
            ) : (
              <>
                {job.total > 1 && <JobStatistics key={`statistics ${job.id}`} job={job} />}
                <JobSends key={`sends ${job.id}`} job={job} onLeave={onLeave} />
              </>
            )}
          </>
        )}
      </section>
    </div>
  )
}

function JobItem({
  job,
  isCurrent,
  ref,
}: {
  readonly job: ReplayJob
  readonly isCurrent: boolean
  readonly ref: Ref<HTMLButtonElement> | undefined
}) {
  const showReplays = useApp((state) => state.replay.show)
  const destination = useDestination(job)
  return (
    <li>
      <button
        type="button"
        ref={ref}
        aria-current={isCurrent}
        onClick={() => showReplays(job.id)}
        className={`flex w-full flex-col gap-0.5 border-b border-line/50 px-5 py-2 text-left outline-offset-[-2px] ${isCurrent ? 'bg-selected' : 'hover:bg-raised'}`}
      >
        <span className="flex items-center gap-2">
          <span className="shrink-0 font-medium">{counted(job.total, 'request')}</span>
          <span className="flex min-w-0 text-small">
            <OutcomeMark outcome={outcomeOfJob(job)} />
          </span>
        </span>
        <span className="flex w-full items-center gap-2">
          <MiddleTruncated text={destination} tail={16} className="data text-muted" />
          <span className="ml-auto shrink-0 text-small text-subtle">
            {dayUnlessToday(job.createdAt) ?? 'Today'}{' '}
            <span className="data">{clockTime(job.createdAt).slice(0, 8)}</span>
          </span>
        </span>
        <span className="truncate text-small text-subtle empty:hidden">
          {[
            againstText(job),
            job.query === null ? '' : visibleText(queryWords(job.query)),
            changesText(job),
          ]
            .filter((part) => part !== '')
            .join(' · ')}
        </span>
      </button>
    </li>
  )
}
