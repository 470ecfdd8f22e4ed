/** The History tab: events of a purchase or location, attempts, replays and missing events. */
import { CircleDashed } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'
import type { Attempt, Lifecycle, MissingStage } from '../../../shared/model/lifecycle.ts'
import type { Send } from '../../../shared/model/send.ts'
import { counted } from '../../../shared/text/english.ts'
import { useRead } from '../../core-data/use-read.ts'
import { acknowledgementRule } from '../../core-data/environments.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { LoadProblem } from '../../ui/message.tsx'
import { calendarDay, clockTime } from '../../ui/moment.ts'
import { eventWord } from '../../ui/verdict.tsx'
import type { DeliveryView } from './use-delivery.ts'
import { type HistoryEvent, EventView, markPlace } from './history-event.tsx'
import { SendView } from './history-replay.tsx'
import { LifecycleSubject, LifecycleIssue, RelatedDeliveries } from './lifecycle-overview.tsx'

const SENDS_SHOWN = 200

/** Reads a delivery's replays that have begun, oldest first, and counts the pending ones. */
function useSends(id: string) {
  const { output, problem, readAgain } = useRead('replay.ofDelivery', { id, limit: SENDS_SHOWN })
  const startedSends = output?.sends.filter(({ state }) => state !== 'waiting').toReversed()
  return {
    sends: startedSends,
    pending: (output?.sends.length ?? 0) - (startedSends?.length ?? 0),
    isCut: output?.sends.length === SENDS_SHOWN,
    problem,
    readAgain,
  }
}

/** Shows the number of attempts and replays on the tab. */
export function HistoryCount({ shown: { delivery, attempts } }: { readonly shown: DeliveryView }) {
  const { sends = [], isCut } = useSends(delivery.id)
  const count = sends.length + (attempts.length > 1 ? attempts.length : 0)
  if (count === 0) return null
  return isCut ? `${count}+` : count
}

export function HistoryTab({ shown: { delivery } }: { readonly shown: DeliveryView }) {
  const lifecycle = useRead('lifecycle.get', { deliveryId: delivery.id })
  const attempts = useRead('lifecycle.attempts', { deliveryId: delivery.id })
  const replays = useSends(delivery.id)
  const reads = [lifecycle, attempts, replays]
  const problem = reads.map((read) => read.problem).find((text) => text !== null)
  return (
    <div
      className="h-full overflow-auto"
      tabIndex={0}
      role="group"
      aria-label="History"
      aria-busy={replays.pending > 0}
    >
      {problem !== undefined ? (
        <LoadProblem
          title="Couldn't load the history"
          problem={problem}
          onAgain={() => {
            for (const read of reads) if (read.problem !== null) read.readAgain()
          }}
        />
      ) : lifecycle.output === undefined ||
        attempts.output === undefined ||
        replays.sends === undefined ? (
        <div role="status" aria-label="Loading history" className="late flex flex-col gap-4 p-5">
          <span className="skeleton h-20" />
          <span className="skeleton h-10" />
          <span className="skeleton h-10" />
        </div>
      ) : (
        <HistoryEntries
          delivery={delivery}
          lifecycle={lifecycle.output}
          attempts={attempts.output.attempts}
          sends={replays.sends}
          pending={replays.pending}
        />
      )}
    </div>
  )
}

interface HistoryEntriesProps {
  readonly delivery: DeliveryView['delivery']
  readonly lifecycle: Lifecycle
  readonly attempts: readonly Attempt[]
  readonly sends: readonly Send[]
  readonly pending: number
}

