/**
 * The path of a value in a JSON body, in the search syntax: `card.lastNumbers`, `items[0].id`, and `$.a["b c"]` for names that
 * aren't plain words.
 */

import { readJson } from '../json/tree.ts'

/** A name, an array index, or `each` for any index. */
export type PathStep = string | number | typeof each

/** Any array index: a field is the same field in each item. */
export const each = Symbol('each item')

const plainName = /^[A-Za-z_][A-Za-z0-9_-]*$/

/** `$` alone is the whole body. */
export function pathText(steps: readonly PathStep[]): string {
  const [first] = steps
  if (
    typeof first === 'string' &&
    plainName.test(first) &&
    steps.every((step) => typeof step !== 'string' || plainName.test(step))
  )
    return first + written(steps.slice(1))
  return `$${written(steps)}`
}

function written(steps: readonly PathStep[]): string {
  return steps
    .map((step) => {
      if (step === each) return '[]'
      if (typeof step === 'number') return `[${step}]`
      return plainName.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
    })
    .join('')
}

/** A plain name, an index in brackets, or a quoted name in brackets. */
const stepPattern = /\.?([^.[\]"]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y

/**
 * The names and indexes on a path as people type it: `card.id`, `items[0].id`, `items.0.id`, `$["a b"].c`. Text that isn't such a
 * path is split at its dots.
 */
export function pathNames(path: string): readonly string[] {
  const names: string[] = []
  const start = /^\$(?=[.[]|$)/.test(path) ? 1 : 0
  stepPattern.lastIndex = start
  for (let at = start; at < path.length; at = stepPattern.lastIndex) {
    const found = stepPattern.exec(path)
    const quoted = found?.[3] === undefined ? null : quotedName(found[3])
    const name = found?.[1] ?? found?.[2] ?? quoted
    if (name === undefined || name === null) return path.split('.')
    names.push(name)
  }
  return names
}

/** The name in quotes; null if they don't contain a JSON string. */
function quotedName(quoted: string): string | null {
  return readJson(quoted)?.string ?? null
}

// The paths of all fields of a payload, to find fields never seen before. Bounded, and without recursion.

/** Maximum number of fields per payload; the service's largest has about fifty. */
const MOST_FIELDS = 500
export const DEEPEST_FIELD = 12

/** The paths in document order. The items of an array share theirs: `items[].id`. */
export function fieldPaths(payload: unknown): string[] {
  const paths = new Set<string>()
  const open: { value: unknown; steps: readonly PathStep[] }[] = [{ value: payload, steps: [] }]
  for (let next = open.pop(); next !== undefined && paths.size < MOST_FIELDS; next = open.pop()) {
    const { value, steps } = next
    if (typeof value !== 'object' || value === null) continue
    const members: [PathStep, unknown][] = Array.isArray(value)
      ? value.slice(0, MOST_FIELDS).map((item: unknown) => [each, item])
      : Object.entries(value).slice(0, MOST_FIELDS)
    for (const [step] of members) if (step !== each) paths.add(pathText([...steps, step]))
    if (steps.length < DEEPEST_FIELD)
      for (const [step, member] of members.toReversed())
        open.push({ value: member, steps: [...steps, step] })
  }
  return [...paths].slice(0, MOST_FIELDS)
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
