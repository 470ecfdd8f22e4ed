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
import { MiddleTruncated } from '../../ui/exact-text.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { MAX_SENDS } from './replay-actions.ts'
import { filtersOf, groupSends } from './replay-words.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import { useRows } from '../../ui/use-rows.ts'
import { Scroller } from '../../ui/scroller.tsx'

const rowLine = 'flex h-7 items-center gap-x-3 border-b px-5'
/** Names and widths of the columns. */
const columns = {
  Outcome: 'flex w-32 shrink-0 @max-[620px]:w-24',
  Event: 'flex w-60 shrink-0 @max-[760px]:w-44 @max-[620px]:w-40 @max-[480px]:hidden',
  Received: 'w-32 shrink-0 @max-[620px]:w-28 @max-[480px]:hidden',
  Time: 'time mr-3 w-20 shrink-0 text-right whitespace-nowrap @max-[620px]:hidden',
  'Sent to': 'min-w-0 flex-1 truncate',
  Delivery: 'w-16 shrink-0 text-right @max-[620px]:hidden',
} as const
const heads = Object.entries(columns).map(([name, width]) => (
  <span key={name} className={width}>
    {name}
  </span>
))

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
  const groups = groupSends(sends ?? [])
  const lines = groups.flatMap((group) => [group, ...group.sends])
  const timeStyle = sends?.some(({ status }) => status !== null) === true ? '' : '[&_.time]:hidden'
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
      <div
        className={`${rowLine} shrink-0 overflow-hidden border-line bg-surface text-tiny font-medium text-subtle [scrollbar-gutter:stable] ${timeStyle}`}
      >
        {heads}
      </div>
      <Scroller
        rows={rows}
        role="group"
        aria-label="Requests of this replay"
        tabIndex={0}
        className={`min-h-40 flex-1 ${timeStyle}`}
      >
        {rows.drawn.map((index) => {
          const line = lines[index]
          if (line === undefined) return null
          return 'sends' in line ? (
            <GroupHead
              key={line.outcome.word}
              {...line}
              count={
                groups.length === 1
                  ? ''
                  : `· ${line.sends.length.toLocaleString('en')}${isPart ? '+' : ''}`
              }
            />
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

/** Shows what happened to a group of requests and, if it is one, the reason. */
function GroupHead({
  outcome,
  sends,
  count,
}: {
  readonly outcome: Outcome
  readonly sends: readonly ListedSend[]
  /** Number of requests in words; empty if the filter has it. */
  readonly count: string
}) {
  const [error, second] = new Set(sends.map((send) => send.error))
  const words = second === undefined ? visibleText(error ?? '') : ''
  // `Connection refused`, then `at 127.0.0.1:9. …`.
  const reason = words.startsWith(outcome.word) ? words.slice(outcome.word.length) : words
  return (
    <h4 className="flex h-7 items-center gap-2 border-b border-line/50 bg-raised px-5">
      <span className="shrink-0">
        <OutcomeMark outcome={outcome} />
      </span>
      <span className="shrink-0 text-muted tabular-nums empty:hidden">{count}</span>
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
      className={`${rowLine} w-full border-line/50 text-left outline-offset-[-2px] hover:bg-raised`}
    >
      <span className={columns.Outcome}>
        <SendMark send={send} />
      </span>
      <span className={columns.Event}>
        <TintedEvent event={event ?? ''} />
      </span>
      <span className={`${columns.Received} data text-muted`}>{timeWithDay(send.receivedAt)}</span>
      <span className={`${columns.Time} data text-muted`}>
        {status !== null && ms !== null && `${milliseconds(ms)} ms`}
      </span>
      <span className={`${columns['Sent to']} data text-muted`}>
        <MiddleTruncated text={handler === null ? target : `@${handler}`} tail={10} />
      </span>
      <span className={`${columns.Delivery} data text-small text-subtle`}>
        {shortIdOf(deliveryId)}
      </span>
    </button>
  )
}
