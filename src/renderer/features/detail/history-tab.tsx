/**
 * The history of a delivery on one timeline: the events of its purchase or location with their attempts, its replays, and missing
 * events.
 */
import { Check, CircleDashed, GitCompareArrows, Info, RotateCw, TriangleAlert } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import {
  subjectWord,
  type Attempt,
  type Lifecycle,
  type LifecycleStage,
  type MissingStage,
  type Oddity,
} from '../../../shared/model/lifecycle.ts'
import type { Send } from '../../../shared/model/send.ts'
import { counted } from '../../../shared/text/counted.ts'
import { useRead } from '../../core-data/use-read.ts'
import { acknowledgementRule } from '../../ui-state/environments.ts'
import { useApp, useAppParts, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText, Middle } from '../../ui/exact-text.tsx'
import { NotRead } from '../../ui/message.tsx'
import { calendarDay, clockTime, exactTime, longDuration, milliseconds } from '../../ui/moment.ts'
import { SendMark } from '../../ui/outcome-mark.tsx'
import {
  answerTone,
  answerWord,
  attemptTone,
  attemptWord,
  eventWord,
  VerdictBadge,
  verdictToneText,
} from '../../ui/verdict.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { LifecycleTimeline, stageColor } from './lifecycle-timeline.tsx'
import { ReplayResult } from './send-result.tsx'
import type { Shown } from './use-delivery.ts'

const SENDS_SHOWN = 200

/** The replays that have begun, oldest first; pending ones have nothing to show yet. */
function useSends(id: string) {
  const { output, problem, readAgain } = useRead('replay.ofDelivery', { id, limit: SENDS_SHOWN })
  const begun = output?.sends.filter(({ state }) => state !== 'waiting').toReversed()
  return {
    sends: begun,
    pending: (output?.sends.length ?? 0) - (begun?.length ?? 0),
    isCut: output?.sends.length === SENDS_SHOWN,
    problem,
    readAgain,
  }
}

/** The number of other attempts and replays, shown in the tab. */
export function HistoryCount({ shown: { delivery, attempts } }: { readonly shown: Shown }) {
  const { sends = [], isCut } = useSends(delivery.id)
  const count = sends.length + (attempts.length > 1 ? attempts.length : 0)
  if (count === 0) return null
  return isCut ? `${count}+` : count
}

