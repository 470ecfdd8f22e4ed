/** The events the sandbox can trigger, grouped by hook kind. */
import { useId } from 'react'
import type { Mode } from '../../../shared/model/delivery.ts'
import type { ShownEventType } from '../../../shared/service/event-type.ts'
import { useApp } from '../../state/use-app.ts'
import { classNames } from '../../ui/class-names.ts'
import { eventGroups, eventMeanings, refusedIn } from './event-catalogue.ts'

export function EventList({
  environment,
  mode,
  event,
  onChange,
}: {
  readonly environment: string
  readonly mode: Mode
  readonly event: ShownEventType
  readonly onChange: (event: ShownEventType) => void
}) {
  const hooks = useApp((state) => state.core.hooks)
  const name = useId()
  const hooksOf = (wanted: string) =>
    hooks.filter(
      (hook) =>
        hook.environment === environment && hook.event === wanted && hook.status === 'active',
    ).length
  return (
    <div role="radiogroup" aria-label="Event">
      {eventGroups.map(({ label, events }) => (
        <div key={label} role="group" aria-label={label} className="pb-1.5">
          <p className="px-4 pt-2 pb-0.5 text-tiny font-medium text-subtle">{label}</p>
          {events.map((one) => {
            const refused = refusedIn(one, mode)
            const count = hooksOf(one)
            const chosen = one === event
            return (
              <label
                key={one}
                className={classNames(
                  'relative flex flex-col justify-center px-4 py-1 has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent',
                  chosen ? 'bg-selected shadow-[inset_2px_0_0_var(--accent)]' : 'hover:bg-raised',
                )}
              >
                <span className="flex items-baseline gap-3">
                  <input
                    type="radio"
                    name={name}
                    value={one}
                    checked={chosen}
                    disabled={refused !== null}
                    onChange={() => onChange(one)}
                    className="absolute inset-0 opacity-0"
                  />
                  <span
                    className={classNames(
                      'data min-w-0 flex-1 truncate',
                      refused === null ? 'text-text' : 'text-subtle',
                    )}
                  >
                    {one}
                  </span>
                  <span
                    className={classNames(
                      'shrink-0 text-tiny',
                      count > 0 && refused === null ? 'text-muted' : 'text-subtle',
                    )}
                  >
                    {refused ?? hookWords(count)}
                  </span>
                </span>
                {chosen && <span className="text-small text-muted">{eventMeanings[one]}</span>}
              </label>
            )
          })}
        </div>
      ))}
    </div>
  )
}

export function hookWords(count: number): string {
  if (count === 0) return 'no hook'
  return count === 1 ? '1 hook' : `${count} hooks`
}
