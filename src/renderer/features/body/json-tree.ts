/** The tree of a JSON body, and its rows with schema findings. */
import { childOf, JsonNode, nodesOf, readTree } from '../../../shared/json/tree.ts'
import type { SchemaReport } from '../../../shared/model/delivery.ts'

/** Maximum number of values in a tree; the text views show all. */
export const MOST_NODES = 300_000

export interface JsonTree {
  readonly root: JsonNode
  /** Whether the body has more values than the tree. */
  readonly isPartial: boolean
  /** Fields whose object has another field of the same name. */
  readonly repeated: ReadonlySet<JsonNode>
}

/** Parses a JSON text, or its beginning if `isCut`; null if it isn't JSON. */
export function treeOf(text: string, isCut: boolean): JsonTree | null {
  const tree = readTree(text, { isCut, mostNodes: MOST_NODES, byteOrderMark: true })
  return tree && { ...tree, repeated: repeatedFields(tree.root) }
}

function repeatedFields(root: JsonNode): ReadonlySet<JsonNode> {
  const repeated = new Set<JsonNode>()
  for (const { kind, children } of nodesOf(root)) {
    if (kind !== 'object' || children.length < 2) continue
    for (const group of Map.groupBy(children, ({ name }) => name).values())
      if (group.length > 1) for (const node of group) repeated.add(node)
  }
  return repeated
}

/** Returns the innermost value at a position, whose text begins with its name. */
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
  readonly tone: 'bad' | 'quiet'
}

/** Row below a value, for a finding or for a missing field in its place. */
export interface FindingRow {
  /** Negative number that stays the same when rows come and go. */
  readonly key: number
  readonly note: Note
  readonly depth: number
  /** Name of the missing field. */
  readonly missing: string | null
}

export interface Annotations {
  /** Extras directly below a value's row; `after` has those after everything inside it. */
  readonly below: ReadonlyMap<JsonNode, readonly FindingRow[]>
  readonly after: ReadonlyMap<JsonNode, readonly FindingRow[]>
}

export const noAnnotations: Annotations = { below: new Map(), after: new Map() }

export type TreeRow = JsonNode | FindingRow

/** Returns the key of a row: a value's position, or an extra's key. */
export const rowKey = (row: TreeRow): number => (row instanceof JsonNode ? row.start : row.key)

/** Keys of the expanded values. */
export type Expanded = ReadonlySet<number>

/** Maximum fields of an object that is searched for findings, above any in the spec. */
const MAX_SIBLINGS = 5_000
/** Rows expanded when a body is opened. */
const INITIAL_ROWS = 300

/** Returns the values expanded initially: the root, then level by level while rows are few. */
export function initialExpansion(root: JsonNode): Expanded {
  const open = new Set<number>()
  let rows = 1
  for (let level: readonly JsonNode[] = [root]; level.length > 0;) {
    const next: JsonNode[] = []
    for (const node of level) {
      const size = node.children.length
      if (size === 0 || (node !== root && rows + size > INITIAL_ROWS)) continue
      open.add(node.start)
      rows += size
      if (rows <= INITIAL_ROWS)
        for (const child of node.children) if (child.isContainer) next.push(child)
    }
    level = next
  }
  return open
}

/** Expands or collapses a value; `whole` includes everything inside. */
export function withOpen(open: Expanded, node: JsonNode, unfold: boolean, whole = false): Expanded {
  const next = new Set(open)
  for (const changed of whole ? nodesOf(node) : [node]) {
    if (!unfold) next.delete(changed.start)
    else if (changed.isContainer) next.add(changed.start)
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
  const pending: TreeRow[] = [root]
  const pushAll = (next: readonly TreeRow[] = []) => {
    for (let index = next.length; index > 0; index--) pending.push(next[index - 1]!)
  }
  for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
    rows.push(row)
    if (!(row instanceof JsonNode)) continue
    pushAll(after.get(row))
    if (open.has(row.start)) pushAll(row.children)
    pushAll(below.get(row))
  }
  return rows
}

/**
 * Places each schema finding in the tree.
 * @param order Returns an object's fields in the spec's order.
 */
export function annotate(
  root: JsonNode,
  report: Pick<SchemaReport, 'failures' | 'findings'>,
  order: (steps: readonly (string | number)[]) => readonly string[],
): Annotations {
  const below = new Map<JsonNode, FindingRow[]>()
  const after = new Map<JsonNode, FindingRow[]>()
  const notes: Note[] = [
    ...report.failures.map((note) => ({ ...note, tone: 'bad' as const })),
    ...report.findings.map((note) => ({ ...note, tone: 'quiet' as const })),
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
      .map((sibling) => childOf(node, sibling))
      .find((child) => child !== null)
    const extra = { key: -1 - index, note, depth: node.depth + 1, missing: isMissing ? name : null }
    const [extras, owner] = before == null ? [below, node] : [after, before]
    extras.set(owner, [...(extras.get(owner) ?? []), extra])
  }
  return { below, after }
}

/** Parses a path such as `card.items[0].id`; the root's path is empty. */
function stepsOf(path: string): (string | number)[] {
  return Array.from(path.matchAll(/\[(\d+)\]|[^.[\]]+/g), ([step, index]) =>
    index === undefined ? step : Number(index),
  )
}

/** Returns the value at a path, or its innermost existing parent with the remaining steps. */
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
  return children.length <= MAX_SIBLINGS
}
