/** The requests of a replay. */
import { useState } from 'react'
import type { ReplayJob, ListedSend, SendsShown } from '../../../shared/model/send.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { ROW_HEIGHT } from '../../ui/list.tsx'
import { milliseconds } from '../../ui/moment.ts'
import { SendMark } from '../../ui/outcome-mark.tsx'
import { Segments } from '../../ui/segments.tsx'
import { eventColor } from '../../ui/verdict.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { filtersOf } from './replay-words.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import { useRows } from '../../ui/use-rows.ts'
import { Scroller } from '../../ui/scroller.tsx'

/** Most requests listed; the command line lists all. */
const MAX_SENDS = 1_000

/** Lists a replay's requests in sending order, each linked to its delivery. */
export function JobSends({
  job,
  onLeave,
}: {
  readonly job: ReplayJob
  readonly onLeave: () => void
}) {
  const [show, setShow] = useState<SendsShown>('all')
  const { output, problem } = useRead(
    'replay.sends',
    { jobId: job.id, show, limit: MAX_SENDS },
    { keep: true },
  )
  const sends = output?.sends
  const rows = useRows({ count: sends?.length ?? 0, rowHeight: ROW_HEIGHT, overscan: 4 })
  return (
    <>
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-b border-line px-5 py-1">
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
        className="min-h-40 flex-1"
      >
        {rows.drawn.map((index) => {
          const send = sends?.[index]
          return send && <SendOfJob key={send.id} send={send} onLeave={onLeave} />
        })}
      </Scroller>
      {sends?.length === MAX_SENDS && (
        <p className="border-t border-line px-5 py-2 text-small text-subtle">
          Showing the first {MAX_SENDS.toLocaleString('en')}. For all:{' '}
          <code className="data">countersign replay --resume {job.id} --json</code>
        </p>
      )}
    </>
  )
}

/** Shows a request, with a reason in place of a missing status. */
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
      <span
        className={`data w-54 shrink-0 truncate @max-[760px]:w-44 @max-[620px]:w-28 @max-[480px]:hidden ${eventColor(send.event ?? '')}`}
      >
        {visibleText(send.event ?? '')}
      </span>
      {(send.status !== null || send.error === null) && (
        <>
          <span className="data w-10 shrink-0 text-right">{send.status ?? '–'}</span>
          <span className="data w-20 shrink-0 text-right whitespace-nowrap text-subtle @max-[620px]:hidden">
            {send.status === null || send.ms === null ? '' : `${milliseconds(send.ms)} ms`}
          </span>
        </>
      )}
      <span className="min-w-0 flex-1 truncate text-small text-muted">
        {send.error === null ? (
          <span className="data">
            {visibleText(send.handler === null ? send.target : `@${send.handler}`)}
          </span>
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
