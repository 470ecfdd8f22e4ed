/** A replay's requests in order, filtered and paged, each linked to its delivery. */
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import { useEffect, useState } from 'react'
import type { ListedSend, ReplayJob, SendsShown } from '../../../shared/model/send.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { milliseconds } from '../../ui/moment.ts'
import { Segments } from '../../ui/segments.tsx'
import { SendMark } from '../../ui/outcome-mark.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { filtersOf } from './account.ts'

const PAGE = 200

export function JobSends({
  job,
  onLeave,
}: {
  readonly job: ReplayJob
  readonly onLeave: () => void
}) {
  const [show, setShow] = useState<SendsShown>('all')
  const [pages, setPages] = useState(1)
  const { revision, readSends: read } = useParts('replay', 'revision', 'readSends')
  const [sends, setSends] = useState<readonly ListedSend[] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const limit = Math.min(1_000, pages * PAGE)
  useEffect(() => {
    let wanted = true
    void read({ jobId: job.id, show, limit }).then((outcome) => {
      if (!wanted) return
      setProblem(outcome.ok ? null : outcome.problem.message)
      if (outcome.ok) setSends(outcome.value)
    })
    return () => {
      wanted = false
    }
  }, [read, job.id, show, limit, revision])
  return (
    <>
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-1">
        <Segments
          label="Filter requests"
          options={filtersOf(job)}
          value={show}
          onChange={(next) => {
            setShow(next)
            setPages(1)
          }}
        />
        <span className="text-small text-subtle">in sending order</span>
      </div>
      <div
        className="min-h-0 flex-1 overflow-auto"
        tabIndex={0}
        role="group"
        aria-label="Requests of this replay"
      >
        {problem !== null && (
          <p role="alert" className="bg-bad-wash px-5 py-2">
            Couldn't load the requests: {problem}
          </p>
        )}
        {sends !== null && sends.length === 0 && (
          <p className="px-5 py-4 text-muted">No requests match this filter.</p>
        )}
        <ul>
          {(sends ?? []).map((send) => (
            <li key={send.id}>
              <SendOfJob send={send} onLeave={onLeave} />
            </li>
          ))}
        </ul>
        {sends !== null && sends.length === limit && limit < 1_000 && (
          <div className="px-5 py-2">
            <Button kind="quiet" onClick={() => setPages(pages + 1)}>
              Show more
            </Button>
          </div>
        )}
        {sends !== null && sends.length === 1_000 && (
          <p className="px-5 py-2 text-small text-subtle">
            Showing the first 1,000. For all:{' '}
            <code className="data">countersign replay --resume {job.id} --json</code>
          </p>
        )}
      </div>
    </>
  )
}

function SendOfJob({ send, onLeave }: { readonly send: ListedSend; readonly onLeave: () => void }) {
  const go = useApp((state) => state.navigation.go)
  const { setTab, goTo: goToDelivery } = useParts('detail', 'setTab', 'goTo')
  return (
    <button
      type="button"
      title={send.error === null ? 'Show in delivery' : visibleText(send.error)}
      onClick={() => {
        onLeave()
        go('deliveries')
        setTab('sends')
        void goToDelivery(send.deliveryId)
      }}
      className="flex min-h-7 w-full items-center gap-x-3 border-b border-line/50 px-5 py-[3px] text-left outline-offset-[-2px] hover:bg-raised @max-[1000px]:flex-wrap"
    >
      <span className="data w-12 shrink-0 text-right text-subtle">{send.position}</span>
      <span className="flex w-32 shrink-0">
        <SendMark send={send} />
      </span>
      <span className="data w-44 shrink-0 truncate text-muted @max-[620px]:w-36 @max-[480px]:hidden">
        {send.event === null ? '' : visibleText(send.event)}
      </span>
      <span className="data w-10 shrink-0 text-right">{send.status ?? '–'}</span>
      <span className="data w-20 shrink-0 text-right whitespace-nowrap text-subtle @max-[400px]:hidden">
        {send.ms === null ? '' : `${milliseconds(send.ms)} ms`}
      </span>
      <span className="min-w-0 flex-1 truncate text-small text-muted @max-[1000px]:order-last @max-[1000px]:basis-full @max-[1000px]:pl-15 @max-[1000px]:whitespace-normal @max-[1000px]:pb-0.5 @max-[1000px]:wrap-anywhere @max-[1000px]:empty:hidden">
        <span className="data">{visibleText(send.target)}</span>
        {send.error !== null && ` ${visibleText(send.error)}`}
      </span>
      <span className="data ml-auto shrink-0 text-small text-subtle @max-[620px]:hidden">
        {shortIdOf(send.deliveryId)}
      </span>
    </button>
  )
}
