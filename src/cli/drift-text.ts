/** Prints fields of events and their changes. */
import { FIELD_HEADINGS, fieldChangeWords, fieldWords } from '../shared/drift/change-words.ts'
import type { FieldChange } from '../shared/drift/field-changes.ts'
import type { EventProfile, FieldProfile } from '../shared/drift/profile-schema.ts'
import { deliveryCount } from '../shared/text/english.ts'
import { localStamp } from '../shared/text/time-text.ts'
import { grey, right, type Cell, type Output } from './print.ts'

const headings = FIELD_HEADINGS.map((name) =>
  name === 'Null' || name === 'Absent' ? right(name) : name,
)

function fieldCells(event: EventProfile, field: FieldProfile): Cell[] {
  const { type, nulls, absent, values } = fieldWords(event, field)
  const lastSeen = grey(localStamp(field.last.at).slice(0, 16))
  return [field.path, type, right(nulls), right(absent), lastSeen, values]
}

/** Prints a table of fields per event, without the payload itself. */
export function printFields(output: Output, events: readonly EventProfile[]): void {
  for (const event of events) {
    output.heading(`${event.event}, ${deliveryCount(event.deliveries)}`)
    const fields = event.fields.filter(({ path }) => path !== '$')
    output.table([headings, ...fields.map((field) => fieldCells(event, field))])
  }
}

/** Prints changes in groups by event, each with a delivery that shows it. */
export function printChanges(output: Output, changes: readonly FieldChange[]): void {
  for (const [event, group] of Map.groupBy(changes, (change) => change.event)) {
    output.heading(event)
    output.table(
      group.map((change) => [
        change.path,
        fieldChangeWords(change),
        grey(`${change.change === 'gone' ? 'last in ' : ''}${change.example.id}`),
      ]),
    )
  }
}
