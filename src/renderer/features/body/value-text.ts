/** Text forms of a body value for copying and filtering. */
import { termOf } from '../../../shared/query/edit-query.ts'
import { pathText } from '../../../shared/body/json-path.ts'
import { formatJson } from '../../../shared/json/format.ts'
import { type JsonNode, stepsOf } from '../../../shared/json/tree.ts'

/** Returns a value for people: a string without quotes and escapes, or formatted JSON. */
export function plainValue({ isContainer, raw, string }: JsonNode): string {
  return string ?? (isContainer ? (formatJson(raw) ?? raw) : raw)
}

/** Returns a filter term that matches a value; null for objects, arrays and the root. */
export function filterTerm(node: JsonNode): string | null {
  const steps = stepsOf(node)
  if (node.isContainer || steps.length === 0) return null
  const value = plainValue(node)
  const path = pathText(steps)
  // A single word or `header.name` could be a field of the filter.
  const name =
    path.startsWith('$') || (steps.length > 1 && steps[0] !== 'header') ? path : `$.${path}`
  // A number in quotes would only find a string.
  return node.kind === 'string' ? termOf(name, value) : `${name}:${value}`
}
