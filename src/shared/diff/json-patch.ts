/**
 * A difference as a JSON Patch (RFC 6902), including moves. Written as text, so that numbers stay as sent. A patch can't express
 * the order of fields or duplicate names, so these are left out.
 */
import { textOf, type JsonDocument } from '../json/document.ts'
import { pointerOf, type Path } from './path.ts'
import type { Delta } from './structure.ts'

/** The patch that turns the left side into the right one, one operation per line. */
export function jsonPatch(right: JsonDocument, delta: Delta | null): string {
  const operations: string[] = []
  if (delta !== null) write(operations, right, delta, [])
  return operations.length === 0 ? '[]' : `[\n  ${operations.join(',\n  ')}\n]`
}

function write(operations: string[], right: JsonDocument, delta: Delta, path: Path): void {
  if (delta.kind === 'replaced') {
    operations.push(operation('replace', path, { value: textOf(right, delta.right) }))
    return
  }
  const isArray = delta.right.kind === 'array'
  /** A patch sees only the last of several fields with the same name. */
  const last = new Map(delta.right.names.map((name, index) => [name, index]))
  if (isArray) writeItems(operations, right, delta, path)
  else writeMembers(operations, right, delta, path, last)
  delta.entries.forEach(({ delta: inner }, index) => {
    const name = delta.right.names[index] ?? ''
    if (inner !== null && (isArray || last.get(name) === index))
      write(operations, right, inner, [...path, isArray ? index : name])
  })
}

type Children = Extract<Delta, { kind: 'children' }>

function writeMembers(
  operations: string[],
  right: JsonDocument,
  { left, right: node, entries, removed }: Children,
  path: Path,
  names: ReadonlyMap<string, number>,
): void {
  for (const index of removed) {
    const name = left.names[index] ?? ''
    if (!names.has(name)) operations.push(operation('remove', [...path, name]))
  }
  entries.forEach(({ from }, index) => {
    const name = node.names[index] ?? ''
    const child = node.children[index]
    if (from === null && child !== undefined)
      operations.push(operation('add', [...path, name], { value: textOf(right, child) }))
  })
}

/**
 * Removes from the end, then inserts each new or moved item after its predecessor. Positions are computed instead of searched in the
 * array, because bodies have arrays of a hundred thousand items: handled items are in their final order, and the others still in the
 * left side's order.
 */
function writeItems(
  operations: string[],
  right: JsonDocument,
  { left, right: node, entries, removed }: Children,
  path: Path,
): void {
  for (const index of removed.toReversed()) operations.push(operation('remove', [...path, index]))
  const gone = new Set(removed)
  const pending = countPending(left.children.map((_, index) => !gone.has(index)))
  /** For each index on the left side, the index on the right side of the first item after it that stays in place. */
  const handledBefore = left.children.map(() => entries.length)
  entries.forEach(({ from, isMoved }, index) => {
    if (from !== null && !isMoved) handledBefore[from] = index
  })
  for (let at = handledBefore.length - 2; at >= 0; at--)
    handledBefore[at] = Math.min(handledBefore[at] ?? 0, handledBefore[at + 1] ?? 0)

  /** The last handled item that stays in place. */
  let last = 0
  entries.forEach(({ from: origin, isMoved }, index) => {
    const from =
      origin === null
        ? null
        : Math.min(index, handledBefore[origin] ?? 0) + pending.countBefore(origin)
    if (origin !== null) pending.remove(origin)
    if (origin !== null && !isMoved) {
      last = origin
      return
    }
    const to = index + pending.countBefore(last)
    const child = node.children[index]
    if (from === null) {
      if (child !== undefined)
        operations.push(operation('add', [...path, to], { value: textOf(right, child) }))
    } else if (from !== to)
      operations.push(operation('move', [...path, to], { from: [...path, from] }))
  })
}

/** Counts set flags before an index while flags are cleared (a binary indexed tree: each step takes log n). */
function countPending(flags: readonly boolean[]) {
  /** Node `at` has the number of flags in the `at & -at` places up to `at`, counted from 1. */
  const sums = [0, ...flags.map(Number)]
  for (let at = 1; at < sums.length; at++) {
    const above = at + (at & -at)
    if (above < sums.length) sums[above] = (sums[above] ?? 0) + (sums[at] ?? 0)
  }
  return {
    countBefore(index: number): number {
      let count = 0
      for (let at = index; at > 0; at -= at & -at) count += sums[at] ?? 0
      return count
    },
    remove(index: number): void {
      for (let at = index + 1; at < sums.length; at += at & -at) sums[at] = (sums[at] ?? 0) - 1
    },
  }
}

function operation(op: string, path: Path, rest: { value?: string; from?: Path } = {}): string {
  const from = rest.from === undefined ? '' : `,"from":${JSON.stringify(pointerOf(rest.from))}`
  const value = rest.value === undefined ? '' : `,"value":${rest.value}`
  return `{"op":"${op}"${from},"path":${JSON.stringify(pointerOf(path))}${value}}`
}
