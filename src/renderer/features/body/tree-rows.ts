/** The rows of a tree: expanded values, with schema findings below them and missing fields as their own rows. */
import type { SchemaReport } from '../../../shared/model/delivery.ts'
import { DEEPEST_INDENT } from '../../../shared/json/format.ts'
import { childAt, childrenOf, isContainer, nodeKinds, type JsonTree } from './json-tree.ts'

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
  /** The part of the message in this row. A long message has several rows: the first has the mark, the last the section. */
  readonly line: { readonly text: string; readonly isFirst: boolean; readonly isLast: boolean }
}

export interface Annotations {
  /** With gaps after wrapping, so that the first row of a finding keeps its index at any width. */
  readonly extras: readonly (Extra | undefined)[]
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

/** `open` with all parents of `node` expanded, so that it has a row. */
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
        line: unbroken(note),
      })
      continue
    }
    const extra = { note, depth: (tree.depths[node] ?? 0) + 1, missing: name, line: unbroken(note) }
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

function unbroken({ message }: Note): Extra['line'] {
  return { text: message, isFirst: true, isLast: true }
}

/** Widths in pixels: of a row's margins and mark, of a character of a message, of the section's link. */
const ROW_MARGINS = 12 + 24 + 20
const CHARACTER = 7
const SECTION = 70
const LEAST_WIDTH = 160

/** The findings with their messages wrapped to a width in pixels, at spaces outside quotes. */
export function wrapped({ extras, below, after }: Annotations, width: number): Annotations {
  const rows: (Extra | undefined)[] = [...extras]
  const indexes = extras.map((extra, index) => {
    if (extra === undefined) return []
    const indent =
      Math.min(extra.depth, DEEPEST_INDENT) * INDENT +
      (extra.missing === null ? 0 : 28 + extra.missing.length * 7.2)
    const lines = linesOf(extra.note.message, Math.max(LEAST_WIDTH, width - ROW_MARGINS - indent))
    return lines.map((text, line) => {
      const at = index + line * extras.length
      while (rows.length <= at) rows.push(undefined)
      rows[at] = {
        ...extra,
        line: { text, isFirst: line === 0, isLast: line === lines.length - 1 },
      }
      return at
    })
  })
  const rowsOf = (found: Annotations['below']) =>
    new Map(
      Array.from(found, ([node, list]) => [node, list.flatMap((extra) => indexes[extra] ?? [])]),
    )
  return { extras: rows, below: rowsOf(below), after: rowsOf(after) }
}

/** A message in lines of a width; the last has room for the section. */
function linesOf(message: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  // Spaces inside backticks belong to quoted data.
  for (const word of message.match(/(?:`[^`]*`|\S)+/g) ?? []) {
    if (line !== '' && (line.length + 1 + word.length) * CHARACTER > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  if (line.length * CHARACTER + SECTION <= width || !line.includes(' ')) return [...lines, line]
  const last = /(?:`[^`]*`|\S)+$/.exec(line)
  if (last === null || last.index === 0) return [...lines, line]
  return [...lines, line.slice(0, last.index - 1), last[0]]
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
