/**
 * Changes to single fields of a payload, with which the search for a cause tries what a handler
 * doesn't expect.
 */
import type { CheckPayload } from './payloads.ts'

/** A field by the names on its path, outermost first, and its value. */
interface Leaf {
  readonly path: readonly string[]
  readonly value: unknown
}

/** A field with the value that it gets; undefined removes it. */
export interface PayloadChange extends Leaf {
  /** The field's state without the change: neither null nor absent for `other`. */
  readonly before: 'null' | 'absent' | 'other'
}

export const isObject = (value: unknown): value is CheckPayload =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns all fields except objects, outermost first, because handlers read those most often. */
function leavesOf(payload: CheckPayload): readonly Leaf[] {
  const walk = (object: CheckPayload, above: readonly string[]): Leaf[] =>
    Object.entries(object).flatMap(([name, value]) =>
      isObject(value) ? walk(value, [...above, name]) : [{ path: [...above, name], value }],
    )
  return walk(payload, []).toSorted((a, b) => a.path.length - b.path.length)
}

/** Sets a field; removes it if the value is undefined. */
function withField(
  payload: CheckPayload,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): CheckPayload {
  const inside = payload[name]
  const changed = rest.length > 0 && isObject(inside) ? withField(inside, rest, value) : value
  const { [name]: _, ...others } = payload
  // A field that stays keeps its place.
  return changed === undefined ? others : { ...payload, [name]: changed }
}

/** Applies changes to a payload, in order. */
export const withChanges = (
  payload: CheckPayload,
  changes: readonly PayloadChange[],
): CheckPayload =>
  changes.reduce((changed, { path, value }) => withField(changed, path, value), payload)

/** Writes the path of a change as in messages: `card.id`. */
export const changedPath = ({ path }: Pick<PayloadChange, 'path'>): string => path.join('.')

/** Optional fields that the service leaves out, with a value. */
const OPTIONAL = [
  ['card', 'metadata', {}],
  ['identifiers', 'amexApprovalCode', '000000'],
] as const

/** The most null and absent fields that get a value. */
export const MOST_FILLINGS = 6

/** Gives each null and each optional field a value; `offer` is a sample of one. */
export function fillingsOf(payload: CheckPayload, offer: unknown): readonly PayloadChange[] {
  const valueOf = (name: string) =>
    name === 'offer' ? offer : /metadata|geolocation/.test(name) ? {} : 'x'
  const nulls = leavesOf(payload)
    .filter(({ value }) => value === null)
    .map(({ path }): PayloadChange => ({
      path,
      before: 'null',
      value: valueOf(path.at(-1) ?? ''),
    }))
  const absent = OPTIONAL.flatMap(([parent, name, value]): PayloadChange[] => {
    const object = payload[parent]
    return isObject(object) && !(name in object)
      ? [{ path: [parent, name], before: 'absent', value }]
      : []
  })
  return [...nulls.slice(0, MOST_FILLINGS - OPTIONAL.length), ...absent]
}

/** Values that a handler may expect instead: of another type, or written differently. */
function otherValues(value: unknown): readonly unknown[] {
  if (typeof value === 'number')
    return [String(value), ...(Number.isInteger(value) ? [] : [Math.trunc(value)]), 1]
  if (typeof value === 'boolean') return [String(value)]
  if (typeof value !== 'string') return []
  const time = /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? [1] : [time, new Date(time).toISOString()]
}

/** A word of a list, such as a currency or a scheme. */
const LISTED = /^[A-Za-z]{2,12}$/

/** Returns what other payloads have in a field whose values come from a list. */
function listedValues({ path, value }: Leaf, samples: readonly CheckPayload[]): readonly unknown[] {
  if (typeof value !== 'string' || !LISTED.test(value)) return []
  const found = samples.flatMap((sample) =>
    leavesOf(sample).flatMap((leaf) =>
      changedPath(leaf) === changedPath({ path }) && typeof leaf.value === 'string'
        ? [leaf.value]
        : [],
    ),
  )
  return [...new Set(found)].filter((other) => other !== value && LISTED.test(other))
}

/**
 * Removes or rewrites fields that a validator may not accept: all that its response names, then one
 * at a time.
 */
export function rewritesOf(
  payload: CheckPayload,
  response: string,
  samples: readonly CheckPayload[],
): readonly (readonly PayloadChange[])[] {
  const words = new Set(response.match(/[A-Za-z]+/g))
  const isNamed = ({ path }: Leaf) => words.has(path.at(-1) ?? '')
  const leaves = leavesOf(payload)
  const named = leaves.filter(isNamed)
  const changed = ({ path }: Leaf, value?: unknown): PayloadChange => ({
    path,
    before: 'other',
    value,
  })
  const rewritten = (leaf: Leaf) =>
    [...listedValues(leaf, samples), ...otherValues(leaf.value)].map((value) =>
      changed(leaf, value),
    )
  const together = [
    named.map((leaf) => changed(leaf)),
    named.flatMap((leaf) => rewritten(leaf).slice(0, 1)),
  ]
  const alone = [...named, ...leaves.filter((leaf) => !isNamed(leaf))].flatMap((leaf) => [
    changed(leaf),
    ...rewritten(leaf),
  ])
  return [...together.filter(({ length }) => length > 1), ...alone.map((change) => [change])]
}
