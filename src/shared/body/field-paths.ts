/** The paths of all fields of a payload, used to find new fields. Limited, and without recursion. */
import { each, pathText, type PathStep } from './json-path.ts'

/** Maximum number of fields per payload; the service's largest has about fifty. */
const MOST_FIELDS = 500
/** Maximum depth. */
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
      for (const [step, member] of members.toReversed()) open.push({ value: member, steps: [...steps, step] })
  }
  return [...paths].slice(0, MOST_FIELDS)
}
