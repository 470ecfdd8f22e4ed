import { eventColor } from './verdict.tsx'
import { visibleText } from './visible-text.ts'

/** Cuts a transaction's event at its start if there is no room; its end tells it from others. */
export const cutAtStart = (event: string) =>
  event.startsWith('transaction.') ? 'text-left [direction:rtl]' : ''

/** Shows an event's name behind a dot, both in its color. */
export function TintedEvent({
  event,
  color = eventColor(event),
}: {
  readonly event: string
  readonly color?: string
}) {
  const name = visibleText(event)
  return (
    <span
      className={`flex min-w-0 items-center gap-2 ${color === 'text-text' ? 'text-muted' : color}`}
      title={name}
    >
      <span aria-hidden className="size-1.5 shrink-0 rounded-full bg-current" />
      <span className={`data min-w-0 truncate ${cutAtStart(event)}`}>
        <bdi>{name}</bdi>
      </span>
    </span>
  )
}
