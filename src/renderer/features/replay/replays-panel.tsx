/** All replays, newest first, and the selected one's progress and results. */
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import { outcomeOfJob } from '../../../shared/model/outcomes.ts'
import type { ReplayJob, ListedSend, SendsShown } from '../../../shared/model/send.ts'
import { REPLAYS } from '../../core-data/events.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { ROW_HEIGHT, Scroller, useRows } from '../../ui/list.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { Middle } from '../../ui/exact-text.tsx'
import { calendarDay, clockTime, milliseconds, useNow } from '../../ui/moment.ts'
import { OutcomeMark, SendMark } from '../../ui/outcome-mark.tsx'
import { Segments } from '../../ui/segments.tsx'
import { NotFoundPane } from '../../ui/split-panes.tsx'
import { StatisticsSection } from '../../ui/statistics-table.tsx'
import { useFirstFocus } from '../../ui/dialog.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { accountOf, changesOf, doneOf, leftOf, filtersOf } from './account.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'

export function ReplaysPanel({ onLeave }: { readonly onLeave: () => void }) {
  const { about: shown } = useParts('navigation', 'about')
  const { show: showReplays } = useParts('replay', 'show')
  const { output, problem, readAgain } = useRead('replay.jobs', REPLAYS)
  const jobs = output?.jobs
  const job = shown === null ? jobs?.[0] : jobs?.find(({ id }) => id === shown)
  const first = useFirstFocus<HTMLButtonElement>(job !== undefined)
  if (jobs === undefined) {
    return problem === null ? (
      <div role="status" aria-label="Loading replays" className="late m-5 skeleton h-16" />
    ) : (
      <div role="alert" className="m-5">
        <p>Couldn't load replays: {problem}</p>
        <Button className="mt-3" onClick={readAgain}>
          Try again
        </Button>
      </div>
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
          {jobs.map((one) => (
            <li key={one.id}>
              <button
                type="button"
                ref={one === job ? first : undefined}
                aria-current={one === job}
                onClick={() => showReplays(one.id)}
                className={`flex w-full flex-col gap-0.5 border-b border-line/50 px-5 py-2 text-left outline-offset-[-2px] ${one === job ? 'bg-selected' : 'hover:bg-raised'}`}
              >
                <span className="flex items-center gap-2">
                  <span className="font-medium">
                    {one.total === 1 ? '1 request' : `${one.total.toLocaleString('en')} requests`}
                  </span>
                  <span className="text-small">
                    <OutcomeMark outcome={outcomeOfJob(one)} />
                  </span>
                  <span className="flex-1" />
                  <span className="data text-small text-subtle">
                    {clockTime(one.createdAt).slice(0, 8)}
                  </span>
                </span>
                <Middle text={whereTo(one)} tail={16} className="data text-small text-muted" />
                <span className="truncate text-small text-subtle empty:hidden">
                  {[visibleText(one.query ?? ''), changesOf(one)]
                    .filter((part) => part !== '')
                    .join(' · ')}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <section aria-label="Replay" className="@container flex min-h-0 min-w-0 flex-1 flex-col">
        {job === undefined ? (
          <NotFoundPane what="Replay" name={shown ?? ''} />
        ) : (
          <>
            <JobHead key={job.id} job={job} />
            {job.total > 1 && <JobStatistics key={`statistics ${job.id}`} job={job} />}
            <JobSends key={`sends ${job.id}`} job={job} onLeave={onLeave} />
          </>
        )}
      </section>
    </div>
  )
}

function whereTo({ to }: ReplayJob): string {
  return to ?? "each hook's URL"
}

/** `event:card.linked to http://127.0.0.1:3000`. */
function whatOf(job: ReplayJob): string {
  return `${job.query ?? ''} to ${whereTo(job)}`.trimStart()
}

/** Requests per second since the panel opened; null until measured. */
function usePace(job: ReplayJob): number | null {
  const done = doneOf(job)
  const now = useNow(500)
  const [start] = useState({ at: now, done })
  const seconds = (now - start.at) / 1_000
  return job.state === 'running' && seconds > 0.4 ? (done - start.done) / seconds : null
}

function JobHead({ job }: { readonly job: ReplayJob }) {
  const { cancel: cancelReplay, resume: resumeReplay } = useParts('replay', 'cancel', 'resume')
  const changes = changesOf(job)
  const done = doneOf(job)
  const pace = usePace(job)
  return (
    <div className="shrink-0 border-b border-line px-5 pt-3 pb-3">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <h3 className="font-medium">
            <OutcomeMark outcome={outcomeOfJob(job)} />
            {job.state !== 'done' &&
              `: ${done.toLocaleString('en')} of ${job.total.toLocaleString('en')}`}
            <span className="font-normal text-subtle">
              {pace !== null && ` · ${pace.toFixed(pace < 10 ? 1 : 0)} per second`} · started{' '}
              {calendarDay(job.createdAt)}{' '}
              <span className="data">{clockTime(job.createdAt).slice(0, 8)}</span>
            </span>
          </h3>
          <p className="data mt-0.5 text-small wrap-anywhere text-muted">
            {visibleText(whatOf(job))}
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
      <progress
        aria-label="Sent"
        value={done}
        max={Math.max(1, job.total)}
        className="mt-2 block h-1 w-full overflow-hidden rounded-small bg-control [&::-webkit-progress-bar]:bg-control [&::-webkit-progress-value]:bg-accent"
      />
      <p className="mt-2" role="status">
        {accountOf(job)}
        {job.state === 'interrupted' && <span className="text-muted"> {leftOf(job)}</span>}
      </p>
      {job.problem !== null && <p className="mt-1 text-bad wrap-anywhere">{job.problem}</p>}
    </div>
  )
}

function JobStatistics({ job }: { readonly job: ReplayJob }) {
  // Counting a million sends takes a second, and others need the rest of the time. Its end is read because of the event.
  const everyMs = job.state === 'running' && Math.max(1_000, job.total / 100)
  const read = useRead('replay.statistics', { jobId: job.id }, { everyMs })
  return (
    <StatisticsSection of="requests" {...read} className="shrink-0 border-b border-line px-5" />
  )
}

/** More are listed by the command line only. */
const MOST_SENDS = 1_000

/** A replay's requests in order, filtered, each linked to its delivery. */
function JobSends({ job, onLeave }: { readonly job: ReplayJob; readonly onLeave: () => void }) {
  const [show, setShow] = useState<SendsShown>('all')
  const { output, problem } = useRead(
    'replay.sends',
    { jobId: job.id, show, limit: MOST_SENDS },
    { keep: true },
  )
  const sends = output?.sends
  const rows = useRows({ count: sends?.length ?? 0, rowHeight: ROW_HEIGHT, overscan: 4 })
  return (
    <>
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-1">
        <Segments
          label="Filter requests"
          options={filtersOf(job)}
          value={show}
          onChange={setShow}
        />
        <span className="text-small text-subtle">in sending order</span>
      </div>
      {problem !== null && (
        <p role="alert" className="bg-bad-wash px-5 py-2">
          Couldn't load the requests: {problem}
        </p>
      )}
      {sends?.length === 0 && (
        <p className="px-5 py-4 text-muted">No requests match this filter.</p>
      )}
      <Scroller
        rows={rows}
        role="group"
        aria-label="Requests of this replay"
        tabIndex={0}
        className="min-h-0 flex-1"
      >
        {rows.drawn.map((index) => {
          const send = sends?.[index]
          return send && <SendOfJob key={send.id} send={send} onLeave={onLeave} />
        })}
      </Scroller>
      {sends?.length === MOST_SENDS && (
        <p className="border-t border-line px-5 py-2 text-small text-subtle">
          Showing the first {MOST_SENDS.toLocaleString('en')}. For all:{' '}
          <code className="data">countersign replay --resume {job.id} --json</code>
        </p>
      )}
    </>
  )
}

function SendOfJob({ send, onLeave }: { readonly send: ListedSend; readonly onLeave: () => void }) {
  const go = useApp((state) => state.navigation.go)
  return (
    <button
      type="button"
      title={visibleText(send.error === null ? send.target : `${send.target}: ${send.error}`)}
      onClick={() => {
        onLeave()
        go('deliveries', { id: send.deliveryId, tab: 'history' })
      }}
      className="flex h-7 w-full items-center gap-x-3 border-b border-line/50 px-5 text-left outline-offset-[-2px] hover:bg-raised"
    >
      <span className="data w-12 shrink-0 text-right text-subtle">{send.position}</span>
      <span className="flex w-32 shrink-0 @max-[620px]:w-24">
        <SendMark send={send} />
      </span>
      <span className="data w-44 shrink-0 truncate text-muted @max-[620px]:w-28 @max-[480px]:hidden">
        {send.event === null ? '' : visibleText(send.event)}
      </span>
      <span className="data w-10 shrink-0 text-right">{send.status ?? '–'}</span>
      <span className="data w-20 shrink-0 text-right whitespace-nowrap text-subtle @max-[620px]:hidden">
        {send.ms === null ? '' : `${milliseconds(send.ms)} ms`}
      </span>
      <span className="min-w-0 flex-1 truncate text-small text-muted">
        {send.error === null ? (
          <span className="data">{visibleText(send.target)}</span>
        ) : (
          visibleText(send.error)
        )}
      </span>
      <span className="data ml-auto shrink-0 text-small text-subtle @max-[620px]:hidden">
        {shortIdOf(send.deliveryId)}
      </span>
    </button>
  )
}
