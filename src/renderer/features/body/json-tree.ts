/**
 * The tree of a JSON body, and its rows: expanded values, with schema findings below them and
 * missing fields as their own rows.
 */
import { childOf, JsonNode, nodesOf, readTree } from '../../../shared/json/tree.ts'
import type { SchemaReport } from '../../../shared/model/delivery.ts'

/** Maximum number of values in a tree. The text views show all of a larger body. */
export const MOST_NODES = 300_000

export interface JsonTree {
  readonly root: JsonNode
  /** There are more values than the tree can have. */
  readonly isPartial: boolean
  /** Fields of an object that has another one of the same name. */
  readonly repeated: ReadonlySet<JsonNode>
}

/** The tree of a JSON text, or of its beginning if `isCut`; null if it isn't JSON. */
export function treeOf(text: string, isCut: boolean): JsonTree | null {
  const tree = readTree(text, { isCut, mostNodes: MOST_NODES, byteOrderMark: true })
  return tree && { ...tree, repeated: repeatedFields(tree.root) }
}

function repeatedFields(root: JsonNode): ReadonlySet<JsonNode> {
  const repeated = new Set<JsonNode>()
  for (const { kind, children } of nodesOf(root)) {
    if (kind !== 'object' || children.length < 2) continue
    for (const alike of Map.groupBy(children, ({ name }) => name).values())
      if (alike.length > 1) for (const node of alike) repeated.add(node)
  }
  return repeated
}

/** The innermost value whose text, including its name, begins last up to this position. */
export function nodeAt(root: JsonNode, position: number): JsonNode {
  for (let node = root; ;) {
    const inner = node.children.findLast(({ key, start }) => (key?.start ?? start) <= position)
    if (inner === undefined) return node
    node = inner
  }
}

export interface Note {
  readonly path: string
  readonly message: string
  readonly section: string
  readonly tone: 'bad' | 'warn'
}

/** A row drawn below a value. `missing`: the name of a missing field, at the position where it belongs. */
export interface Extra {
  /** Negative, and stays the same when rows come and go. */
  readonly key: number
  readonly note: Note
  readonly depth: number
  readonly missing: string | null
}

export interface Annotations {
  /** Extras directly below the value's row, and after everything inside it. */
  readonly below: ReadonlyMap<JsonNode, readonly Extra[]>
  readonly after: ReadonlyMap<JsonNode, readonly Extra[]>
}

export const noAnnotations: Annotations = { below: new Map(), after: new Map() }

export type TreeRow = JsonNode | Extra

/** Identifies a row: a value by its position, which more text behind it doesn't change. */
export const rowKey = (row: TreeRow): number => (row instanceof JsonNode ? row.start : row.key)

/** The keys of the expanded values. */
export type Expanded = ReadonlySet<number>

/** Objects with more fields than this aren't part of the spec: their findings are shown below them. */
const MOST_SIBLINGS = 5_000
/** Number of rows expanded automatically when a body is opened. */
const ROWS_AT_FIRST = 300

/** The values expanded initially: level by level, while the rows stay few. The root is always expanded. */
export function openAtFirst(root: JsonNode): Expanded {
  const open = new Set<number>()
  let rows = 1
  for (let level: readonly JsonNode[] = [root]; level.length > 0;) {
    const next: JsonNode[] = []
    for (const node of level) {
      const size = node.children.length
      if (size === 0 || (node !== root && rows + size > ROWS_AT_FIRST)) continue
      open.add(node.start)
      rows += size
      if (rows <= ROWS_AT_FIRST)
        for (const child of node.children) if (child.isContainer) next.push(child)
    }
    level = next
  }
  return open
}

/** `open` with one value expanded or collapsed; with `whole`, including everything inside it. */
export function withOpen(open: Expanded, node: JsonNode, unfold: boolean, whole = false): Expanded {
  const next = new Set(open)
  for (const one of whole ? nodesOf(node) : [node]) {
    if (!unfold) next.delete(one.start)
    else if (one.isContainer) next.add(one.start)
  }
  return next
}

export function withAncestorsOpen(open: Expanded, node: JsonNode): Expanded {
  const next = new Set(open)
  for (let at = node.parent; at !== null; at = at.parent) next.add(at.start)
  return next
}

export function treeRows(
  root: JsonNode,
  open: Expanded,
  { below, after }: Annotations,
): readonly TreeRow[] {
  const rows: TreeRow[] = []
  const waiting: TreeRow[] = [root]
  const wait = (next: readonly TreeRow[] = []) => {
    for (let index = next.length; index > 0; index--) waiting.push(next[index - 1]!)
  }
  for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
    rows.push(row)
    if (!(row instanceof JsonNode)) continue
    wait(after.get(row))
    if (open.has(row.start)) wait(row.children)
    wait(below.get(row))
  }
  return rows
}

/** The position of each schema finding. `order` lists an object's fields in the spec's order. */
export function annotate(
  root: JsonNode,
  report: Pick<SchemaReport, 'failures' | 'findings'>,
  order: (steps: readonly (string | number)[]) => readonly string[],
): Annotations {
  const below = new Map<JsonNode, Extra[]>()
  const after = new Map<JsonNode, Extra[]>()
  const notes: Note[] = [
    ...report.failures.map((note) => ({ ...note, tone: 'bad' as const })),
    ...report.findings.map((note) => ({ ...note, tone: 'warn' as const })),
  ]
  for (const [index, note] of notes.entries()) {
    const steps = stepsOf(note.path)
    const { node, rest } = reach(root, steps)
    const [name] = rest
    const isMissing =
      rest.length === 1 && typeof name === 'string' && isSearched(node) && node.kind === 'object'
    const names = isMissing ? order(steps.slice(0, -1)) : []
    const before = names
      .slice(0, Math.max(0, names.indexOf(name as string)))
      .toReversed()
      .map((one) => childOf(node, one))
      .find((child) => child !== null)
    const extra = { key: -1 - index, note, depth: node.depth + 1, missing: isMissing ? name : null }
    const [where, place] = before == null ? [below, node] : [after, before]
    where.set(place, [...(where.get(place) ?? []), extra])
  }
  return { below, after }
}

/** The steps of `card.items[0].id`; the root's path is empty. */
function stepsOf(path: string): (string | number)[] {
  return Array.from(path.matchAll(/\[(\d+)\]|[^.[\]]+/g), ([step, index]) =>
    index === undefined ? step : Number(index),
  )
}

/** The value at a path or, if missing, its innermost existing parent with the remaining steps. */
function reach(root: JsonNode, steps: readonly (string | number)[]) {
  let node = root
  for (const [index, step] of steps.entries()) {
    const child = isSearched(node) ? childOf(node, step) : null
    if (child === null) return { node, rest: steps.slice(index) }
    node = child
  }
  return { node, rest: [] }
}

function isSearched({ children }: JsonNode): boolean {
  return children.length <= MOST_SIBLINGS
}
