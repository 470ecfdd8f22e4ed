/** JSON values as typed: `10.00`, `1e3`, `-0`, which parsing would rewrite. */
import { likelyNames } from '../query/problem.ts'
import { childOf, readJson, stepsOf, type JsonNode } from '../json/tree.ts'
import { fieldPaths, splitPath } from './json-path.ts'

/** JSON texts by dotted path. */
export type Literals = Readonly<Record<string, string>>

/** Returns a typed value as JSON; other text is a string. */
export function literalFromText(text: string): string {
  return readJson(text) === null ? JSON.stringify(text) : text.trim()
}

export function literalValue(literal: string): unknown {
  return JSON.parse(literal)
}

export function literalValues(literals: Literals = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(literals).map(([path, literal]) => [path, literalValue(literal)]),
  )
}

/** Returns the value at a path; null without one. */
export function nodeOfPath(root: JsonNode | null, names: readonly string[]): JsonNode | null {
  return names.reduce<JsonNode | null>(
    (node, name) =>
      childOf(node, node?.kind === 'array' && /^\d+$/.test(name) ? Number(name) : name),
    root,
  )
}

/** Replaces a value and no other character; adds a missing last field, or returns null. */
export function withLiteral(text: string, path: string, literal: string): string | null {
  const root = readJson(text)
  if (root === null) return null
  const names = [...splitPath(path)]
  const target = nodeOfPath(root, names)
  if (target !== null) return text.slice(0, target.start) + literal + text.slice(target.end)
  const last = names.pop() ?? ''
  const parent = nodeOfPath(root, names)
  if (parent?.kind !== 'object' || last === '') return null
  const end = parent.children.at(-1)?.end ?? parent.start + 1
  const comma = parent.children.length === 0 ? '' : ','
  return `${text.slice(0, end)}${comma}${JSON.stringify(last)}:${literal}${text.slice(end)}`
}

export function missingLiteral(text: string | null, path: string): string | null {
  const root = text === null ? null : readJson(text)
  if (root === null) return `Couldn't set ${path}: the body isn't JSON.`
  if (nodeOfPath(root, splitPath(path)) !== null) return null
  const [likely] = likelyNames(path, fieldPaths(JSON.parse(root.raw)))
  return `Couldn't set ${path}: field not found in the body. ${likely === undefined ? 'Check the path.' : `Did you mean ${likely}?`}`
}

export function textAt(text: string, path: string): string | null {
  return nodeOfPath(readJson(text), splitPath(path))?.raw ?? null
}

/** Serializes a payload, spelling equal values as in `literals`. */
export function writeWithLiterals(payload: unknown, literals: Literals): string {
  return Object.entries(literals).reduce((text, [path, literal]) => {
    const isUnchanged = textAt(text, path) === JSON.stringify(literalValue(literal))
    return isUnchanged ? (withLiteral(text, path, literal) ?? text) : text
  }, JSON.stringify(payload))
}

/** Returns a lookup of an object's numbers that JavaScript would rewrite, by name or path. */
export function literalMembers(text: string): (names: readonly string[]) => Literals {
  const root = readJson(text)
  return (names) => {
    const node = nodeOfPath(root, names)
    if (node?.kind !== 'object') return {}
    const members = node.children.filter(hasOwnSpelling)
    return Object.fromEntries(members.map(({ name, raw }) => [name ?? '', raw]))
  }
}

/** Returns the numbers that JavaScript would rewrite, or their whole array. */
export function literalsOf(text: string): Literals {
  const root = readJson(text)
  if (root === null) return {}
  const literals: Record<string, string> = {}
  const walk = (node: JsonNode): void => {
    if (node.kind === 'object') for (const child of node.children) walk(child)
    else if (node.parent !== null && hasOwnSpelling(node))
      literals[stepsOf(node).join('.')] = node.raw
  }
  walk(root)
  return literals
}

function hasOwnSpelling({ kind, raw, children }: JsonNode): boolean {
  return kind === 'number' ? JSON.stringify(Number(raw)) !== raw : children.some(hasOwnSpelling)
}
