/** The heading: verdict first, then event, time and id. */
import { Maximize2, Minimize2, X, StickyNote } from 'lucide-react'
import type { RefObject } from 'react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { useAppParts, useApp } from '../../state/use-app.ts'
import { IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText, ExactLines } from '../../ui/exact-text.tsx'
import { Middle } from '../../ui/middle.tsx'
import { ago, calendarDay, clockTime, exactTime } from '../../ui/moment.ts'
import { useNow } from '../../ui/use-now.ts'
import { StaleMark, VerdictBadge, attemptWord, eventWord, freshnessWord } from '../../ui/verdict.tsx'
import { MarksBar, PinAndColour } from '../list/index.ts'
import { ReplayButton } from '../replay/index.ts'
import type { Shown } from './detail-slice.ts'

export interface DetailHeadingProps {
  readonly shown: Shown
  readonly heading: RefObject<HTMLHeadingElement | null>
}

export function DetailHeading({ shown: { delivery }, heading }: DetailHeadingProps) {
  const { full, toggleFull, closeDetail } = useAppParts((state) => ({
    full: state.detail.mode === 'full',
    toggleFull: state.detail.toggleFull,
    closeDetail: state.detail.close,
  }))
  const event = eventWord(delivery)
  const stale = freshnessWord(delivery)
  const attempt = attemptWord(delivery)
  return (
    <header className="shrink-0 pt-3 pr-3 pb-2 pl-5">
      <div className="flex flex-wrap items-start gap-y-0.5">
        <h2
          ref={heading}
          tabIndex={-1}
          className="mr-3 flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-0.5 rounded-small outline-offset-4"
        >
          <VerdictBadge of={delivery} large />
          {delivery.malformed === null && (
            <span className={`min-w-0 font-mono wrap-anywhere text-base ${event.certain ? '' : 'text-muted'}`}>
              <ExactText text={event.text} />
            </span>
          )}
          {(delivery.pinned || delivery.colour !== null) && (
            <span className="-ml-1.5 inline-flex items-center">
              <PinAndColour marks={delivery} />
            </span>
          )}
          {stale !== null && <StaleMark word={stale} />}
          {delivery.origin === 'imported' && <span className="text-small font-normal text-muted">imported</span>}
          {attempt !== null && <span className="text-small font-normal text-muted">{attempt}</span>}
        </h2>
        {/* In a narrow pane these get their own line, so that the heading isn't cut off. */}
        <span className="-mt-0.5 flex flex-wrap @max-[560px]:order-last @max-[560px]:mt-1 @max-[560px]:basis-full">
          {delivery.malformed === null && (
            <span className="mr-1 flex">
              <ReplayButton rows={[delivery]} />
            </span>
          )}
          <MarksBar rows={[delivery]} />
        </span>
        <span className="-mt-0.5 flex">
          <IconButton
            label={full ? 'Show beside the list' : 'Full width'}
            shortcut="full"
            icon={full ? <Minimize2 size={14} aria-hidden /> : <Maximize2 size={14} aria-hidden />}
            onClick={toggleFull}
          />
          <IconButton label="Close" shortcut="back" icon={<X size={15} aria-hidden />} onClick={closeDetail} />
        </span>
        <div className="flex min-w-0 basis-full items-center gap-x-2 text-small text-subtle @max-[360px]:flex-wrap">
          <time dateTime={delivery.receivedAt} title={exactTime(delivery.receivedAt)} className="shrink-0 whitespace-nowrap">
            {calendarDay(delivery.receivedAt)} <span className="data text-muted">{clockTime(delivery.receivedAt)}</span>
          </time>
          <span aria-hidden>·</span>
          <Ago iso={delivery.receivedAt} />
          <span aria-hidden>·</span>
          <span className="inline-flex min-w-0 items-center gap-1">
            <Middle text={delivery.id} tail={8} className="data" />
            <CopyButton text={delivery.id} label="Copy ID" />
          </span>
        </div>
      </div>
      {delivery.note !== null && <NoteOf delivery={delivery} note={delivery.note} />}
    </header>
  )
}

function Ago({ iso }: { readonly iso: string }) {
  return <span className="shrink-0 whitespace-nowrap">{ago(iso, useNow(5_000))}</span>
}

function NoteOf({ delivery, note }: { readonly delivery: DeliveryRow; readonly note: string }) {
  const editNote = useApp((state) => state.marks.editNote)
  return (
    <button
      type="button"
      aria-label={`Edit note: ${note}`}
      onClick={() => {
        editNote([delivery])
      }}
      className="mt-1.5 flex max-h-24 w-full items-start gap-2 overflow-y-auto rounded-small border border-line bg-raised px-2 py-1 text-left text-small text-muted hover:bg-control hover:text-text"
    >
      <StickyNote size={13} className="mt-0.5 shrink-0" aria-hidden />
      <span className="min-w-0 wrap-anywhere">
        <ExactLines text={note} />
      </span>
    </button>
  )
}
