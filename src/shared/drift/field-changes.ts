/** Changes of events' fields between two profiles. */
import { kindCount, parentCount, presentCount } from './field-profile.ts'
import type { EventProfile, FieldProfile, Profile, Sighting, ValueKind } from './profile-schema.ts'

/** Part of a total. */
export interface Share {
  readonly count: number
  readonly of: number
}

interface Compared<Value> {
  readonly before: Value
  readonly since: Value
}

export type FieldChange = {
  readonly event: string
  readonly path: string
  /** Delivery that shows the change; of a field that is gone, the last one that had it. */
  readonly example: Sighting
} & (
  | { readonly change: 'new'; readonly since: Share }
  | ({ readonly change: 'gone' | 'absent' | 'null' } & Compared<Share>)
  | ({ readonly change: 'type' } & Compared<readonly ValueKind[]>)
  | ({ readonly change: 'value' } & Compared<readonly string[]>)
)

export interface FieldChanges {
  readonly changes: readonly FieldChange[]
  /** Events that only one side has. */
  readonly uncompared: readonly string[]
}

/** Lists what is new, gone, of another type, more often null or absent, or has a new value. */
export function fieldChanges(before: Profile, since: Profile): FieldChanges {
  const earlier = new Map(before.events.map((event) => [event.event, event]))
  const names = new Set([...before.events, ...since.events].map(({ event }) => event))
  const compared = since.events.flatMap((event) => {
    const other = earlier.get(event.event)
    return other === undefined ? [] : [[other, event] as const]
  })
  for (const [{ event }] of compared) names.delete(event)
  return {
    changes: compared.flatMap(([old, now]) => changesOf(old, now)),
    uncompared: [...names].sort(),
  }
}

/** Returns changes of one event; fields in a new or gone object are part of that change. */
function changesOf(before: EventProfile, since: EventProfile): FieldChange[] {
  const earlier = new Map(before.fields.map((field) => [field.path, field]))
  const current = new Map(since.fields.map((field) => [field.path, field]))
  const { event } = since
  const added = since.fields.flatMap((field): FieldChange[] => {
    const holder = field.parent === null ? undefined : earlier.get(field.parent)
    if (earlier.has(field.path) || holder === undefined) return []
    const share = { count: presentCount(field), of: parentCount(since, field) ?? 0 }
    if (!isMoreOften({ count: 0, of: kindCount(holder, 'object') }, share)) return []
    return [{ change: 'new', event, path: field.path, since: share, example: field.last }]
  })
  const others = before.fields.flatMap((field): FieldChange[] => {
    const now = current.get(field.path)
    const presence = presenceChange(before, since, field, now)
    return now === undefined ? presence : [...presence, ...valueChanges(event, field, now)]
  })
  return [...added, ...others].sort((one, other) => (one.path < other.path ? -1 : 1))
}

/** Returns that a field is gone, or more often absent from the objects that could have it. */
function presenceChange(
  before: EventProfile,
  since: EventProfile,
  field: FieldProfile,
  now: FieldProfile | undefined,
): FieldChange[] {
  const total = parentCount(before, field)
  if (total === null) return []
  const present = now === undefined ? 0 : presentCount(now)
  const newTotal = parentCount(since, field) ?? 0
  const was: Share = { count: total - presentCount(field), of: total }
  const is: Share = { count: newTotal - present, of: newTotal }
  const about = { event: since.event, path: field.path, example: field.last }
  if (!isMoreOften(was, is)) return []
  return present > 0
    ? [{ ...about, change: 'absent', before: was, since: is }]
    : [{ ...about, change: 'gone', before: presentShare(was), since: presentShare(is) }]
}

const presentShare = ({ count, of }: Share): Share => ({ count: of - count, of })

function valueChanges(event: string, before: FieldProfile, since: FieldProfile): FieldChange[] {
  const changes: FieldChange[] = []
  const about = { event, path: since.path }
  const typesOf = ({ kinds }: FieldProfile) => kinds.filter(({ kind }) => kind !== 'null')
  const oldKinds = typesOf(before).map(({ kind }) => kind)
  // A service doesn't choose types by chance: one delivery with another type is a change.
  const otherKind = typesOf(since).find(({ kind }) => !oldKinds.includes(kind))
  if (otherKind !== undefined && oldKinds.length > 0)
    changes.push({
      ...about,
      change: 'type',
      before: oldKinds,
      since: typesOf(since).map(({ kind }) => kind),
      example: otherKind.last,
    })
  const nullShare = (field: FieldProfile): Share => ({
    count: kindCount(field, 'null'),
    of: presentCount(field),
  })
  const nulls = since.kinds.find(({ kind }) => kind === 'null')
  if (nulls !== undefined && isMoreOften(nullShare(before), nullShare(since)))
    changes.push({
      ...about,
      change: 'null',
      before: nullShare(before),
      since: nullShare(since),
      example: nulls.last,
    })
  const known = enumeration(before)
  const words = since.words ?? []
  const newWords = words.filter(({ word }) => !known?.includes(word))
  const [firstWord] = newWords
  const newShare = { count: totalOf(newWords), of: totalOf(words) }
  const hadNone = { count: 0, of: totalOf(before.words ?? []) }
  if (known !== null && firstWord !== undefined && isMoreOften(hadNone, newShare))
    changes.push({
      ...about,
      change: 'value',
      before: known,
      since: newWords.map(({ word }) => word),
      example: firstWord.last,
    })
  return changes
}

/** Deliveries per word from which a small set of words counts as complete. */
const SEEN_PER_WORD = 10

/** Returns the words of a field whose set looks complete, or null. */
export function enumeration({ words }: FieldProfile): string[] | null {
  if (words === null || words.length === 0) return null
  return totalOf(words) >= SEEN_PER_WORD * words.length ? words.map(({ word }) => word) : null
}

interface Counted {
  readonly count: number
}

const totalOf = (rows: readonly Counted[]) => rows.reduce((sum, { count }) => sum + count, 0)

/** Deliveries that never had what all later ones have, from which it counts as new. */
const NEVER = 5
/** Number of these later deliveries. */
const ALWAYS = 2

/** Value of the G-test that chance exceeds in one of about 16,000 comparisons. */
const NO_CHANCE = 16

/** Whether a share rose, and by more than chance explains (likelihood ratio, G-test). */
function isMoreOften(before: Share, since: Share): boolean {
  if (before.of === 0 || since.of === 0 || since.count * before.of <= before.count * since.of)
    return false
  if (before.count === 0 && before.of >= NEVER && since.count === since.of && since.of >= ALWAYS)
    return true
  const total = before.of + since.of
  const rate = (before.count + since.count) / total
  const part = (count: number, expected: number) =>
    count === 0 ? 0 : count * Math.log(count / expected)
  const ratio = [before, since].reduce(
    (sum, { count, of }) => sum + part(count, of * rate) + part(of - count, of * (1 - rate)),
    0,
  )
  return 2 * ratio >= NO_CHANCE
}
