/** Smaller JSON text, cut so that the rest stays as sent. */
import type { JsonNode } from '../../shared/json/tree.ts'

/** Returns the nodes of each level, from the root down. */
export function levelsOf(root: JsonNode): JsonNode[][] {
  const levels: JsonNode[][] = []
  for (let level = [root]; level.length > 0; level = level.flatMap(({ children }) => children))
    levels.push(level)
  return levels
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Applies edits; one inside another is dropped. */
function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end, text: put } of edits.toSorted(
    (a, b) => a.start - b.start || b.end - a.end,
  )) {
    if (start < at) continue
    parts.push(text.slice(at, start), put)
    at = end
  }
  parts.push(text.slice(at))
  return parts.join('')
}

function startOf(text: string, { children, kind, start }: JsonNode, index: number): number {
  const child = children[index]
  if (child === undefined) return start
  return kind === 'array' ? child.start : text.indexOf('"', children[index - 1]?.end ?? start)
}

/** Returns the ranges of children with their commas. */
function cutsIn(text: string, node: JsonNode, gone: ReadonlySet<number>): Edit[] {
  const { children, start, end } = node
  const first = children.findIndex((_, index) => !gone.has(index))
  if (first === -1) return [{ start: start + 1, end: end - 1, text: '' }]
  const leading =
    first === 0
      ? []
      : [{ start: startOf(text, node, 0), end: startOf(text, node, first), text: '' }]
  const later = [...gone]
    .filter((index) => index > first)
    .map((index) => ({
      start: children[index - 1]?.end ?? start,
      end: children[index]?.end ?? end,
      text: '',
    }))
  return [...leading, ...later]
}

/** Removes nodes with their commas; the rest stays as written. */
export function withoutNodes(text: string, gone: readonly JsonNode[]): string {
  return applyEdits(
    text,
    [...Map.groupBy(gone, ({ parent }) => parent)].flatMap(([parent, nodes]) =>
      parent === null ? [] : cutsIn(text, parent, new Set(nodes.map(({ place }) => place))),
    ),
  )
}

/** Replaces values; the rest stays as written. */
export function withValues(text: string, values: ReadonlyMap<JsonNode, string>): string {
  return applyEdits(
    text,
    [...values].map(([{ start, end }, put]) => ({ start, end, text: put })),
  )
}

/** Removes the whitespace between tokens. */
export function compactJson(text: string): string {
  return text.replace(
    /("(?:[^"\\]|\\.)*"?)|[ \t\r\n]+/g,
    (_, string: string | undefined) => string ?? '',
  )
}
