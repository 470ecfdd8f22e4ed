/** Changes to fields of a payload, to find what a handler doesn't expect. */
import type { CheckPayload } from './payloads.ts'

/** Field with the names on its path, outermost first. */
interface Leaf {
  readonly path: readonly string[]
  readonly value: unknown
}

/** Field with its new value; undefined removes it. */
export interface PayloadChange extends Leaf {
  /** State of the field without the change; `other` is a value. */
  readonly before: 'null' | 'absent' | 'other'
}

export const isObject = (value: unknown): value is CheckPayload =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns all fields except objects, outermost first. */
function leavesOf(payload: CheckPayload): readonly Leaf[] {
  const walk = (object: CheckPayload, above: readonly string[]): Leaf[] =>
    Object.entries(object).flatMap(([name, value]) =>
      isObject(value) ? walk(value, [...above, name]) : [{ path: [...above, name], value }],
    )
  return walk(payload, []).toSorted((a, b) => a.path.length - b.path.length)
}

function withField(
  payload: CheckPayload,
  [name = '', ...names]: readonly string[],
  value: unknown,
): CheckPayload {
  const child = payload[name]
  const content = names.length > 0 && isObject(child) ? withField(child, names, value) : value
  const { [name]: _, ...others } = payload
  // Assigning to an existing name keeps the order.
  return content === undefined ? others : { ...payload, [name]: content }
}

export const withChanges = (
  payload: CheckPayload,
  changes: readonly PayloadChange[],
): CheckPayload =>
  changes.reduce((result, { path, value }) => withField(result, path, value), payload)

/** Writes the path of a change for messages: `card.id`. */
export const changedPath = ({ path }: Pick<PayloadChange, 'path'>): string => path.join('.')

/** Optional fields that the service leaves out, with a value. */
const OPTIONAL = [
  ['card', 'metadata', {}],
  ['identifiers', 'amexApprovalCode', '000000'],
] as const

/** Maximum number of fields to fill. */
export const MAX_FILLED_FIELDS = 6

/** Gives each null and each optional field a value. */
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
  return [...nulls.slice(0, MAX_FILLED_FIELDS - OPTIONAL.length), ...absent]
}

/** Returns values of another type or spelling. */
function otherValues(value: unknown): readonly unknown[] {
  if (typeof value === 'number')
    return [String(value), ...(Number.isInteger(value) ? [] : [Math.trunc(value)]), 1]
  if (typeof value === 'boolean') return [String(value)]
  if (typeof value !== 'string') return []
  const time = /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? [1] : [time, new Date(time).toISOString()]
}

/** Pattern of values that may come from a fixed list, such as currencies or schemes. */
const LISTED_VALUE = /^[A-Za-z]{2,12}$/

/** Returns other values that the field has in sample payloads, if it looks like one of a list. */
function listedValues({ path, value }: Leaf, samples: readonly CheckPayload[]): readonly unknown[] {
  if (typeof value !== 'string' || !LISTED_VALUE.test(value)) return []
  const values = samples.flatMap((sample) =>
    leavesOf(sample).flatMap((leaf) =>
      changedPath(leaf) === changedPath({ path }) && typeof leaf.value === 'string'
        ? [leaf.value]
        : [],
    ),
  )
  return [...new Set(values)].filter((other) => other !== value && LISTED_VALUE.test(other))
}

/**
 * Returns changes to try: first all fields the response names, together; then one field at a time.
 */
export function rewritesOf(
  payload: CheckPayload,
  response: string,
  samples: readonly CheckPayload[],
): readonly (readonly PayloadChange[])[] {
  const words = new Set(response.match(/[A-Za-z]+/g))
  const isNamed = ({ path }: Leaf) => words.has(path.at(-1) ?? '')
  const leaves = leavesOf(payload)
  const namedLeaves = leaves.filter(isNamed)
  const changeOf = ({ path }: Leaf, value?: unknown): PayloadChange => ({
    path,
    before: 'other',
    value,
  })
  const rewritten = (leaf: Leaf) =>
    [...listedValues(leaf, samples), ...otherValues(leaf.value)].map((value) =>
      changeOf(leaf, value),
    )
  const together = [
    namedLeaves.map((leaf) => changeOf(leaf)),
    namedLeaves.flatMap((leaf) => rewritten(leaf).slice(0, 1)),
  ]
  const singles = [...namedLeaves, ...leaves.filter((leaf) => !isNamed(leaf))].flatMap((leaf) => [
    changeOf(leaf),
    ...rewritten(leaf),
  ])
  return [...together.filter(({ length }) => length > 1), ...singles.map((change) => [change])]
}
