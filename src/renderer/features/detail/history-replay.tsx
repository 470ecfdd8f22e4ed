/** A replay of the history. */
import { RotateCw } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { Send } from '../../../shared/model/send.ts'
import { useAppParts } from '../../ui-state/use-app.ts'
import { MiddleTruncated } from '../../ui/exact-text.tsx'
import { calendarDay, clockTime, exactTime, milliseconds } from '../../ui/moment.ts'
import { SendMark } from '../../ui/outcome-mark.tsx'
import { ReplayResult } from './send-result.tsx'

/** Shows a replay, as wide as a delivery; its result opens below it. */
export function SendView({
  send,
  sends,
  isOpen,
}: {
  readonly send: Send
  readonly sends: readonly Send[]
  readonly isOpen: boolean
}) {
  const { display, isSelected } = useAppParts((state) => ({
    display: state.detail.display,
    isSelected: state.detail.sendId === send.id,
  }))
  const line = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isSelected && isOpen) line.current?.scrollIntoView({ block: 'nearest' })
  }, [isSelected, isOpen])
  const { startedAt: at, status, ms, target, handler } = send
  return (
    <div ref={line}>
      <RotateCw size={14} className="absolute top-[7px] left-0 bg-surface text-muted" />
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => display({ sendId: isOpen ? '' : send.id })}
        className={`-ml-2 flex min-h-7 w-[calc(100%-84px)] min-w-0 flex-wrap items-center gap-x-3 rounded-control px-2 text-left @max-[560px]:w-[calc(100%-24px)] ${isOpen ? 'bg-selected-quiet' : 'hover:bg-raised'}`}
      >
        <span className="sr-only">Replay: </span>
        <span className="w-[104px] shrink-0 @max-[440px]:w-[80px]">
          <SendMark send={send} />
        </span>
        {at !== null && (
          <span className="shrink-0 text-small text-muted" title={exactTime(at)}>
            {calendarDay(at)} <span className="data">{clockTime(at).slice(0, 8)}</span>
          </span>
        )}
        <MiddleTruncated
          text={handler === null ? target : `@${handler}`}
          title={target}
          className="data flex-1 basis-24 text-subtle"
        />
        <Changes send={send} />
        <span className="data shrink-0">{status ?? '–'}</span>
        <span className="data w-16 shrink-0 text-right whitespace-nowrap text-subtle @max-[480px]:hidden">
          {ms !== null && `${milliseconds(ms)} ms`}
        </span>
      </button>
      {isOpen && <ReplayResult send={send} sends={sends} />}
    </div>
  )
}

/** Shows marks for the differences from the captured request. */
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
