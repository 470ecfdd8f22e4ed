/** The requests of a replay. */
import { useState } from 'react'
import type { Outcome } from '../../../shared/model/outcomes.ts'
import type { Replay, ListedSend, SendsShown } from '../../../shared/model/send.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { ROW_HEIGHT } from '../../ui/list.tsx'
import { milliseconds, timeWithDay } from '../../ui/moment.ts'
import { OutcomeMark, SendMark } from '../../ui/outcome-mark.tsx'
import { Segments } from '../../ui/segments.tsx'
import { LoadProblem } from '../../ui/message.tsx'
import { TintedEvent } from '../../ui/tinted-event.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { MAX_SENDS } from './replay-actions.ts'
import { filtersOf, groupSends } from './replay-words.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import { useRows } from '../../ui/use-rows.ts'
import { Scroller } from '../../ui/scroller.tsx'

/** Lists a replay's requests by what happened, each linked to its delivery. */
export function ReplaySends({
  replay,
  onLeave,
}: {
  readonly replay: Replay
  readonly onLeave: () => void
}) {
  const [show, setShow] = useState<SendsShown>('all')
  const { output, problem, readAgain } = useRead(
    'replay.sends',
    { replayId: replay.id, show, limit: MAX_SENDS },
    { keep: true },
  )
  const sends = output?.sends
  const isPart = sends?.length === MAX_SENDS
  const lines = groupSends(sends ?? []).flatMap((group) => [group, ...group.sends])
  const rows = useRows({ count: lines.length, rowHeight: ROW_HEIGHT, overscan: 4 })
  return (
    <>
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-b border-line px-5 py-1">
        <Segments
          label="Filter requests"
          options={filtersOf(replay)}
          value={show}
          onChange={setShow}
        />
      </div>
      {problem !== null && (
        <div className="px-5 py-4">
          <LoadProblem
            isPart
            title="Couldn't load the requests"
            problem={problem}
            onAgain={readAgain}
          />
        </div>
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
          const line = lines[index]
          if (line === undefined) return null
          return 'sends' in line ? (
            <GroupHead key={line.outcome.word} {...line} isPart={isPart} />
          ) : (
            <SendOfReplay key={line.id} send={line} onLeave={onLeave} />
          )
        })}
      </Scroller>
      {isPart && (
        <p className="border-t border-line px-5 py-2 text-small text-subtle">
          Showing the first {MAX_SENDS.toLocaleString('en')}. The command line lists all.
        </p>
      )}
    </>
  )
}

/** Shows what happened to a group of requests, with its count and, if it is one, the reason. */
function GroupHead({
  outcome,
  sends,
  isPart,
}: {
  readonly outcome: Outcome
  readonly sends: readonly ListedSend[]
  readonly isPart: boolean
}) {
  const [error, second] = new Set(sends.map((send) => send.error))
  const reason = second === undefined ? visibleText(error ?? '') : ''
  return (
    <h4 className="flex h-7 items-center gap-2 border-b border-line/50 bg-raised px-5">
      <span className="shrink-0">
        <OutcomeMark outcome={outcome} />
      </span>
      <span className="shrink-0 text-muted tabular-nums">
        · {sends.length.toLocaleString('en')}
        {isPart && '+'}
      </span>
      <span className="min-w-0 truncate text-small text-muted" title={reason}>
        {reason}
      </span>
    </h4>
  )
}

function SendOfReplay({
  send,
  onLeave,
}: {
  readonly send: ListedSend
  readonly onLeave: () => void
}) {
  const go = useApp((state) => state.navigation.go)
  const { target, handler, error, ms, status, event, deliveryId } = send
  return (
    <button
      type="button"
      title={visibleText(error === null ? target : `${target}: ${error}`)}
      onClick={() => {
        onLeave()
        go('deliveries', { id: deliveryId, tab: 'history' })
      }}
      className="flex h-7 w-full items-center gap-x-3 border-b border-line/50 px-5 text-left outline-offset-[-2px] hover:bg-raised"
    >
      <span className="flex w-32 shrink-0 @max-[620px]:w-24">
        <SendMark send={send} />
      </span>
      <span className="flex w-60 shrink-0 @max-[760px]:w-44 @max-[620px]:w-28 @max-[480px]:hidden">
        <TintedEvent event={event ?? ''} />
      </span>
      <span className="data w-32 shrink-0 text-muted @max-[480px]:hidden">
        {timeWithDay(send.receivedAt)}
      </span>
      <span className="data w-20 shrink-0 text-right whitespace-nowrap text-muted @max-[620px]:hidden">
        {status !== null && ms !== null && `${milliseconds(ms)} ms`}
      </span>
      <span className="data min-w-0 flex-1 truncate text-muted">
        {visibleText(handler === null ? target : `@${handler}`)}
      </span>
      <span className="data shrink-0 text-small text-subtle">{shortIdOf(deliveryId)}</span>
    </button>
  )
}
