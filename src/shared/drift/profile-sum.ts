import { isLater, MOST_PROFILED, MOST_WORDS } from './field-profile.ts'
import type { EventProfile, FieldProfile, Profile, Sighting } from './profile-schema.ts'

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Sum of profiles of parts of the deliveries; their order doesn't matter. */
export class ProfileSum {
  readonly #events = new Map<
    string,
    { deliveries: number; readonly fields: Map<string, FieldProfile> }
  >()
  #unread = 0

  add({ events, unread }: Profile): void {
    this.#unread += unread
    for (const { event, deliveries, fields } of events) {
      const sum = this.#events.get(event) ?? { deliveries: 0, fields: new Map() }
      this.#events.set(event, sum)
      sum.deliveries += deliveries
      for (const field of fields) {
        const earlier = sum.fields.get(field.path)
        if (earlier !== undefined) sum.fields.set(field.path, joined(earlier, field))
        else if (sum.fields.size < MOST_PROFILED) sum.fields.set(field.path, field)
      }
    }
  }

  /** Returns the sum, sorted by event and path. */
  total(): Profile {
    const events = Array.from(this.#events, ([event, { deliveries, fields }]): EventProfile => ({
      event,
      deliveries,
      fields: Array.from(fields.values(), sorted).sort((one, other) =>
        byText(one.path, other.path),
      ),
    }))
    return {
      events: events.sort((one, other) => byText(one.event, other.event)),
      unread: this.#unread,
    }
  }
}

function sorted(field: FieldProfile): FieldProfile {
  return {
    ...field,
    kinds: field.kinds.toSorted((one, other) => byText(one.kind, other.kind)),
    words: field.words?.toSorted((one, other) => byText(one.word, other.word)) ?? null,
  }
}

function joined(one: FieldProfile, other: FieldProfile): FieldProfile {
  const words =
    one.words === null || other.words === null
      ? null
      : added(one.words, other.words, ({ word }) => word)
  return {
    path: one.path,
    parent: one.parent,
    first: isLater(one.first, other.first) ? other.first : one.first,
    last: isLater(one.last, other.last) ? one.last : other.last,
    kinds: added(one.kinds, other.kinds, ({ kind }) => kind),
    words: words === null || words.length > MOST_WORDS ? null : words,
  }
}

interface Counted {
  readonly count: number
  readonly last: Sighting
}

function added<Row extends Counted>(
  rows: readonly Row[],
  more: readonly Row[],
  keyOf: (row: Row) => string,
): Row[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]))
  for (const row of more) {
    const earlier = byKey.get(keyOf(row))
    byKey.set(
      keyOf(row),
      earlier === undefined
        ? row
        : {
            ...row,
            count: earlier.count + row.count,
            last: isLater(earlier.last, row.last) ? earlier.last : row.last,
          },
    )
  }
  return [...byKey.values()]
}
