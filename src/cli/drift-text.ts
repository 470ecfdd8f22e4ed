/** Prints fields of events and their changes. */
import type { FieldChange, Share } from '../shared/drift/field-changes.ts'
import { enumeration } from '../shared/drift/field-changes.ts'
import { parentCount, presentCount, kindCount } from '../shared/drift/field-profile.ts'
import type { EventProfile, FieldProfile } from '../shared/drift/profile-schema.ts'
import { fieldChangeWords, percent, typeWords } from '../shared/drift/change-words.ts'
import { deliveryCount } from '../shared/text/english.ts'
import { localStamp } from '../shared/text/time-text.ts'
import { grey, right, type Cell, type Output } from './print.ts'

const FIELD_HEADINGS = ['Field', 'Type', right('Null'), right('Absent'), 'Last seen', 'Values']

function shareCell(share: Share | null): Cell {
  return right(share === null || share.count === 0 ? '' : percent(share))
}

function fieldCells(event: EventProfile, field: FieldProfile): Cell[] {
  const of = parentCount(event, field)
  const present = presentCount(field)
  return [
    field.path,
    typeWords(field),
    shareCell({ count: kindCount(field, 'null'), of: present }),
    shareCell(of === null ? null : { count: of - present, of }),
    grey(localStamp(field.last.at).slice(0, 16)),
    (enumeration(field) ?? []).join(', '),
  ]
}

/** Prints a table of fields per event, without the payload itself. */
export function printFields(output: Output, events: readonly EventProfile[]): void {
  for (const event of events) {
    output.heading(`${event.event}, ${deliveryCount(event.deliveries)}`)
    const fields = event.fields.filter(({ path }) => path !== '$')
    output.table([FIELD_HEADINGS, ...fields.map((field) => fieldCells(event, field))])
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
