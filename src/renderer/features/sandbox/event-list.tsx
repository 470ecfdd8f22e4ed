/** The events to choose from, in their colors; those without a hook say so. */
import { useId } from 'react'
import { eventMeaning, type ShownEventType } from '../../../shared/service/event-type.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { classNames } from '../../ui/class-names.ts'
import { TintedEvent } from '../../ui/tinted-event.tsx'
import { eventGroups, refusalReason } from './catalogue.ts'
import type { TriggerDraft } from './trigger-draft.ts'
import { useSandboxPlace } from './use-sandbox.ts'

export function EventList({ event }: Pick<TriggerDraft, 'event'>) {
  const { environment, mode } = useSandboxPlace()
  const hooks = useApp((state) => state.core.hooks)
  const changeTrigger = useApp((state) => state.sandbox.changeTrigger)
  const name = useId()
  const hooked = new Set(
    hooks
      .filter((hook) => hook.environment === environment && hook.status === 'active')
      .map((hook) => hook.event),
  )
  // Without any hook, the note above the button says it.
  const lacksHook = (one: ShownEventType) => hooked.size > 0 && !hooked.has(one)
  return (
    <div role="radiogroup" aria-label="Event" className="pb-1.5">
      {eventGroups.map(({ label, events }) => (
        <div key={label} role="group" aria-label={label}>
          <p className="px-4 pt-2 pb-0.5 text-tiny font-medium text-subtle">{label}</p>
          {events.map((one) => {
            const refused = refusalReason(one, mode)
            const note = one === event ? eventMeaning(one) : refused
            return (
              <label
                key={one}
                className={classNames(
                  'relative flex min-h-7 flex-col justify-center px-4 py-1 has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent',
                  one === event && 'bg-selected shadow-[inset_2px_0_0_var(--accent)]',
                  one !== event && refused === null && 'hover:bg-raised',
                )}
              >
                <span className="flex items-center justify-between gap-3">
                  <input
                    type="radio"
                    name={name}
                    value={one}
                    checked={one === event}
                    disabled={refused !== null}
                    onChange={() => changeTrigger({ event: one })}
                    className="absolute inset-0 opacity-0"
                  />
                  <span className={refused === null ? 'min-w-0' : 'min-w-0 opacity-75 grayscale'}>
                    <TintedEvent event={one} />
                  </span>
                  {refused === null && lacksHook(one) && (
                    <span
                      className={`shrink-0 text-tiny ${one === event ? 'text-warn' : 'text-subtle'}`}
                    >
                      no hook
                    </span>
                  )}
                </span>
                {note !== null && <span className="pl-3.5 text-small text-muted">{note}</span>}
              </label>
            )
          })}
        </div>
      ))}
    </div>
  )
}
