import { ExactText } from './exact-text.tsx'
import { eventColor } from './verdict.tsx'
import { visibleText } from './visible-text.ts'

/** Shows an event's name; `…` replaces first parts without room, as the last ones differ most. */
export function EventLabel({
  event,
  className = '',
}: {
  readonly event: string
  readonly className?: string
}) {
  const name = visibleText(event)
  return (
    <span title={name} className={`event-name data ${className}`} style={cutsOf(name)}>
      <span className="truncate">
        <ExactText text={event} />
      </span>
    </span>
  )
}

/** Returns the style that cuts a name at its dots; none for a name without equally wide letters. */
function cutsOf(name: string) {
  if (!/^[\w.-]+$/.test(name)) return undefined
  let left = name.length
  // Cuts whole parts: the missing width, times 999, exceeds any part.
  const cuts = name.split('.').map((part) => {
    const cut = `clamp(0px, (${left}ch - 100%) * 999, ${part.length + 1}ch)`
    left -= part.length + 1
    return cut
  })
  return {
    width: `calc(${name.length}ch + 1px)`,
    '--length': `${name.length}ch`,
    '--cut': ['0px', ...cuts.slice(0, -1)].join(' + '),
  }
}

/** Shows an event's name behind a dot, both in its color. */
export function TintedEvent({
  event,
  color = eventColor(event),
}: {
  readonly event: string
  readonly color?: string
}) {
  return (
    <span
      className={`flex min-w-0 items-center gap-2 ${color === 'text-text' ? 'text-muted' : color}`}
    >
      <span aria-hidden className="size-1.5 shrink-0 rounded-full bg-current" />
      <EventLabel event={event} />
    </span>
  )
}
