/** The sends of this delivery, newest first, with the selected send's result below. Updates while a replay is running. */
import { useEffect, useRef } from 'react'
import type { Send } from '../../../shared/model/send.ts'
import { useAppParts, useParts } from '../../state/use-app.ts'
import { calendarDay, clockTime, milliseconds } from '../../ui/moment.ts'
import { SendMark } from '../../ui/outcome-mark.tsx'
import { focusedRow } from '../../ui/row-grid.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { ReplayButton } from '../replay/index.ts'
import type { Shown } from './detail-slice.ts'
import { SendDetail } from './send-detail.tsx'
import { SENDS_SHOWN } from './sends-slice.ts'

/** Loads a delivery's sends, again whenever there is a new one: a replay's, or one that a flow or a forward target made. */
function useSends(id: string) {
  const { sends, revision, last, readSends } = useAppParts((state) => ({
    sends: state.detail.sends?.id === id ? state.detail.sends : null,
    revision: state.replay.revision,
    last: state.detail.shown?.delivery.handler?.sendId,
    readSends: state.detail.readSends,
  }))
  useEffect(() => {
    void readSends(id)
  }, [readSends, id, revision, last])
  return sends
}

/** The number of sends, shown in the tab. */
export function SendsCount({ id }: { readonly id: string }) {
  const count = (useSends(id)?.value ?? []).filter(({ state }) => state !== 'waiting').length
  if (count === 0) return null
  return (
    <span className="text-tiny font-normal text-subtle tabular-nums @max-[480px]:hidden">
      {count === SENDS_SHOWN ? `${count}+` : count}
    </span>
  )
}

export function SendsTab({ shown: { delivery } }: { readonly shown: Shown }) {
  const sends = useSends(delivery.id)
  const { sendId: chosen, selectSend: setChosen } = useParts('detail', 'sendId', 'selectSend')
  // Pending sends have nothing to show yet, so only their number is shown.
  const list = sends?.value?.filter(({ state }) => state !== 'waiting') ?? null
  const waiting = (sends?.value?.length ?? 0) - (list?.length ?? 0)
  // If the newest is selected, the selection moves to the next one when it arrives.
  const newest = list?.[0]?.id
  const newestBefore = useRef(newest)
  useEffect(() => {
    if (newestBefore.current !== undefined && newestBefore.current === chosen && chosen !== newest)
      setChosen(null)
    newestBefore.current = newest
  }, [newest, chosen, setChosen])
  const selected = list?.find(({ id }) => id === chosen) ?? list?.[0]
  if (sends !== null && sends.problem !== null) {
    return (
      <p role="alert" className="border-b border-line bg-bad-wash px-5 py-2">
        Couldn't load the replays: {sends.problem}
      </p>
    )
  }
  if (list === null)
    return <div role="status" aria-label="Loading replays" className="late m-5 skeleton h-16" />
  if (selected === undefined) {
    return (
      <div className="px-5 py-4">
        <p className="max-w-[520px] text-muted">
          {waiting === 0
            ? 'No replays yet.'
            : waiting === 1
              ? '1 replay pending.'
              : `${waiting} replays pending.`}{' '}
          Replay sends this delivery to your endpoint with a fresh signature.
        </p>
        <div className="mt-3">
          <ReplayButton rows={[delivery]} />
        </div>
      </div>
    )
  }
  return (
    <div className="flex h-full flex-col">
      {waiting > 0 && (
        <p className="shrink-0 border-b border-line px-5 py-1 text-small text-muted" role="status">
          {waiting} more pending
        </p>
      )}
      <SendList sends={list} selected={selected.id} onSelect={setChosen} />
      <SendDetail
        key={selected.id}
        send={selected}
        before={before(list, selected)}
        others={list.filter(({ id, state }) => id !== selected.id && state === 'settled')}
      />
    </div>
  )
}

/** The previous finished send to the same target with the same changes: the one that the outcome is compared with. */
function before(list: readonly Send[], send: Send): Send | null {
  const older = list.slice(list.indexOf(send) + 1)
  const isAlike = (one: Send) =>
    one.target === send.target &&
    one.tamper === send.tamper &&
    one.edited.join() === send.edited.join() &&
    one.state === 'settled'
  return older.find(isAlike) ?? null
}

function SendList({
  sends,
  selected,
  onSelect,
}: {
  readonly sends: readonly Send[]
  readonly selected: string
  readonly onSelect: (id: string) => void
}) {
  const list = useRef<HTMLDivElement>(null)
  const move = (by: number) => {
    const index = sends.findIndex(({ id }) => id === selected) + by
    const next = sends[Math.max(0, Math.min(index, sends.length - 1))]
    if (next === undefined) return
    onSelect(next.id)
    list.current?.querySelector(`[data-send="${next.id}"]`)?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <div
      ref={list}
      role="listbox"
      aria-label="Replays, newest first"
      aria-activedescendant={`send-${selected}`}
      tabIndex={0}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
        event.preventDefault()
        event.stopPropagation()
        move(event.key === 'ArrowDown' ? 1 : -1)
      }}
      className="group/list max-h-[34%] shrink-0 overflow-auto border-b border-line outline-none"
    >
      {sends.map((send) => (
        <div
          key={send.id}
          id={`send-${send.id}`}
          data-send={send.id}
          role="option"
          tabIndex={-1}
          aria-selected={send.id === selected}
          onClick={() => onSelect(send.id)}
          className={`flex h-7 items-center gap-3 px-5 ${send.id === selected ? `bg-selected ${focusedRow}` : 'hover:bg-raised'}`}
        >
          <SendLine send={send} />
        </div>
      ))}
    </div>
  )
}

function SendLine({ send }: { readonly send: Send }) {
  const at = send.startedAt
  return (
    <>
      <span className="w-32 shrink-0">
        <SendMark send={send} />
      </span>
      <span
        className="data w-24 shrink-0 text-muted @max-[560px]:hidden"
        title={at === null ? '' : `${calendarDay(at)} ${clockTime(at)}`}
      >
        {at === null ? '' : clockTime(at)}
      </span>
      <span className="data w-10 shrink-0 text-right">{send.status ?? '–'}</span>
      <span className="data w-20 shrink-0 text-right whitespace-nowrap text-subtle @max-[480px]:hidden">
        {send.ms === null ? '' : `${milliseconds(send.ms)} ms`}
      </span>
      <span className="data min-w-0 flex-1 truncate text-muted" title={visibleText(send.target)}>
        {visibleText(send.target)}
      </span>
      <Changes send={send} />
    </>
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
  if (marks.length === 0) return null
  // Separate marks if there is room; otherwise one text, truncated.
  return (
    <>
      {marks.map((mark) => (
        <span
          key={mark}
          className="min-w-0 truncate rounded-small border border-line px-1.5 text-tiny text-muted @max-[560px]:hidden"
        >
          {mark}
        </span>
      ))}
      <span
        className="hidden min-w-0 flex-1 truncate text-small text-muted @max-[560px]:block"
        title={marks.join(', ')}
      >
        {marks.join(', ')}
      </span>
    </>
  )
}
