/** Text forms of a body value for copying, naming and filtering. */
import { pathText } from '../../../shared/body/json-path.ts'
import { termOf } from '../../../shared/query/terms.ts'
import { formatJson } from '../../ui/json/json-rows.ts'
import { isContainer, nodeKinds, pathOf, unescaped, type JsonTree } from './json-tree.ts'

/** The original text. */
export function writtenValue(text: string, tree: JsonTree, node: number): string {
  return text.slice(tree.starts[node], tree.ends[node])
}

/** The value as meant: a string without quotes and escapes, an object or array formatted. */
export function plainValue(text: string, tree: JsonTree, node: number): string {
  const written = writtenValue(text, tree, node)
  if (tree.kinds[node] === nodeKinds.string) return unescaped(written)
  return isContainer(tree, node) ? (formatJson(written) ?? written) : written
}

/** `card.lastNumbers`, `$.a["b c"]`: in the filter's syntax. */
export function writtenPath(text: string, tree: JsonTree, node: number): string {
  return pathText(pathOf(text, tree, node))
}

/** A filter term that matches this value; null for objects, arrays and the root. */
export function filterTerm(text: string, tree: JsonTree, node: number): string | null {
  const steps = pathOf(text, tree, node)
  if (isContainer(tree, node) || steps.length === 0) return null
  const value = plainValue(text, tree, node)
  const path = pathText(steps)
  // A single word could be a field of the filter, and so could `header.name`.
  const name =
    path.startsWith('$') || (steps.length > 1 && steps[0] !== 'header') ? path : `$.${path}`
  // A number in quotes would only find a string.
  return tree.kinds[node] === nodeKinds.string ? termOf(name, value) : `${name}:${value}`
}
