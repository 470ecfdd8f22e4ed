/**
 * A JSON text with less in it: nodes are cut out, and scalars replaced, in the text itself, so that every number, escape, double key
 * and white space of what remains is as it was sent.
 */
import type { JsonDocument, JsonNode } from '../../shared/json/document.ts'
import { pathText, type PathStep } from '../../shared/body/json-path.ts'

/** A node with what holds it; the root is held by nothing. */
export interface PlacedNode {
  readonly node: JsonNode
  readonly holder: PlacedNode | null
  /** Its place among the children of its holder. */
  readonly index: number
}

/** The nodes of a document by their depth: the root alone is the first level. */
export function levelsOf({ root }: JsonDocument): PlacedNode[][] {
  const levels: PlacedNode[][] = []
  for (let level: PlacedNode[] = [{ node: root, holder: null, index: 0 }]; level.length > 0;) {
    levels.push(level)
    level = level.flatMap((holder) => holder.node.children.map((node, index) => ({ node, holder, index })))
  }
  return levels
}

export function nodePath(placed: PlacedNode): string {
  const steps: PathStep[] = []
  for (let at: PlacedNode = placed; at.holder !== null; at = at.holder) {
    const { holder, index } = at
    steps.push(holder.node.kind === 'object' ? (holder.node.names[index] ?? '') : index)
  }
  return pathText(steps.toReversed())
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Edits made from left to right; one inside of another is part of it. */
function applied(text: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end, text: put } of edits.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (start < at) continue
    parts.push(text.slice(at, start), put)
    at = end
  }
  parts.push(text.slice(at))
  return parts.join('')
}

/** Where a child begins: of a member, its name. Between one child and the next name there is no other quotation mark. */
function startOf(text: string, { children, kind, start }: JsonNode, index: number): number {
  const child = children[index]
  if (child === undefined) return start
  return kind === 'array' ? child.start : text.indexOf('"', children[index - 1]?.end ?? start)
}

/** What has to go from the text where some children of a node go: of the commas, those that then separate nothing. */
function cutsIn(text: string, node: JsonNode, gone: ReadonlySet<number>): Edit[] {
  const { children, start, end } = node
  const first = children.findIndex((_, index) => !gone.has(index))
  if (first === -1) return [{ start: start + 1, end: end - 1, text: '' }]
  const leading = first === 0 ? [] : [{ start: startOf(text, node, 0), end: startOf(text, node, first), text: '' }]
  const later = [...gone]
    .filter((index) => index > first)
    .map((index) => ({ start: children[index - 1]?.end ?? start, end: children[index]?.end ?? end, text: '' }))
  return [...leading, ...later]
}

/** The text without some of its nodes; the root is none of them. */
export function without({ text }: JsonDocument, gone: Iterable<PlacedNode>): string {
  const byHolder = new Map<JsonNode, Set<number>>()
  for (const { holder, index } of gone) {
    if (holder === null) continue
    const indexes = byHolder.get(holder.node) ?? new Set()
    byHolder.set(holder.node, indexes.add(index))
  }
  return applied(
    text,
    [...byHolder].flatMap(([node, indexes]) => cutsIn(text, node, indexes)),
  )
}

/** The text with other texts in the place of some scalars. */
export function withValues({ text }: JsonDocument, values: ReadonlyMap<JsonNode, string>): string {
  return applied(
    text,
    [...values].map(([{ start, end }, put]) => ({ start, end, text: put })),
  )
}

/** The text without the white space between its tokens. */
export function compacted(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g, (_, string: string | undefined) => string ?? '')
}
