/**
 * JSON values in their typed notation: `10.00`, `1e3`, `-0`, twenty digits. Parsing turns them into `10`, `1000` and `0`, but a
 * handler must be tested with exactly the typed characters. They are therefore kept beside the parsed value, by path, and inserted
 * into the text that is sent.
 */
import { nearest } from '../query/problem.ts'
import { childOf, readJson, stepsOf, type JsonNode } from '../json/tree.ts'
import { fieldPaths, pathNames } from './json-path.ts'

/** JSON texts by path: names joined by dots, items by index. */
export type Literals = Readonly<Record<string, string>>

/** Parses a value typed on a command line: JSON, or a string without quotes. Returns JSON. */
export function typedLiteral(text: string): string {
  return readJson(text) === null ? JSON.stringify(text) : text.trim()
}

export function literalValue(literal: string): unknown {
  return JSON.parse(literal)
}

/** The same for several values, by path. */
export function literalValues(literals: Literals = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(literals).map(([path, literal]) => [path, literalValue(literal)]),
  )
}

/** The value that names lead to; for an item, its index. */
function nodeAt(root: JsonNode | null, names: readonly string[]): JsonNode | null {
  return names.reduce<JsonNode | null>(
    (node, name) =>
      childOf(node, node?.kind === 'array' && /^\d+$/.test(name) ? Number(name) : name),
    root,
  )
}

/**
 * The text with the value at the path replaced by the literal, and every other character kept. A missing last field is added at the
 * end of its object. Null if the text isn't JSON or lacks that parent object.
 */
export function withLiteral(text: string, path: string, literal: string): string | null {
  const root = readJson(text)
  if (root === null) return null
  const names = [...pathNames(path)]
  const there = nodeAt(root, names)
  if (there !== null) return text.slice(0, there.start) + literal + text.slice(there.end)
  const last = names.pop() ?? ''
  const parent = nodeAt(root, names)
  if (parent?.kind !== 'object' || last === '') return null
  const end = parent.children.at(-1)?.end ?? parent.start + 1
  const comma = parent.children.length === 0 ? '' : ','
  return `${text.slice(0, end)}${comma}${JSON.stringify(last)}:${literal}${text.slice(end)}`
}

/** Why the value at a path can't be replaced, with the field that was probably meant; null if it can. */
export function missingLiteral(text: string | null, path: string): string | null {
  const root = text === null ? null : readJson(text)
  if (root === null) return `Couldn't set ${path}: the body isn't JSON.`
  if (nodeAt(root, pathNames(path)) !== null) return null
  const [meant] = nearest(path, fieldPaths(JSON.parse(root.raw)))
  return `Couldn't set ${path}: field not found in the body. ${meant === undefined ? 'Check the path.' : `Did you mean ${meant}?`}`
}

export function textAt(text: string, path: string): string | null {
  return nodeAt(readJson(text), pathNames(path))?.raw ?? null
}

/** A payload as JSON, with each literal that equals the payload's value at its path. */
export function writeWithLiterals(payload: unknown, literals: Literals): string {
  return Object.entries(literals).reduce((text, [path, literal]) => {
    const isThere = textAt(text, path) === JSON.stringify(literalValue(literal))
    return isThere ? (withLiteral(text, path, literal) ?? text) : text
  }, JSON.stringify(payload))
}

/**
 * For an object inside a text, found by its names: each field with a number that JavaScript would rewrite. The field names may be
 * paths themselves, as under `set` in a flow file.
 */
export function literalMembers(text: string): (names: readonly string[]) => Literals {
  const root = readJson(text)
  return (names) => {
    const node = nodeAt(root, names)
    if (node?.kind !== 'object') return {}
    const own = node.children.filter(hasOwnSpelling)
    return Object.fromEntries(own.map(({ name, raw }) => [name ?? '', raw]))
  }
}

/** The numbers in a text that JavaScript would rewrite, by path. A number in an array makes the whole array a literal. */
export function literalsOf(text: string): Literals {
  const root = readJson(text)
  if (root === null) return {}
  const found: Record<string, string> = {}
  const walk = (node: JsonNode): void => {
    if (node.kind === 'object') for (const child of node.children) walk(child)
    else if (node.parent !== null && hasOwnSpelling(node)) found[stepsOf(node).join('.')] = node.raw
  }
  walk(root)
  return found
}

function hasOwnSpelling({ kind, raw, children }: JsonNode): boolean {
  return kind === 'number' ? JSON.stringify(Number(raw)) !== raw : children.some(hasOwnSpelling)
}
