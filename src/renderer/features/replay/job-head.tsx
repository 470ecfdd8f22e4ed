/** The progress and statistics of a replay. */
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import { isCompared, outcomeOfJob } from '../../../shared/model/send-outcomes.ts'
import type { ReplayJob } from '../../../shared/model/send.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { calendarDay, clockTime, useNow } from '../../ui/moment.ts'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { StatisticsSection } from '../../connected/statistics-table.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { resultsText, changesText, finishedCount, resumeText } from './replay-words.ts'

/** Returns where a replay goes: a saved handler's name, or a URL. */
export function useDestination({ to, handlerId }: ReplayJob): string {
  const handler = useApp((state) => state.core.handlers.find(({ id }) => id === handlerId))
  return handler === undefined ? (to ?? "each hook's URL") : handlerRef(handler)
}

/** Returns requests per second since the panel opened; null until measured. */
function usePace(job: ReplayJob): number | null {
  const done = finishedCount(job)
  const now = useNow(500)
  const [start] = useState({ at: now, done })
  const seconds = (now - start.at) / 1_000
  return job.state === 'running' && seconds > 0.4 ? (done - start.done) / seconds : null
}

export function JobHead({ job }: { readonly job: ReplayJob }) {
  const { cancel: cancelReplay, resume: resumeReplay } = useParts('replay', 'cancel', 'resume')
  const changes = changesText(job)
  const done = finishedCount(job)
  const pace = usePace(job)
  const destination = useDestination(job)
  return (
    <div className="shrink-0 border-b border-line px-5 pt-3 pb-3">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <h3 className="flex flex-wrap items-center gap-x-1.5 font-medium">
            <OutcomeMark outcome={outcomeOfJob(job)} />
            {job.state !== 'done' &&
              `${done.toLocaleString('en')} of ${job.total.toLocaleString('en')}`}
            <span className="font-normal text-subtle">
              {pace !== null && `${pace.toFixed(pace < 10 ? 1 : 0)} per second · `}started{' '}
              {calendarDay(job.createdAt)}{' '}
              <span className="data">{clockTime(job.createdAt).slice(0, 8)}</span>
            </span>
          </h3>
          <p className="data mt-0.5 text-small wrap-anywhere text-muted">
            {visibleText(`${job.query ?? ''} to ${destination}`.trimStart())}
            {isCompared(job) && visibleText(` against ${job.comparison?.name ?? ''}`)}
            {job.to !== null && job.to !== destination && (
              <span className="text-subtle"> {visibleText(job.to)}</span>
            )}
          </p>
          <p className="text-small text-subtle">
            {job.repeat > 1 && `repeat ${job.repeat} · `}
            concurrency {job.concurrency}
            {job.rate !== null && ` · max ${job.rate} per second`}
            {changes !== '' && ` · ${changes}`}
          </p>
        </div>
        {job.state === 'running' && (
          <Button onClick={() => void cancelReplay(job.id)}>Cancel</Button>
        )}
        {job.state === 'interrupted' && (
          <>
            <Button onClick={() => void cancelReplay(job.id)}>Discard</Button>
            <Button kind="primary" icon={RotateCw} onClick={() => void resumeReplay(job.id)}>
              Resume
            </Button>
          </>
        )}
      </div>
      {(job.state === 'running' || job.state === 'interrupted') && (
        <progress
          aria-label="Sent"
          value={done}
          max={Math.max(1, job.total)}
          className="mt-2 block h-1 w-full overflow-hidden rounded-small bg-control [&::-webkit-progress-bar]:bg-control [&::-webkit-progress-value]:bg-accent"
        />
      )}
      <p className="mt-2" role="status">
        {!(isCompared(job) && job.state === 'done') && resultsText(job)}
        {job.state === 'interrupted' && <span className="text-muted"> {resumeText(job)}</span>}
      </p>
      {job.problem !== null && <p className="mt-1 text-bad wrap-anywhere">{job.problem}</p>}
    </div>
  )
}

export function JobStatistics({ job }: { readonly job: ReplayJob }) {
  // Counting a million sends takes a second, so large replays are counted less often.
  const everyMs = job.state === 'running' && Math.max(1_000, job.total / 100)
  const read = useRead('replay.statistics', { jobId: job.id }, { everyMs })
  return (
    <StatisticsSection of="requests" {...read} className="shrink-0 border-b border-line px-5" />
  )
}
