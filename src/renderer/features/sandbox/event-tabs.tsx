/** Tabs of the events that a trigger sends, in sending order. */
import type { KeyboardEvent } from 'react'
import type { TriggerPreview } from '../../../shared/model/sandbox.ts'
import { classNames } from '../../ui/class-names.ts'
import { TintedEvent } from '../../ui/tinted-event.tsx'

export function EventTabs({
  events,
  at,
  isLocked,
  onShow,
}: {
  readonly events: TriggerPreview['events']
  readonly at: number
  /** The shown payload has a mistake to correct first. */
  readonly isLocked: boolean
  readonly onShow: (place: number) => void
}) {
  const move = ({ key, currentTarget }: KeyboardEvent<HTMLElement>) => {
    const next = at + (key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0)
    const tab = currentTarget.parentElement?.children[next]
    if (isLocked || next === at || !(tab instanceof HTMLElement)) return
    onShow(next)
    tab.focus()
  }
  const isAnyHooked = events.some(({ hooks }) => hooks > 0)
  return (
    <div
      role="tablist"
      aria-label="Events in sending order"
      className="flex min-w-0 flex-1 flex-wrap items-center"
    >
      {events.map(({ event, hooks }, place) => (
        <button
          key={place}
          type="button"
          role="tab"
          aria-selected={place === at}
          tabIndex={place === at ? 0 : -1}
          disabled={isLocked && place !== at}
          title={isLocked && place !== at ? 'Correct the shown payload first' : undefined}
          onClick={() => onShow(place)}
          onKeyDown={move}
          className={classNames(
            'flex h-9 max-w-full items-center gap-2 border-b-2 px-2.5 disabled:opacity-60',
            place === at
              ? 'border-accent text-text'
              : 'border-transparent text-muted hover:text-text',
          )}
        >
          {events.length > 1 && <span className="data text-subtle">{place + 1}</span>}
          <TintedEvent event={event} />
          {hooks === 0 && isAnyHooked && <span className="text-tiny text-warn">no hook</span>}
        </button>
      ))}
    </div>
  )
}
