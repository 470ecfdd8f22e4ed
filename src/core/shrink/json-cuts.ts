/**
 * Makes a JSON text smaller by cutting nodes and replacing scalars in the text itself, so that all remaining numbers, escapes,
 * duplicate keys and whitespace stay as sent.
 */
import type { JsonDocument, JsonNode } from '../../shared/json/document.ts'
import { pathText, type PathStep } from '../../shared/body/json-path.ts'

/** A node and its parent; the root has no parent. */
export interface PlacedNode {
  readonly node: JsonNode
  readonly holder: PlacedNode | null
  /** Its index among its siblings. */
  readonly index: number
}

/** The document's nodes by depth: the first level is just the root. */
export function levelsOf({ root }: JsonDocument): PlacedNode[][] {
  const levels: PlacedNode[][] = []
  for (let level: PlacedNode[] = [{ node: root, holder: null, index: 0 }]; level.length > 0;) {
    levels.push(level)
    level = level.flatMap((holder) =>
      holder.node.children.map((node, index) => ({ node, holder, index })),
    )
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

/** Edits from left to right. An edit inside another one is part of it. */
function applied(text: string, edits: readonly Edit[]): string {
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

/** The start of a child; for a member, of its name. There is no other quotation mark between a child and the next name. */
function startOf(text: string, { children, kind, start }: JsonNode, index: number): number {
  const child = children[index]
  if (child === undefined) return start
  return kind === 'array' ? child.start : text.indexOf('"', children[index - 1]?.end ?? start)
}

/** The ranges to cut to remove some children of a node, including commas that are no longer needed. */
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

/** The text without these nodes, which don't include the root. */
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

/** The text with some scalars replaced. */
export function withValues({ text }: JsonDocument, values: ReadonlyMap<JsonNode, string>): string {
  return applied(
    text,
    [...values].map(([{ start, end }, put]) => ({ start, end, text: put })),
  )
}

/** The text without whitespace between tokens. */
export function compacted(text: string): string {
  return text.replace(
    /("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g,
    (_, string: string | undefined) => string ?? '',
  )
}
