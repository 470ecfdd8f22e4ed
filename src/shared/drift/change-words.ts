/** Words of fields and their changes, for every place that shows them. */
import { listed } from '../text/english.ts'
import { enumeration, type FieldChange, type Share } from './field-changes.ts'
import { kindCount, parentCount, presentCount } from './field-profile.ts'
import {
  VALUE_KINDS,
  type EventProfile,
  type FieldProfile,
  type ValueKind,
} from './profile-schema.ts'

/** Formats `12.5%`; what rounds to 0% or 100% isn't said to be none or all. */
function percent({ count, of }: Share): string {
  const value = (100 * count) / of
  if (count > 0 && value < 0.1) return '<0.1%'
  if (count < of && value > 99.9) return '>99.9%'
  return `${Number(value.toFixed(1))}%`
}

function shareWords(share: Share): string {
  return `${share.count.toLocaleString('en')} of ${share.of.toLocaleString('en')}`
}

const sortedKinds = (kinds: readonly ValueKind[]) =>
  VALUE_KINDS.filter((kind) => kinds.includes(kind))

/** Returns `string or number`; null isn't a type. */
function typeWords({ kinds }: Pick<FieldProfile, 'kinds'>): string {
  const types = sortedKinds(kinds.map(({ kind }) => kind).filter((kind) => kind !== 'null'))
  return types.length === 0 ? 'null' : listed(types, 'or')
}

export const FIELD_HEADINGS = ['Field', 'Type', 'Null', 'Absent', 'Last seen', 'Values'] as const

/** Returns what a table shows of a field, besides its path and times. */
export function fieldWords(event: EventProfile, field: FieldProfile) {
  const of = parentCount(event, field)
  const present = presentCount(field)
  const share = (count: number, total: number) => (count === 0 ? '' : percent({ count, of: total }))
  return {
    type: typeWords(field),
    nulls: share(kindCount(field, 'null'), present),
    absent: of === null ? '' : share(of - present, of),
    values: (enumeration(field) ?? []).join(', '),
  }
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(', ')
}

/** Says a change with its numbers: `null in 12 of 40; before 1 of 4,000`. */
export function fieldChangeWords(change: FieldChange): string {
  switch (change.change) {
    case 'new':
      return `new, in ${shareWords(change.since)}`
    case 'gone':
      return `gone, in ${shareWords(change.since)}; before in ${shareWords(change.before)}`
    case 'absent':
    case 'null':
      return `${change.change} in ${shareWords(change.since)}; before in ${shareWords(change.before)}`
    case 'type':
      return `${listed(sortedKinds(change.since), 'or')}; before ${listed(sortedKinds(change.before), 'or')}`
    case 'value':
      return `new value ${quoted(change.since)}; before only ${quoted(change.before)}`
  }
}
