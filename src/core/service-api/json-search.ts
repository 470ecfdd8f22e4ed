/** Looks into answers whose shape the interface leaves open: what is in them is known, where it stands is not. */

/** One object of an answer, with the name of the property that holds it (of the list, for one in a list); empty at the top. */
export interface FoundObject {
  readonly under: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** An answer nested deeper than this is not looked into any further. */
const DEEPEST = 32

/** Every object of a value, those that lie higher first. */
export function objectsIn(value: unknown): FoundObject[] {
  const found: FoundObject[] = []
  let level: { under: string; value: unknown }[] = [{ under: '', value }]
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
    const below: typeof level = []
    for (const { under, value: inner } of level) {
      if (Array.isArray(inner)) below.push(...inner.map((item: unknown) => ({ under, value: item })))
      else if (typeof inner === 'object' && inner !== null) {
        const fields = inner as Record<string, unknown>
        found.push({ under, fields })
        for (const [name, item] of Object.entries(fields)) below.push({ under: name, value: item })
      }
    }
    level = below
  }
  return found
}

/** The first text under one of the names, the highest first; of several at one height the name that stands first in the list. */
export function findText(value: unknown, names: readonly string[]): string | null {
  for (const { fields } of objectsIn(value)) {
    for (const name of names) {
      const text = fields[name]
      if (typeof text === 'string' && text !== '') return text
    }
  }
  return null
}
