/**
 * A difference as a JSON Patch (RFC 6902), including moves. Written as text, so that numbers stay as sent. A patch can't express
 * the order of fields or duplicate names, so these are left out.
 */
import { textOf, type JsonDocument } from '../json/document.ts'
import { pointerOf, type Path } from './path.ts'
import type { Delta, Entry } from './structure.ts'

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
  if (delta.left.kind === 'object') writeMembers(operations, right, delta, path)
  else writeItems(operations, right, delta, path)
  delta.entries.forEach(({ delta: inner }, index) => {
    const isArray = delta.right.kind === 'array'
    const name = delta.right.names[index] ?? ''
    const isShadowed = !isArray && delta.right.names.lastIndexOf(name) !== index
    if (inner !== null && !isShadowed)
      write(operations, right, inner, [...path, isArray ? index : name])
  })
}

type Children = Extract<Delta, { kind: 'children' }>

function writeMembers(
  operations: string[],
  right: JsonDocument,
  { left, right: node, entries, removed }: Children,
  path: Path,
): void {
  for (const index of removed) {
    const name = left.names[index] ?? ''
    if (!node.names.includes(name)) operations.push(operation('remove', [...path, name]))
  }
  entries.forEach(({ from }, index) => {
    const name = node.names[index] ?? ''
    const child = node.children[index]
    if (from === null && child !== undefined)
      operations.push(operation('add', [...path, name], { value: textOf(right, child) }))
  })
}

/** Removes from the end, then inserts each new or moved item after its predecessor. */
function writeItems(
  operations: string[],
  right: JsonDocument,
  { left, right: node, entries, removed }: Children,
  path: Path,
): void {
  for (const index of removed.toReversed()) operations.push(operation('remove', [...path, index]))
  const gone = new Set(removed)
  const row: (number | Entry)[] = left.children
    .map((_, index) => index)
    .filter((index) => !gone.has(index))
  let before: number | Entry | null = null
  entries.forEach((entry, index) => {
    const item: number | Entry = entry.from ?? entry
    const child = node.children[index]
    if (entry.from === null && child !== undefined) {
      const to: number = before === null ? 0 : row.indexOf(before) + 1
      row.splice(to, 0, item)
      operations.push(operation('add', [...path, to], { value: textOf(right, child) }))
    } else if (entry.isMoved) {
      const from = row.indexOf(item)
      row.splice(from, 1)
      const to: number = before === null ? 0 : row.indexOf(before) + 1
      row.splice(to, 0, item)
      if (from !== to) operations.push(operation('move', [...path, to], { from: [...path, from] }))
    }
    before = item
  })
}

function operation(op: string, path: Path, rest: { value?: string; from?: Path } = {}): string {
  const from = rest.from === undefined ? '' : `,"from":${JSON.stringify(pointerOf(rest.from))}`
  const value = rest.value === undefined ? '' : `,"value":${rest.value}`
  return `{"op":"${op}"${from},"path":${JSON.stringify(pointerOf(path))}${value}}`
}