function HistoryEntries({ delivery, lifecycle, attempts, sends, pending }: HistoryEntriesProps) {
  const { stages, missing } = lifecycle
  const ack = useApp((state) => acknowledgementRule(state.core.environments, delivery.environment))
  const openSend = useOpenSend(sends)
  const rows = attempts.length > 0 ? attempts.map(({ row }) => row) : [delivery]
  const isStaged = stages.some(({ deliveries }) => deliveries.some(({ id }) => id === delivery.id))
  const ownEvent: HistoryEvent = {
    name: eventWord(delivery).text,
    receivedAt: rows[0]?.receivedAt ?? delivery.receivedAt,
    deliveries: rows,
    stage: null,
  }
  const events: readonly HistoryEvent[] = [
    ...(isStaged ? [] : [ownEvent]),
    ...stages.map((stage) => ({ ...stage, stage })),
  ]
  const listedIds = new Set(events.flatMap(({ deliveries }) => deliveries.map(({ id }) => id)))
  const entries = [
    ...events.map((event, index) => ({
      at: event.receivedAt,
      key: `${event.name} ${event.receivedAt} ${index}`,
      content: (
        <EventView
          event={event}
          before={events[index - 1]}
          presentId={delivery.id}
          attempts={attempts}
        />
      ),
    })),
    ...sends.map((send) => ({
      at: send.startedAt ?? '',
      key: send.id,
      content: <SendView send={send} sends={sends} isOpen={send.id === openSend} />,
    })),
  ].toSorted((left, right) => left.at.localeCompare(right.at))
  return (
    <>
      {lifecycle.kind !== 'none' && (
        <LifecycleSubject lifecycle={lifecycle} presentId={delivery.id} />
      )}
      {lifecycle.findings.length > 0 && (
        <ul aria-label="Issues" className="border-y border-line/60">
          {lifecycle.findings.map((finding, index) => (
            <LifecycleIssue
              key={index}
              finding={finding}
              presentId={delivery.id}
              listedIds={listedIds}
            />
          ))}
        </ul>
      )}
      {attempts.length > 1 && (
        <p className="px-5 pt-3 text-small text-muted">
          Delivered {attempts.length === 2 ? 'twice' : `${attempts.length} times`}. Without a {ack}{' '}
          within 20 seconds, the service retries after one minute, then after two.
        </p>
      )}
      <ol aria-label="Events" className="px-5 pt-4">
        {entries.map(({ key, content }, index) => (
          <Entry key={key} isLast={index === entries.length - 1 && missing.length === 0}>
            {content}
          </Entry>
        ))}
        {missing.map((stage, index) => (
          <Entry key={`${stage.event} ${stage.name}`} isLast={index === missing.length - 1}>
            <MissingView stage={stage} />
          </Entry>
        ))}
      </ol>
      <p role="status" className="px-5 pb-3 text-small text-muted empty:hidden">
        {pending > 0 && `${counted(pending, 'replay')} pending`}
        {pending === 0 && sends.length === 0 && 'No replays yet.'}
      </p>
      <RelatedDeliveries lifecycle={lifecycle} />
    </>
  )
}

/**
 * Returns the id of the open replay: the selected one, else the newest; empty if all are closed.
 */
function useOpenSend(sends: readonly Send[]): string | undefined {
  const { sendId, display } = useParts('detail', 'sendId', 'display')
  const newest = sends.at(-1)?.id
  const previousNewest = useRef(newest)
  useEffect(() => {
    if (previousNewest.current !== newest && sendId === previousNewest.current)
      display({ sendId: null })
    previousNewest.current = newest
  }, [newest, sendId, display])
  return sendId === '' || sends.some(({ id }) => id === sendId) ? (sendId ?? newest) : newest
}

/** Draws an entry of the timeline; its content begins with the mark on the line. */
function Entry({ isLast, children }: { readonly isLast: boolean; readonly children: ReactNode }) {
  return (
    <li className="relative pb-4 pl-[26px]">
      {!isLast && (
        <span aria-hidden className="absolute top-5 bottom-0 left-[6.5px] w-px bg-line" />
      )}
      {children}
    </li>
  )
}

function MissingView({
  stage: { name, from, to, isLate, message, fix },
}: {
  readonly stage: MissingStage
}) {
  return (
    <>
      <CircleDashed size={14} className={`${markPlace} ${isLate ? 'text-warn' : 'text-subtle'}`} />
      <h4 className="flex flex-wrap items-baseline gap-x-3 font-medium text-muted">
        {name}
        <span className={`text-small font-normal ${isLate ? 'text-warn' : 'text-subtle'}`}>
          {isLate ? 'missing' : 'pending'}
        </span>
      </h4>
      {from !== null && to !== null && from !== to && (
        <p className="text-small text-subtle">
          Expected {calendarDay(from)} <span className="data">{clockTime(from).slice(0, 5)}</span> –{' '}
          {calendarDay(to)} <span className="data">{clockTime(to).slice(0, 5)}</span> (event time)
        </p>
      )}
      <p className="mt-0.5 wrap-anywhere">
        <ExactText text={message} /> <span className="text-muted">{fix}</span>
      </p>
    </>
  )
}
