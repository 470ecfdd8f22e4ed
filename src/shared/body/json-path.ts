/** Paths in JSON, as in searches: `card.lastNumbers`, `items[0].id`, `$.a["b c"]`. */

import { readJson } from '../json/tree.ts'

export type PathStep = string | number | typeof ANY_ITEM

/** Step that stands for any array index. */
export const ANY_ITEM = Symbol('each item')

const plainName = /^[A-Za-z_][A-Za-z0-9_-]*$/

/** Formats a path; `$` is the whole body. */
export function pathText(steps: readonly PathStep[]): string {
  const [first] = steps
  if (
    typeof first === 'string' &&
    plainName.test(first) &&
    steps.every((step) => typeof step !== 'string' || plainName.test(step))
  )
    return first + formatSteps(steps.slice(1))
  return `$${formatSteps(steps)}`
}

function formatSteps(steps: readonly PathStep[]): string {
  return steps
    .map((step) => {
      if (step === ANY_ITEM) return '[]'
      if (typeof step === 'number') return `[${step}]`
      return plainName.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
    })
    .join('')
}

const stepPattern = /\.?([^.[\]"]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y

/** Splits `items[0].id`, `items.0.id` or `$["a b"].c`; other text at its dots. */
export function splitPath(path: string): readonly string[] {
  const names: string[] = []
  const start = /^\$(?=[.[]|$)/.test(path) ? 1 : 0
  stepPattern.lastIndex = start
  for (let at = start; at < path.length; at = stepPattern.lastIndex) {
    const match = stepPattern.exec(path)
    const quoted = match?.[3] === undefined ? null : quotedName(match[3])
    const name = match?.[1] ?? match?.[2] ?? quoted
    if (name === undefined || name === null) return path.split('.')
    names.push(name)
  }
  return names
}

function quotedName(quoted: string): string | null {
  return readJson(quoted)?.string ?? null
}

/** Fields per payload; the service's have about fifty. */
const MOST_FIELDS = 500
export const DEEPEST_FIELD = 12

/** Lists all fields in order, without recursion; items share `items[].id`. */
export function fieldPaths(payload: unknown): string[] {
  const paths = new Set<string>()
  const open: { value: unknown; steps: readonly PathStep[] }[] = [{ value: payload, steps: [] }]
  for (let next = open.pop(); next !== undefined && paths.size < MOST_FIELDS; next = open.pop()) {
    const { value, steps } = next
    if (typeof value !== 'object' || value === null) continue
    const members: [PathStep, unknown][] = Array.isArray(value)
      ? value.slice(0, MOST_FIELDS).map((item: unknown) => [ANY_ITEM, item])
      : Object.entries(value).slice(0, MOST_FIELDS)
    for (const [step] of members) if (step !== ANY_ITEM) paths.add(pathText([...steps, step]))
    if (steps.length < DEEPEST_FIELD)
      for (const [step, member] of members.toReversed())
        open.push({ value: member, steps: [...steps, step] })
  }
  return [...paths].slice(0, MOST_FIELDS)
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
