/** The events to choose from, with the number of hooks that receive each. */
import { useId } from 'react'
import { eventMeaning } from '../../../shared/service/event-type.ts'
import { counted } from '../../../shared/text/english.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { classNames } from '../../ui/class-names.ts'
import { eventGroups, refusalReason } from './catalogue.ts'
import type { TriggerDraft } from './trigger-draft.ts'
import { useSandboxPlace } from './use-sandbox.ts'

export function hookWords(count: number): string {
  return count === 0 ? 'no hook' : counted(count, 'hook')
}

export function EventList({ event }: Pick<TriggerDraft, 'event'>) {
  const hooks = useApp((state) => state.core.hooks)
  const changeTrigger = useApp((state) => state.sandbox.changeTrigger)
  const { environment, mode } = useSandboxPlace()
  const name = useId()
  return (
    <div role="radiogroup" aria-label="Event">
      {eventGroups.map(({ label, events }) => (
        <div key={label} role="group" aria-label={label} className="pb-1.5">
          <p className="px-4 pt-2 pb-0.5 text-tiny font-medium text-subtle">{label}</p>
          {events.map((one) => {
            const refused = refusalReason(one, mode)
            const count = hooks.filter(
              (hook) =>
                hook.environment === environment && hook.event === one && hook.status === 'active',
            ).length
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
                    onChange={() => changeTrigger({ event: one })}
                    className="absolute inset-0 opacity-0"
                  />
                  <span
                    className={`data min-w-0 flex-1 truncate ${refused === null ? '' : 'text-subtle'}`}
                  >
                    {one}
                  </span>
                  <span
                    className={`shrink-0 text-tiny ${count > 0 && refused === null ? 'text-muted' : 'text-subtle'}`}
                  >
                    {refused ?? hookWords(count)}
                  </span>
                </span>
                {chosen && <span className="text-small text-muted">{eventMeaning(one)}</span>}
              </label>
            )
          })}
        </div>
      ))}
    </div>
  )
}
