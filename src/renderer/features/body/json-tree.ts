/**
 * The values of a JSON text as a table of positions in document order, for a tree of any depth and size. Values are never parsed;
 * each is the text between `starts` and `ends`.
 */
import type { PathStep } from '../../../shared/body/json-path.ts'
import { OBJECT, scanJson } from '../../../shared/json/scan.ts'
import type { SchemaReport } from '../../../shared/model/delivery.ts'

export const nodeKinds = { object: 0, array: 1, string: 2, number: 3, word: 4 } as const

/** Maximum number of values in a tree. The text views show all of a larger body. */
export const MOST_NODES = 300_000

export interface JsonTree {
  readonly count: number
  /** There are more values than the tree can have. */
  readonly partial: boolean
  /** Positions of the quoted name; -1 for unnamed values. */
  readonly keyStarts: Int32Array
  readonly keyEnds: Int32Array
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly depths: Int32Array
  readonly parents: Int32Array
  /** The first value that is not inside this one. */
  readonly afters: Int32Array
  /** Number of an object's fields or an array's items. */
  readonly sizes: Int32Array
  /** Position among its siblings, from 0. */
  readonly places: Int32Array
  readonly kinds: Uint8Array
  /** 1 if another field of the same object has the same name. */
  readonly repeated: Uint8Array
}

const columns = [
  'keyStarts',
  'keyEnds',
  'starts',
  'ends',
  'depths',
  'parents',
  'afters',
  'sizes',
  'places',
] as const
type Column = (typeof columns)[number]

/** The tree of a JSON text, or of its beginning if `cut`; null if it isn't JSON. */
export function treeOf(text: string, cut: boolean): JsonTree | null {
  let capacity = 256
  let count = 0
  let table = Object.fromEntries(columns.map((name) => [name, new Int32Array(capacity)])) as Record<
    Column,
    Int32Array
  >
  let kinds = new Uint8Array(capacity)
  let parent = -1
  let depth = 0
  let keyStart = -1
  let keyEnd = -1
  /** Containers opened after the tree is full: they are skipped. */
  let beyond = 0
  let partial = false

  const grow = () => {
    capacity *= 2
    const larger = (column: Int32Array) => {
      const next = new Int32Array(capacity)
      next.set(column)
      return next
    }
    table = Object.fromEntries(columns.map((name) => [name, larger(table[name])])) as Record<
      Column,
      Int32Array
    >
    const moreKinds = new Uint8Array(capacity)
    moreKinds.set(kinds)
    kinds = moreKinds
  }
  const add = (start: number, end: number, kind: number): boolean => {
    if (count >= MOST_NODES || beyond > 0) {
      partial = true
      return false
    }
    if (count === capacity) grow()
    table.keyStarts[count] = keyStart
    table.keyEnds[count] = keyEnd
    table.starts[count] = start
    table.ends[count] = Math.min(end, text.length)
    table.depths[count] = depth
    table.parents[count] = parent
    table.afters[count] = count + 1
    table.sizes[count] = 0
    table.places[count] = parent === -1 ? 0 : (table.sizes[parent] ?? 0)
    if (parent !== -1) table.sizes[parent] = (table.sizes[parent] ?? 0) + 1
    kinds[count++] = kind
    keyStart = -1
    return true
  }
  const leave = (end: number) => {
    table.ends[parent] = end
    table.afters[parent] = count
    parent = table.parents[parent] ?? -1
    depth--
  }

  const scanned = scanJson(
    text,
    {
      key(start, end) {
        keyStart = start
        keyEnd = Math.min(end, text.length)
      },
      scalar(start, end, isString) {
        const first = text.charCodeAt(start)
        const isNumber = first === 45 || (first >= 48 && first <= 57)
        add(start, end, isString ? nodeKinds.string : isNumber ? nodeKinds.number : nodeKinds.word)
      },
      open(at, container) {
        if (!add(at, at + 1, container === OBJECT ? nodeKinds.object : nodeKinds.array)) {
          beyond++
          return
        }
        parent = count - 1
        depth++
      },
      close(at) {
        if (beyond > 0) beyond--
        else leave(at + 1)
      },
    },
    { byteOrderMark: true },
  )
  if (scanned.outcome === 'not-json' || (scanned.outcome === 'cut' && !cut) || count === 0)
    return null
  while (parent !== -1) leave(text.length)

  const trimmed = Object.fromEntries(
    columns.map((name) => [name, table[name].slice(0, count)]),
  ) as Record<Column, Int32Array>
  const tree = {
    count,
    partial,
    ...trimmed,
    kinds: kinds.slice(0, count),
    repeated: new Uint8Array(count),
  }
  markRepeated(text, tree)
  return tree
}

