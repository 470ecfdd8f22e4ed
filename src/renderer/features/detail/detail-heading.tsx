/** The heading: verdict first, then event, time and id, and what to do with the delivery. */
import {
  ChevronDown,
  Copy,
  Ellipsis,
  GitCompareArrows,
  Maximize2,
  Minimize2,
  Pin,
  PinOff,
  StickyNote,
  X,
} from 'lucide-react'
import type { RefObject } from 'react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import { acknowledgementRule } from '../../state/acknowledgement.ts'
import { offeredActions, type DeliveryActionId } from '../../state/delivery-actions.ts'
import { useApp, useAppParts, useAppStore } from '../../state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ActionItems } from '../../ui/delivery-menu.tsx'
import { ExactText, ExactLines } from '../../ui/exact-text.tsx'
import { ButtonMenu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { ago, calendarDay, clockTime, exactTime } from '../../ui/moment.ts'
import { useNow } from '../../ui/use-now.ts'
import {
  StaleMark,
  VerdictBadge,
  attemptTone,
  attemptWord,
  eventWord,
  freshnessWord,
  verdictToneText,
} from '../../ui/verdict.tsx'
import { PinMark } from '../list/index.ts'
import { ReplayButton } from '../replay/index.ts'
import type { Shown } from './detail-slice.ts'

export function DetailHeading({
  shown,
  heading,
}: {
  readonly shown: Shown
  readonly heading: RefObject<HTMLHeadingElement | null>
}) {
  const { delivery } = shown
  const { full, toggleFull, closeDetail, togglePin } = useAppParts((state) => ({
    full: state.detail.mode === 'full',
    toggleFull: state.detail.toggleFull,
    closeDetail: state.detail.close,
    togglePin: state.marks.togglePin,
  }))
  const event = eventWord(delivery)
  const stale = freshnessWord(delivery)
  const attempt = attemptWord(delivery)
  const rule = useApp((state) => acknowledgementRule(state.core.environments, delivery.environment))
  return (
    <header className="shrink-0 pt-2 pr-3 pb-1.5 pl-5 @max-[560px]:pr-2 @max-[560px]:pl-4">
      <div className="flex items-start">
        <h2
          ref={heading}
          tabIndex={-1}
          className="mr-3 flex min-h-7 min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-0.5 rounded-small outline-offset-1"
        >
          <VerdictBadge of={delivery} large />
          {delivery.malformed === null && (
            <span
              className={`min-w-0 font-mono text-base wrap-anywhere ${event.certain ? '' : 'text-muted'}`}
            >
              <ExactText text={event.text} />
            </span>
          )}
          {delivery.pinned && (
            <span className="-ml-1.5 inline-flex items-center">
              <PinMark />
            </span>
          )}
          {stale !== null && <StaleMark word={stale} />}
          {delivery.origin === 'imported' && (
            <span className="text-small font-normal text-muted">imported</span>
          )}
          {attempt !== null && (
            <span
              className={`text-small font-normal ${verdictToneText[attemptTone(delivery, rule)]}`}
            >
              {attempt}
            </span>
          )}
        </h2>
        <span className="flex">
          <IconButton
            label={delivery.pinned ? 'Unpin' : 'Pin'}
            shortcut="pin"
            pressed={delivery.pinned}
            className="@max-[560px]:hidden"
            icon={
              delivery.pinned ? <PinOff size={14} aria-hidden /> : <Pin size={14} aria-hidden />
            }
            onClick={() => togglePin([delivery])}
          />
          <MoreMenu delivery={delivery} />
          <IconButton
            label={full ? 'Show beside the list' : 'Full width'}
            shortcut="full"
            icon={full ? <Minimize2 size={14} aria-hidden /> : <Maximize2 size={14} aria-hidden />}
            onClick={toggleFull}
          />
          <IconButton
            label="Close"
            shortcut="back"
            icon={<X size={15} aria-hidden />}
            onClick={closeDetail}
          />
        </span>
      </div>
      <div className="mt-1 flex min-h-7 flex-wrap items-center gap-x-2 gap-y-1 pr-2 text-small text-muted @max-[560px]:min-h-5">
        <time
          dateTime={delivery.receivedAt}
          title={exactTime(delivery.receivedAt)}
          className="whitespace-nowrap"
        >
          <Day iso={delivery.receivedAt} />
          <span className="data">{clockTime(delivery.receivedAt)}</span>
        </time>
        <span aria-hidden className="text-subtle">
          ·
        </span>
        <Ago iso={delivery.receivedAt} />
        <span aria-hidden className="text-subtle">
          ·
        </span>
        <span className="inline-flex items-center">
          <span className="data" title={delivery.id}>
            {shortIdOf(delivery.id)}
          </span>
          <CopyButton text={delivery.id} label="Copy ID" />
        </span>
        <span className="flex-1" />
        <span className="flex flex-wrap items-center gap-2 @max-[560px]:basis-full @max-[560px]:pb-1">
          {delivery.malformed === null && <ReplayButton rows={[delivery]} named />}
          {delivery.malformed === null && <CompareButton delivery={delivery} />}
          <CopyMenu shown={shown} />
        </span>
      </div>
      {delivery.note !== null && <NoteOf delivery={delivery} note={delivery.note} />}
    </header>
  )
}

/** Today's date is omitted, unless there is a line for it. */
function Day({ iso }: { readonly iso: string }) {
  const day = calendarDay(iso)
  const isToday = day === calendarDay(new Date(useNow(60_000)).toISOString())
  return <span className={isToday ? '@min-[560px]:hidden' : ''}>{day} </span>
}

function Ago({ iso }: { readonly iso: string }) {
  return <span className="whitespace-nowrap">{ago(iso, useNow(5_000))}</span>
}

function CompareButton({ delivery: { id } }: { readonly delivery: DeliveryRow }) {
  const compare = useApp((state) => state.compare.start)
  return (
    <Button
      icon={<GitCompareArrows size={14} aria-hidden />}
      onClick={() => void compare(null, { kind: 'delivery', id })}
    >
      Compare
    </Button>
  )
}

/** Pin, note, export and deletion. */
function MoreMenu({ delivery }: { readonly delivery: DeliveryRow }) {
  const store = useAppStore()
  const items = (...ids: readonly DeliveryActionId[]) => (
    <ActionItems actions={offeredActions(store.getState(), [delivery], ids)} />
  )
  return (
    <ButtonMenu trigger={<IconButton label="More" icon={<Ellipsis size={15} aria-hidden />} />}>
      {items('pin', 'note', 'export')}
      <MenuLine />
      {items('delete')}
    </ButtonMenu>
  )
}

/** Copies the delivery or a part of it. */
function CopyMenu({ shown: { delivery } }: { readonly shown: Shown }) {
  const store = useAppStore()
  const copy = useApp((state) => state.menu.copy)
  const items = (...ids: readonly DeliveryActionId[]) => (
    <ActionItems actions={offeredActions(store.getState(), [delivery], ids)} />
  )
  const headers = delivery.headers.map(([name, value]) => `${name}: ${value}`).join('\r\n')
  return (
    <ButtonMenu
      trigger={
        <Button
          className="gap-1 px-2"
          aria-label="Copy…"
          title="Copy…"
          icon={<Copy size={14} aria-hidden />}
        >
          <ChevronDown size={14} aria-hidden />
        </Button>
      }
    >
      {items('copy-body')}
      {headers !== '' && (
        <MenuItem onClick={() => void copy(headers, 'Copied the headers')}>
          <Copy size={13} aria-hidden className="text-subtle" />
          <span className="flex-1">Copy headers</span>
        </MenuItem>
      )}
      {items('copy-curl', 'copy-markdown', 'copy-id')}
    </ButtonMenu>
  )
}

function NoteOf({ delivery, note }: { readonly delivery: DeliveryRow; readonly note: string }) {
  const editNote = useApp((state) => state.marks.editNote)
  return (
    <button
      type="button"
      aria-label={`Edit note: ${note}`}
      onClick={() => editNote([delivery])}
      className="mt-1.5 flex max-h-24 w-full items-start gap-2 overflow-y-auto rounded-small border border-line bg-raised px-2 py-1 text-left text-small text-muted hover:bg-control hover:text-text"
    >
      <StickyNote size={13} className="mt-0.5 shrink-0" aria-hidden />
      <span className="min-w-0 wrap-anywhere">
        <ExactLines text={note} />
      </span>
    </button>
  )
}
