/**
 * JSON values in their typed notation: `10.00`, `1e3`, `-0`, twenty digits. Parsing turns them into `10`, `1000` and `0`, but a
 * handler must be tested with exactly the typed characters. They are therefore kept beside the parsed value, by path, and inserted
 * into the text that is sent.
 */
import { nearest } from '../query/problem.ts'
import {
  memberOf,
  readJson,
  textOf,
  type JsonDocument,
  type JsonNode,
  createInterner,
} from '../json/document.ts'
import { fieldPaths, pathNames } from './json-path.ts'

/** JSON texts by path: names joined by dots, items by index. */
export type Literals = Readonly<Record<string, string>>

function parse(text: string): JsonDocument | null {
  return readJson(text, createInterner())
}

/** Parses a value typed on a command line: JSON, or a string without quotes. Returns JSON. */
export function typedLiteral(text: string): string {
  return parse(text) === null ? JSON.stringify(text) : text.trim()
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

function childOf(node: JsonNode | null, name: string): JsonNode | null {
  if (node?.kind === 'array')
    return /^\d+$/.test(name) ? (node.children[Number(name)] ?? null) : null
  return memberOf(node, name)
}

function nodeAt({ root }: JsonDocument, names: readonly string[]): JsonNode | null {
  return names.reduce<JsonNode | null>(childOf, root)
}

/**
 * The text with the value at the path replaced by the literal, and every other character kept. A missing last field is added at the
 * end of its object. Null if the text isn't JSON or lacks that parent object.
 */
export function withLiteral(text: string, path: string, literal: string): string | null {
  const document = parse(text)
  if (document === null) return null
  const names = [...pathNames(path)]
  const there = nodeAt(document, names)
  if (there !== null) return text.slice(0, there.start) + literal + text.slice(there.end)
  const last = names.pop() ?? ''
  const parent = nodeAt(document, names)
  if (parent?.kind !== 'object' || last === '') return null
  const end = parent.children.at(-1)?.end ?? parent.start + 1
  const comma = parent.children.length === 0 ? '' : ','
  return `${text.slice(0, end)}${comma}${JSON.stringify(last)}:${literal}${text.slice(end)}`
}

/** Why the value at a path can't be replaced, with the field that was probably meant; null if it can. */
export function missingLiteral(text: string | null, path: string): string | null {
  const document = text === null ? null : parse(text)
  if (document === null) return `Couldn't set ${path}: the body isn't JSON.`
  if (nodeAt(document, pathNames(path)) !== null) return null
  const [meant] = nearest(path, fieldPaths(JSON.parse(document.text)))
  return `Couldn't set ${path}: field not found in the body. ${meant === undefined ? 'Check the path.' : `Did you mean ${meant}?`}`
}

export function textAt(text: string, path: string): string | null {
  const document = parse(text)
  const node = document === null ? null : nodeAt(document, pathNames(path))
  return document === null || node === null ? null : textOf(document, node)
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
  const document = parse(text)
  return (names) => {
    const node = document === null ? null : names.reduce<JsonNode | null>(childOf, document.root)
    if (document === null || node?.kind !== 'object') return {}
    const members = node.children.map((child, index) => [node.names[index] ?? '', child] as const)
    const own = members.filter(([, child]) => hasOwnSpelling(document, child))
    return Object.fromEntries(own.map(([name, child]) => [name, textOf(document, child)]))
  }
}

/** The numbers in a text that JavaScript would rewrite, by path. A number in an array makes the whole array a literal. */
export function literalsOf(text: string): Literals {
  const document = parse(text)
  if (document === null) return {}
  const found: Record<string, string> = {}
  const walk = (node: JsonNode, names: readonly string[]): void => {
    if (node.kind === 'object') {
      for (const [index, child] of node.children.entries())
        walk(child, [...names, node.names[index] ?? ''])
    } else if (names.length > 0 && hasOwnSpelling(document, node))
      found[names.join('.')] = textOf(document, node)
  }
  walk(document.root, [])
  return found
}

function hasOwnSpelling(document: JsonDocument, node: JsonNode): boolean {
  if (node.kind !== 'number') return node.children.some((child) => hasOwnSpelling(document, child))
  const raw = textOf(document, node)
  return JSON.stringify(Number(raw)) !== raw
}