function markRepeated(text: string, tree: JsonTree): void {
  for (let object = 0; object < tree.count; object++) {
    if (tree.kinds[object] !== nodeKinds.object || (tree.sizes[object] ?? 0) < 2) continue
    const first = new Map<string, number>()
    for (const child of childrenOf(tree, object)) {
      const name = nameOf(text, tree, child) ?? ''
      const before = first.get(name)
      if (before === undefined) first.set(name, child)
      else tree.repeated[child] = tree.repeated[before] = 1
    }
  }
}

export function isContainer(tree: JsonTree, node: number): boolean {
  return (tree.kinds[node] ?? nodeKinds.word) <= nodeKinds.array
}

export function* childrenOf(tree: JsonTree, node: number): Generator<number> {
  if (!isContainer(tree, node)) return
  const end = tree.afters[node] ?? 0
  for (let child = node + 1; child < end; child = tree.afters[child] ?? end) yield child
}

/** The field's unescaped name; null for items and for the root. */
export function nameOf(text: string, tree: JsonTree, node: number): string | null {
  const start = tree.keyStarts[node] ?? -1
  return start === -1 ? null : unescaped(text.slice(start, tree.keyEnds[node]))
}

/** The meaning of a quoted string; unchanged if it is cut off. */
export function unescaped(written: string): string {
  if (!written.includes('\\')) return written.slice(1, written.endsWith('"') ? -1 : undefined)
  try {
    return String(JSON.parse(written))
  } catch {
    return written
  }
}

export function pathOf(text: string, tree: JsonTree, node: number): PathStep[] {
  const steps: PathStep[] = []
  for (let at = node; (tree.parents[at] ?? -1) !== -1; at = tree.parents[at] ?? -1)
    steps.push(nameOf(text, tree, at) ?? tree.places[at] ?? 0)
  return steps.toReversed()
}

/** The field with this name, or the item at this index. The last of duplicate names counts, as for parsers. */
export function childAt(
  text: string,
  tree: JsonTree,
  node: number,
  step: string | number,
): number | null {
  let found: number | null = null
  for (const child of childrenOf(tree, node))
    if (
      typeof step === 'number'
        ? tree.places[child] === step && tree.keyStarts[child] === -1
        : nameOf(text, tree, child) === step
    )
      found = child
  return found
}

/** The innermost value whose text, including its name, contains this position. */
export function nodeAt(tree: JsonTree, position: number): number {
  let low = 0
  let high = tree.count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    const start =
      (tree.keyStarts[middle] ?? -1) === -1 ? tree.starts[middle] : tree.keyStarts[middle]
    if ((start ?? 0) <= position) low = middle
    else high = middle - 1
  }
  return low
}

// The rows of a tree: expanded values, with schema findings below them and missing fields as their own rows.

/** Pixels by which each level is indented. */
export const INDENT = 16

export interface Note {
  readonly path: string
  readonly message: string
  readonly section: string
  readonly tone: 'bad' | 'warn'
}

/** A row drawn below a value. `missing`: the name of a missing field, at the position where it belongs. */
export interface Extra {
  readonly note: Note
  readonly depth: number
  readonly missing: string | null
}

export interface Annotations {
  readonly extras: readonly Extra[]
  /** Extras directly below the value's row, and after everything inside it. */
  readonly below: ReadonlyMap<number, readonly number[]>
  readonly after: ReadonlyMap<number, readonly number[]>
}

export const noAnnotations: Annotations = { extras: [], below: new Map(), after: new Map() }

/** Objects with more fields than this aren't part of the spec: their findings are shown below them. */
const MOST_SIBLINGS = 5_000
/** Number of rows expanded automatically when a body is opened. */
const ROWS_AT_FIRST = 300

/** The values expanded initially: level by level, while the rows stay few. The root is always expanded. */
export function openAtFirst(tree: JsonTree): Uint8Array {
  const open = new Uint8Array(tree.count)
  let rows = 1
  let level = [0]
  while (level.length > 0) {
    const next: number[] = []
    for (const node of level) {
      const size = tree.sizes[node] ?? 0
      if (size === 0 || (node !== 0 && rows + size > ROWS_AT_FIRST)) continue
      open[node] = 1
      rows += size
      if (rows <= ROWS_AT_FIRST)
        for (const child of childrenOf(tree, node)) if (isContainer(tree, child)) next.push(child)
    }
    level = next
  }
  return open
}

