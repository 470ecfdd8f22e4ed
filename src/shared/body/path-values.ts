/** Values at JSON paths, as texts for columns. */
import { childOf, readTree, type JsonNode } from '../json/tree.ts'
import { splitPath } from './json-path.ts'

/** Returns the member or item; of an array, the member of each item. */
function stepInto(node: JsonNode, step: string): JsonNode[] {
  const child = childOf(node, step) ?? childOf(node, Number(step))
  if (child !== null) return [child]
  return node.kind === 'array' ? node.children.flatMap((item) => childOf(item, step) ?? []) : []
}

/**
 * Returns the text of the value at each path: strings decoded, others as sent, several joined by
 * commas; null if there is none.
 * @param isCut Whether the text is the start of a longer body.
 */
export function textsAtPaths(
  text: string,
  paths: readonly string[],
  isCut: boolean,
): (string | null)[] {
  const root = readTree(text, { isCut })?.root
  return paths.map((path) => {
    let nodes = root === undefined ? [] : [root]
    for (const step of splitPath(path.replaceAll('[]', '')))
      nodes = nodes.flatMap((node) => stepInto(node, step))
    return nodes.length === 0 ? null : nodes.map((node) => node.string ?? node.raw).join(', ')
  })
}
