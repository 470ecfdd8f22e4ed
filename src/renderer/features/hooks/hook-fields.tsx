/** Fields of a hook's payloads, with what changed in them marked. */
import { useState } from 'react'
import { FIELD_HEADINGS, fieldChangeWords, fieldWords } from '../../../shared/drift/change-words.ts'
import type { FieldChange } from '../../../shared/drift/field-changes.ts'
import type { EventProfile, FieldProfile } from '../../../shared/drift/profile-schema.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { counted, deliveryCount } from '../../../shared/text/english.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { calendarDay, exactTime } from '../../ui/moment.ts'
import { Segments } from '../../ui/segments.tsx'
import { useHookFields, type HookFields } from './use-hook-fields.ts'

const SPANS = [
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
] as const

export function HookFieldsPart({ hook }: { readonly hook: Hook }) {
  const [days, setDays] = useState<(typeof SPANS)[number]['value']>('7')
  const { state, start, cancel } = useHookFields(hook.id)
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-muted">Changes of the last</span>
        <Segments label="Changes of the last" options={SPANS} value={days} onChange={setDays} />
        {state.phase === 'reading' ? (
          <Button onClick={cancel}>Cancel</Button>
        ) : (
          <Button onClick={() => void start(Number(days))}>Show fields</Button>
        )}
        <span role="status" className="text-muted tabular-nums">
          {state.phase === 'reading' && `Read ${deliveryCount(state.done)}`}
        </span>
      </div>
      {state.phase === 'failed' && (
        <p role="alert" className="text-bad">
          Couldn't read the fields: {state.problem}
        </p>
      )}
      {state.phase === 'read' && <FieldsOf fields={state.fields} />}
    </div>
  )
}

function FieldsOf({ fields }: { readonly fields: HookFields }) {
  if (fields.events.length === 0)
    return <p className="text-muted">No deliveries whose fields can be read</p>
  return (
    <>
      <p>{resultWords(fields)}</p>
      {fields.events.map((event) => (
        <EventFields key={event.event} event={event} changes={fields.changes} />
      ))}
    </>
  )
}

function resultWords({ days, before, since, changes }: HookFields): string {
  const span = days === 1 ? 'the last day' : `the last ${days} days`
  if (since === 0) return `Nothing to compare: no deliveries in ${span}`
  if (before === 0) return `Nothing to compare: no deliveries before ${span}`
  const sides = `${deliveryCount(since)} compared with ${before.toLocaleString('en')} before`
  if (changes.length === 0) return `No field changed in ${span}: ${sides}`
  return `${counted(changes.length, 'change')} in ${span}: ${sides}`
}

const cell = 'h-7 border-b border-line/50 pr-4 text-left align-top leading-7 font-normal'

function EventFields({
  event,
  changes,
}: {
  readonly event: EventProfile
  readonly changes: readonly FieldChange[]
}) {
  const own = changes.filter((change) => change.event === event.event)
  return (
    <div
      className="overflow-x-auto"
      tabIndex={0}
      role="region"
      aria-label={`Fields of ${event.event}`}
    >
      <table className="w-full border-collapse">
        <thead className="text-small text-subtle">
          <tr>
            {FIELD_HEADINGS.map((name) => (
              <th key={name} scope="col" className={classNames(cell, 'font-medium')}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {event.fields
            .filter(({ path }) => path !== '$')
            .map((field) => (
              <FieldRow
                key={field.path}
                event={event}
                field={field}
                changes={own.filter(({ path }) => path === field.path)}
              />
            ))}
        </tbody>
      </table>
    </div>
  )
}

function FieldRow({
  event,
  field,
  changes,
}: {
  readonly event: EventProfile
  readonly field: FieldProfile
  readonly changes: readonly FieldChange[]
}) {
  const go = useApp((state) => state.navigation.go)
  const { type, nulls, absent, values } = fieldWords(event, field)
  const lastSeen = new Date(field.last.at).toISOString()
  const tint = changes.length > 0 && 'bg-warn-wash'
  return (
    <>
      <tr className={classNames(tint)}>
        <th scope="row" className={classNames(cell, 'data max-w-80 wrap-anywhere')}>
          <ExactText text={field.path} />
        </th>
        <td className={classNames(cell, 'whitespace-nowrap')}>{type}</td>
        <td className={classNames(cell, 'tabular-nums')}>{nulls}</td>
        <td className={classNames(cell, 'tabular-nums')}>{absent}</td>
        <td
          className={classNames(cell, 'whitespace-nowrap text-muted')}
          title={exactTime(lastSeen)}
        >
          {calendarDay(lastSeen)}
        </td>
        <td className={classNames(cell, 'max-w-80 truncate text-muted')}>
          <ExactText text={values} />
        </td>
      </tr>
      {changes.map((change) => (
        <tr key={change.change} className={classNames(tint)}>
          <td colSpan={6} className={classNames(cell, 'pl-4 text-warn')}>
            <span className="flex flex-wrap items-center gap-x-2">
              <ExactText text={fieldChangeWords(change)} />
              <Button kind="quiet" onClick={() => go('deliveries', { id: change.example.id })}>
                {change.change === 'gone' ? 'Show the last one' : 'Show one'}
              </Button>
            </span>
          </td>
        </tr>
      ))}
    </>
  )
}