export function HistoryTab({ shown: { delivery } }: { readonly shown: Shown }) {
  const lifecycle = useRead('lifecycle.get', { deliveryId: delivery.id })
  const attempts = useRead('lifecycle.attempts', { deliveryId: delivery.id })
  const replays = useSends(delivery.id)
  const reads = [lifecycle, attempts, replays]
  const problem = reads.map((read) => read.problem).find((one) => one !== null)
  return (
    <div
      className="h-full overflow-auto"
      tabIndex={0}
      role="group"
      aria-label="History"
      aria-busy={replays.pending > 0}
    >
      {problem !== undefined ? (
        <div className="px-5 pt-8">
          <NotRead
            title="Couldn't load the history"
            problem={problem}
            onAgain={() => {
              for (const { problem: found, readAgain } of reads) if (found !== null) readAgain()
            }}
          />
        </div>
      ) : lifecycle.output === undefined ||
        attempts.output === undefined ||
        replays.sends === undefined ? (
        <div role="status" aria-label="Loading history" className="late flex flex-col gap-4 p-5">
          <span className="skeleton h-20" />
          <span className="skeleton h-10" />
          <span className="skeleton h-10" />
        </div>
      ) : (
        <Story
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

/** The event of a delivery that has no lifecycle, or isn't part of it. */
type Event = Pick<LifecycleStage, 'name' | 'receivedAt' | 'deliveries'> & {
  readonly stage: LifecycleStage | null
}

interface StoryProps {
  readonly delivery: Shown['delivery']
  readonly lifecycle: Lifecycle
  readonly attempts: readonly Attempt[]
  readonly sends: readonly Send[]
  readonly pending: number
}

function Story({ delivery, lifecycle, attempts, sends, pending }: StoryProps) {
  const { stages, missing } = lifecycle
  const ack = useApp((state) => acknowledgementRule(state.core.environments, delivery.environment))
  const chosen = useChosenSend(sends)
  const rows = attempts.length > 0 ? attempts.map(({ row }) => row) : [delivery]
  const isStaged = stages.some(({ deliveries }) => deliveries.some(({ id }) => id === delivery.id))
  const own: Event = {
    name: eventWord(delivery).text,
    receivedAt: rows[0]?.receivedAt ?? delivery.receivedAt,
    deliveries: rows,
    stage: null,
  }
  const events: readonly Event[] = [
    ...(isStaged ? [] : [own]),
    ...stages.map((stage) => ({ ...stage, stage })),
  ]
  const listed = new Set(events.flatMap(({ deliveries }) => deliveries.map(({ id }) => id)))
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
      content: <SendView send={send} sends={sends} isOpen={send.id === chosen} />,
    })),
  ].toSorted((one, other) => one.at.localeCompare(other.at))
  return (
    <>
      {lifecycle.kind !== 'none' && <Subject lifecycle={lifecycle} presentId={delivery.id} />}
      {lifecycle.oddities.length > 0 && (
        <ul aria-label="Issues" className="border-y border-line/60">
          {lifecycle.oddities.map((oddity, index) => (
            <OddityView key={index} oddity={oddity} presentId={delivery.id} listed={listed} />
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
      <Related lifecycle={lifecycle} />
    </>
  )
}

/** The replay that is open: the chosen one, else the newest, which the next one replaces when it arrives. */
function useChosenSend(sends: readonly Send[]): string | undefined {
  const { sendId, display } = useParts('detail', 'sendId', 'display')
  const newest = sends.at(-1)?.id
  const newestBefore = useRef(newest)
  useEffect(() => {
    if (newestBefore.current !== newest && sendId === newestBefore.current)
      display({ sendId: null })
    newestBefore.current = newest
  }, [newest, sendId, display])
  return sendId === '' || sends.some(({ id }) => id === sendId) ? (sendId ?? newest) : newest
}

/** An entry of the timeline. Its content begins with its mark on the line. */
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

const markPlace = 'absolute top-1 left-0'

/** The purchase or location: its ID, and its events on two axes. */
function Subject({
  lifecycle,
  presentId,
}: {
  readonly lifecycle: Lifecycle
  readonly presentId: string
}) {
  const { kind, objectId, oddities, isCut, unlinked } = lifecycle
  const subject = subjectWord(lifecycle)
  const issues = oddities.filter(({ level }) => level === 'warn').length
  return (
    <>
      <div className="flex items-center gap-2 px-5 pt-3">
        <h3 className="shrink-0 font-medium">{subject}</h3>
        {objectId !== null && (
          <>
            <Middle text={objectId} tail={8} className="data min-w-0 text-muted" />
            <CopyButton
              text={objectId}
              label={`Copy ${subject.toLowerCase()} ID`}
              className="-ml-1"
            />
          </>
        )}
        <span className="ml-auto shrink-0 text-small text-subtle">
          {issues === 0 ? 'No issues' : counted(issues, 'issue')}
        </span>
      </div>
      {isCut && (
        <p className="px-5 pt-1 text-small text-warn">Showing the latest deliveries only.</p>
      )}
      {unlinked !== null && (
        <p className="px-5 pt-1 text-small text-warn">
          Still linking deliveries: {unlinked.left.toLocaleString('en')} of{' '}
          {unlinked.of.toLocaleString('en')} left. Some may belong to this {kind}.
        </p>
      )}
      <LifecycleTimeline lifecycle={lifecycle} presentId={presentId} />
    </>
  )
}

/** One issue with a purchase or location: the problem, the fix, and the deliveries concerned. */
function OddityView({
  oddity: { level, message, fix, deliveryIds },
  presentId,
  listed,
}: {
  readonly oddity: Oddity
  readonly presentId: string
  /** Ids of the deliveries on the timeline. */
  readonly listed: ReadonlySet<string>
}) {
  const go = useApp((state) => state.navigation.go)
  const [first, second] = deliveryIds
  const others = deliveryIds.filter((id) => id !== presentId)
  const isPair = first !== undefined && second !== undefined
  const openable = isPair ? others.find((id) => !listed.has(id)) : others[0]
  const isIssue = level === 'warn'
  const Icon = isIssue ? TriangleAlert : Info
  return (
    <li className="flex gap-3 px-5 py-2 not-last:border-b not-last:border-line/60">
      <Icon size={15} className={`mt-[3px] shrink-0 ${isIssue ? 'text-warn' : 'text-subtle'}`} />
      <div className="min-w-0 flex-1">
        <p className="font-medium wrap-anywhere">
          <span className="sr-only">{isIssue ? 'Issue: ' : 'Note: '}</span>
          <ExactText text={message} />
        </p>
        <p className="text-muted wrap-anywhere">
          <ExactText text={fix} />
        </p>
      </div>
      <span className="flex shrink-0 flex-col items-end gap-1">
        {isPair && <CompareButton label="Compare" pair={[first, second]} />}
        {openable !== undefined && (
          <Button kind="quiet" onClick={() => go('deliveries', { id: openable })}>
            Open
          </Button>
        )}
      </span>
    </li>
  )
}

function CompareButton({
  label,
  pair: [left, right],
}: {
  readonly label: string
  /** Ids of the two deliveries, the earlier one first. */
  readonly pair: readonly [string, string]
}) {
  const compare = useApp((state) => state.compare.start)
  return (
    <Button
      kind="quiet"
      className="h-6 px-1.5 text-small"
      aria-label={label}
      title={label}
      icon={GitCompareArrows}
      onClick={() => void compare({ kind: 'delivery', id: left }, { kind: 'delivery', id: right })}
    >
      <span className="@max-[560px]:hidden">Compare</span>
    </Button>
  )
}

/** An event with its deliveries: attempts, duplicates, and those of other hooks. */
function EventView({
  event: { name, deliveries, stage },
  before,
  presentId,
  attempts,
}: {
  readonly event: Event
  readonly before: Event | undefined
  readonly presentId: string
  readonly attempts: readonly Attempt[]
}) {
  const color = stage === null ? 'text-text' : stageColor(stage)
  const isProved = stage?.isProved !== false
  // The events of a purchase are below its heading.
  const Heading = stage === null ? 'h3' : 'h4'
  const mark =
    stage !== null && isProved
      ? `${color} border-current bg-current/15`
      : `border-edge ${isProved ? 'bg-raised' : 'border-dashed'}`
  return (
    <>
      <span aria-hidden className={`${markPlace} size-3.5 rounded-full border-2 ${mark}`} />
      <div className="flex flex-wrap items-baseline gap-x-3">
        <Heading className={`font-medium ${isProved ? color : 'text-muted'}`}>
          <ExactText text={name} />
        </Heading>
        {stage !== null && <StageFacts stage={stage} />}
      </div>
      {stage !== null && (
        <dl className="mt-0.5 flex flex-wrap gap-x-5 text-small text-subtle">
          <Time
            name="Event time"
            iso={stage.happenedAt}
            since={before?.stage?.happenedAt ?? null}
          />
          <Time name="Received" iso={stage.receivedAt} since={before?.stage?.receivedAt ?? null} />
        </dl>
      )}
      <ul className="mt-1 -ml-2">
        {deliveries.map((row, index) => {
          const place = attempts.findIndex((one) => one.row.id === row.id)
          const attempt = attempts[place]
          const previous = attempts[place - 1]?.row
          const other = before?.deliveries[0]
          return (
            <li key={row.id}>
              {attempt !== undefined && <Gap attempt={attempt} />}
              <DeliveryLine
                row={row}
                isPresent={row.id === presentId}
                compare={
                  previous !== undefined ? (
                    <CompareButton
                      label="Compare with the previous attempt"
                      pair={[previous.id, row.id]}
                    />
                  ) : (
                    index === 0 &&
                    other !== undefined && (
                      <CompareButton
                        label={`Compare ${before?.name ?? ''} with ${name}`}
                        pair={[other.id, row.id]}
                      />
                    )
                  )
                }
              />
              {attempt !== undefined && <AttemptNotes attempt={attempt} />}
            </li>
          )
        })}
      </ul>
    </>
  )
}

function StageFacts({
  stage: { isProved, status, offer, amount, currency },
}: {
  readonly stage: LifecycleStage
}) {
  return (
    <>
      {!isProved && <span className="text-small text-warn">not verified, so not counted</span>}
      {status !== null && (
        <span className="data">
          <ExactText text={status} />
        </span>
      )}
      <span className="flex-1" />
      {offer !== null && (
        <span className="text-small text-subtle" title={`Offer ${offer.id}`}>
          {offer.cashback === null ? 'offer' : `cashback ${offer.cashback}`}
        </span>
      )}
      {amount !== null && (
        <span className="data font-medium text-text">
          {amount} <ExactText text={currency ?? ''} />
        </span>
      )}
    </>
  )
}

function Time({
  name,
  iso,
  since,
}: {
  readonly name: string
  readonly iso: string | null
  readonly since: string | null
}) {
  const later = iso === null || since === null ? null : Date.parse(iso) - Date.parse(since)
  return (
    <div className="flex gap-1.5">
      <dt>{name}</dt>
      <dd className="text-muted" {...(iso === null ? {} : { title: exactTime(iso) })}>
        {iso === null ? (
          'unknown'
        ) : (
          <>
            {calendarDay(iso)} <span className="data">{clockTime(iso)}</span>
            {later !== null && (
              <span className="text-subtle">
                {' '}
                {later < 0 ? `${longDuration(-later)} before` : `+ ${longDuration(later)}`}
              </span>
            )}
          </>
        )}
      </dd>
    </div>
  )
}

function DeliveryLine({
  row,
  isPresent,
  compare,
}: {
  readonly row: DeliveryRow
  readonly isPresent: boolean
  /** At the end of the row. */
  readonly compare: ReactNode
}) {
  const { go, rule } = useAppParts((state) => ({
    go: state.navigation.go,
    rule: acknowledgementRule(state.core.environments, row.environment),
  }))
  const note = attemptWord(row)
  return (
    <div className="flex items-center gap-1">
      <button
        type="button"
        aria-current={isPresent}
        onClick={() => go('deliveries', { id: row.id })}
        className={`flex min-h-7 min-w-0 flex-1 items-center gap-x-3 rounded-control px-2 text-left ${isPresent ? 'bg-selected' : 'hover:bg-raised'}`}
      >
        <span className="w-[104px] shrink-0 @max-[440px]:w-[80px]">
          <VerdictBadge of={row} />
        </span>
        <span className="data shrink-0 text-muted">{clockTime(row.receivedAt)}</span>
        <span className="min-w-0 flex-1 truncate text-small text-subtle">
          {isPresent ? 'this delivery' : ''}
          {isPresent && note !== null ? ', ' : ''}
          <span className={verdictToneText[attemptTone(row, rule)]}>{note ?? ''}</span>
        </span>
        <span className={`data shrink-0 ${verdictToneText[answerTone(row, rule)]}`}>
          {answerWord(row)}
        </span>
        {row.answer.ms !== null && (
          <span className="data w-16 shrink-0 text-right whitespace-nowrap text-subtle @max-[480px]:hidden">
            {milliseconds(row.answer.ms)} ms
          </span>
        )}
      </button>
      <span className="flex w-22 shrink-0 justify-end @max-[560px]:w-7">{compare}</span>
    </div>
  )
}

function Gap({ attempt: { gapMs, expectedGapMs } }: { readonly attempt: Attempt }) {
  return (
    gapMs !== null && (
      <p aria-hidden className="flex gap-2 px-2 py-1.5 text-small text-muted">
        <span className="data">+ {longDuration(gapMs)}</span>
        {expectedGapMs !== null && (
          <span className="text-subtle">expected + {longDuration(expectedGapMs)}</span>
        )}
      </p>
    )
  )
}

/** What follows from an attempt's response, and what should and shouldn't differ from the first. */
function AttemptNotes({ attempt: { message, checks } }: { readonly attempt: Attempt }) {
  return (
    <div className="px-2 pb-1 text-small">
      <p className="text-muted">{message}</p>
      {checks.length > 0 && (
        <ul className="mt-1 grid gap-y-0.5">
          {checks.map(({ what, holds, must, message: said }) => {
            const Icon = holds ? Check : TriangleAlert
            return (
              <li
                key={what}
                className={`flex items-start gap-1.5 ${holds ? 'text-subtle' : 'text-warn'}`}
              >
                <Icon size={13} className={`mt-0.5 shrink-0 ${holds ? 'text-ok' : ''}`} />
                <span className="wrap-anywhere">
                  <ExactText text={said} />
                  <span className="sr-only">
                    {holds
                      ? ''
                      : must === 'differ'
                        ? ' It must differ.'
                        : ' It must stay the same.'}
                  </span>
                </span>
              </li>
            )
          })}
        </ul>
      )}
    </div>
  )
}

/** A replay, whose result opens below it. */
function SendView({
  send,
  sends,
  isOpen,
}: {
  readonly send: Send
  readonly sends: readonly Send[]
  readonly isOpen: boolean
}) {
  const { display, isAsked } = useAppParts((state) => ({
    display: state.detail.display,
    isAsked: state.detail.sendId === send.id,
  }))
  const line = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isAsked && isOpen) line.current?.scrollIntoView({ block: 'nearest' })
  }, [isAsked, isOpen])
  const { startedAt: at, status, ms, target } = send
  return (
    <div ref={line}>
      <RotateCw size={14} className="absolute top-[7px] left-0 bg-surface text-muted" />
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => display({ sendId: isOpen ? '' : send.id })}
        className={`-ml-2 flex min-h-7 w-full min-w-0 flex-wrap items-center gap-x-3 rounded-control px-2 text-left ${isOpen ? 'bg-selected-quiet' : 'hover:bg-raised'}`}
      >
        <span className="sr-only">Replay: </span>
        <span className="w-[104px] shrink-0 @max-[440px]:w-[80px]">
          <SendMark send={send} />
        </span>
        {at !== null && (
          <span className="data shrink-0 text-muted" title={exactTime(at)}>
            {clockTime(at)}
          </span>
        )}
        <span className="data min-w-0 flex-1 truncate text-subtle" title={visibleText(target)}>
          {visibleText(target)}
        </span>
        <Changes send={send} />
        <span className="data shrink-0">{status ?? '–'}</span>
        {ms !== null && (
          <span className="data w-16 shrink-0 text-right whitespace-nowrap text-subtle @max-[480px]:hidden">
            {milliseconds(ms)} ms
          </span>
        )}
      </button>
      {isOpen && <ReplayResult send={send} sends={sends} />}
    </div>
  )
}

/** Marks for everything that differs from the captured request. */
function Changes({
  send: { tamper, edited, kind },
}: {
  readonly send: Pick<Send, 'tamper' | 'edited' | 'kind'>
}) {
  const marks = [
    ...(kind === 'forward' ? ['forwarded'] : kind === 'flow' ? ['flow'] : []),
    ...(tamper === null ? [] : [`tampered: ${tamper}`]),
    ...(edited.length === 0 ? [] : [`changed ${edited.join(', ')}`]),
  ]
  return marks.map((mark) => (
    <span
      key={mark}
      className="max-w-[40%] truncate rounded-small border border-line px-1.5 text-tiny text-muted"
      title={mark}
    >
      {mark}
    </span>
  ))
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

const relatedNames = {
  card: 'Same card',
  brand: 'Same brand',
  location: 'Same location',
  program: 'Same program',
  offer: 'Same offer',
  purchase: 'Same purchase',
} as const

/** Deliveries that refer to the same objects. Each is a filter for the list. */
function Related({ lifecycle: { related } }: { readonly lifecycle: Lifecycle }) {
  const setDraft = useApp((state) => state.filter.setDraft)
  if (related.length === 0) return null
  return (
    <div className="border-t border-line/60 px-5 py-3">
      <h3 className="text-small font-medium text-muted">Related deliveries</h3>
      <ul className="mt-1 flex flex-wrap gap-1.5">
        {related.map(({ kind, id, deliveries, isMore }) => (
          <li key={kind + id}>
            <Button
              title={`Filter by ${id}`}
              className="font-normal"
              onClick={() => setDraft(`"${id}"`)}
            >
              {relatedNames[kind]}
              <span className="text-small text-subtle tabular-nums">
                {deliveries.toLocaleString('en')}
                {isMore ? '+' : ''}
              </span>
            </Button>
          </li>
        ))}
      </ul>
    </div>
  )
}