/** `open` with one value expanded or collapsed; with `whole`, including everything inside it. */
export function withOpen(
  tree: JsonTree,
  open: Uint8Array,
  node: number,
  unfold: boolean,
  whole = false,
): Uint8Array {
  const next = Uint8Array.from(open)
  const end = whole ? (tree.afters[node] ?? node + 1) : node + 1
  for (let at = node; at < end; at++) if (isContainer(tree, at)) next[at] = unfold ? 1 : 0
  return next
}

export function withAncestorsOpen(tree: JsonTree, open: Uint8Array, node: number): Uint8Array {
  const next = Uint8Array.from(open)
  for (let at = tree.parents[node] ?? -1; at !== -1; at = tree.parents[at] ?? -1) next[at] = 1
  return next
}

/** Rows in order: the index of a value, or `-1 - extra`. */
export function treeRows(
  tree: JsonTree,
  open: Uint8Array,
  { below, after }: Annotations,
): Int32Array {
  const rows = new Int32Array(
    tree.count + [...below.values(), ...after.values()].reduce((sum, list) => sum + list.length, 0),
  )
  let count = 0
  const add = (list: readonly number[] | undefined) => {
    for (const extra of list ?? []) rows[count++] = -1 - extra
  }
  /** Values whose end is followed by extras, innermost last. */
  const pending: number[] = []
  const endBefore = (node: number) => {
    for (
      let last = pending.at(-1);
      last !== undefined && (tree.afters[last] ?? 0) <= node;
      last = pending.at(-1)
    ) {
      pending.pop()
      add(after.get(last))
    }
  }
  for (let node = 0; node < tree.count;) {
    endBefore(node)
    rows[count++] = node
    add(below.get(node))
    if (after.has(node)) pending.push(node)
    node = open[node] === 1 ? node + 1 : (tree.afters[node] ?? node + 1)
  }
  endBefore(tree.count)
  return rows.slice(0, count)
}

/** The position of each schema finding. `order` lists an object's fields in the spec's order. */
export function annotate(
  text: string,
  tree: JsonTree,
  report: Pick<SchemaReport, 'failures' | 'findings'>,
  order: (steps: readonly (string | number)[]) => readonly string[],
): Annotations {
  const extras: Extra[] = []
  const below = new Map<number, number[]>()
  const after = new Map<number, number[]>()
  const put = (where: Map<number, number[]>, node: number, extra: Extra) =>
    where.set(node, [...(where.get(node) ?? []), extras.push(extra) - 1])
  const notes: Note[] = [
    ...report.failures.map((note) => ({ ...note, tone: 'bad' as const })),
    ...report.findings.map((note) => ({ ...note, tone: 'warn' as const })),
  ]
  for (const note of notes) {
    const steps = stepsOf(note.path)
    const { node, rest } = reach(text, tree, steps)
    const [name] = rest
    if (
      rest.length !== 1 ||
      typeof name !== 'string' ||
      !isSearched(tree, node) ||
      tree.kinds[node] !== nodeKinds.object
    ) {
      put(below, node, {
        note,
        depth: (tree.depths[node] ?? 0) + 1,
        missing: null,
      })
      continue
    }
    const extra = { note, depth: (tree.depths[node] ?? 0) + 1, missing: name }
    const names = order(steps.slice(0, -1))
    const before = names
      .slice(0, Math.max(0, names.indexOf(name)))
      .toReversed()
      .map((one) => childAt(text, tree, node, one))
      .find((child) => child !== null)
    if (before === undefined || before === null) put(below, node, extra)
    else put(after, before, extra)
  }
  return { extras, below, after }
}

/** The steps of `card.items[0].id`; the root's path is empty. */
function stepsOf(path: string): (string | number)[] {
  return Array.from(path.matchAll(/\[(\d+)\]|[^.[\]]+/g), ([step, index]) =>
    index === undefined ? step : Number(index),
  )
}

/** The value at a path or, if missing, its innermost existing parent with the remaining steps. */
function reach(text: string, tree: JsonTree, steps: readonly (string | number)[]) {
  let node = 0
  for (const [index, step] of steps.entries()) {
    const child = isSearched(tree, node) ? childAt(text, tree, node, step) : null
    if (child === null) return { node, rest: steps.slice(index) }
    node = child
  }
  return { node, rest: [] }
}

function isSearched(tree: JsonTree, node: number): boolean {
  return (tree.sizes[node] ?? 0) <= MOST_SIBLINGS
}
