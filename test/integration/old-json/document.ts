/**
 * A JSON text as a tree of its tokens: every number, escape and duplicate key as it was sent, nothing turned into values. One
 * pass with its own stack, so no depth of nesting overflows anything.
 */
import type { Interner } from '../../../src/shared/json/interner.ts'
import { canonicalNumber } from '../../../src/shared/json/number-form.ts'

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'word'

export interface JsonNode {
  readonly kind: JsonKind
  /** Where its text stands in the document; `end` is one past the last character. */
  readonly start: number
  readonly end: number
  /** Members of an object or items of an array, in their order. */
  readonly children: readonly JsonNode[]
  /** Names of the members: as they are meant, and as they were written, quotes included. */
  readonly names: readonly string[]
  readonly rawNames: readonly string[]
  /** The same number for all that is written alike, and for all that means the same. Only numbers of one interner compare. */
  readonly form: number
  readonly value: number
}

export interface JsonDocument {
  readonly text: string
  readonly root: JsonNode
}

/** Items have no names, and scalars no children: they share this. */
const none: never[] = []

interface Frame {
  readonly kind: 'object' | 'array'
  readonly start: number
  readonly children: JsonNode[]
  readonly names: string[]
  readonly rawNames: string[]
}

const plain = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

/** One past the closing quote of the string that begins at `start`; -1 where it is none. */
function endOfString(text: string, start: number): number {
  if (text[start] !== '"') return -1
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 34) return at + 1
    if (code < 32) return -1
    if (code !== 92) continue
    const escape = text.charAt(++at)
    if (escape === 'u') {
      if (!/^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5))) return -1
      at += 4
    } else if (!'"\\/bfnrt'.includes(escape)) return -1
  }
  return -1
}

/** Reads a JSON text; null where it is none. */
export function readJson(text: string, intern: Interner): JsonDocument | null {
  const stack: Frame[] = []
  let at = 0
  let root: JsonNode | null = null

  const matchString = (): string | null => {
    const start = at
    const end = endOfString(text, start)
    if (end < 0) return null
    at = end
    return text.slice(start, end)
  }
  const matchPlain = (): string | null => {
    plain.lastIndex = at
    const found = plain.exec(text)
    if (found === null) return null
    at = plain.lastIndex
    return found[0]
  }
  const skip = () => {
    while (isSpace(text.charCodeAt(at))) at++
  }
  /** Hands a finished node to what holds it. */
  const place = (node: JsonNode) => {
    const holder = stack.at(-1)
    if (holder === undefined) root = node
    else holder.children.push(node)
  }
  const readName = (frame: Frame): boolean => {
    const raw = matchString()
    if (raw === null) return false
    frame.names.push(decoded(raw))
    frame.rawNames.push(raw)
    skip()
    if (text[at] !== ':') return false
    at++
    skip()
    return true
  }

  skip()
  for (;;) {
    // A value is expected here.
    const opener = text[at]
    if (opener === '{' || opener === '[') {
      const kind = opener === '{' ? 'object' : 'array'
      const frame: Frame =
        kind === 'object'
          ? { kind, start: at, children: [], names: [], rawNames: [] }
          : { kind, start: at, children: [], names: none, rawNames: none }
      at++
      skip()
      stack.push(frame)
      const isEmpty = text[at] === (opener === '{' ? '}' : ']')
      if (!isEmpty) {
        if (frame.kind === 'object' && !readName(frame)) return null
        continue
      }
    } else {
      const start = at
      const raw = opener === '"' ? matchString() : matchPlain()
      if (raw === null) return null
      place(scalar(raw, start, at, intern))
    }
    // A value has ended, or an empty container is about to.
    for (;;) {
      skip()
      const frame = stack.at(-1)
      if (frame === undefined) return root !== null && at === text.length ? { text, root } : null
      const mark = text[at]
      if (mark === ',' && frame.children.length > 0) {
        at++
        skip()
        if (frame.kind === 'object' && !readName(frame)) return null
        break
      }
      if (mark !== (frame.kind === 'object' ? '}' : ']')) return null
      at++
      stack.pop()
      place(container(frame, at, intern))
    }
  }
}

function decoded(raw: string): string {
  return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1)
}

/** A string written without needless escapes: the same for all that mean the same. */
function meantString(raw: string): string {
  return raw.includes('\\') ? JSON.stringify(decoded(raw)) : raw
}

function scalar(raw: string, start: number, end: number, intern: Interner): JsonNode {
  const first = raw.charCodeAt(0)
  const kind = first === 34 ? 'string' : first < 58 ? 'number' : 'word'
  const form = intern.text(raw)
  const meant = kind === 'number' ? canonicalNumber(raw) : kind === 'string' ? meantString(raw) : raw
  const value = meant === raw ? form : intern.text(meant)
  return { kind, start, end, children: none, names: none, rawNames: none, form, value }
}

function container({ kind, start, children, names, rawNames }: Frame, end: number, intern: Interner): JsonNode {
  let form = intern.text(kind)
  let value = form
  if (kind === 'array') {
    for (const child of children) {
      form = intern.pair(form, child.form)
      value = intern.pair(value, child.value)
    }
    return { kind, start, end, children, names, rawNames, form, value }
  }
  // The order of members belongs to how an object is written, not to what it means.
  const members: number[] = []
  for (let index = 0; index < children.length; index++) {
    const child = children[index]!
    const raw = rawNames[index]!
    const name = intern.text(raw)
    form = intern.pair(intern.pair(form, name), child.form)
    members.push(intern.pair(raw.includes('\\') ? intern.text(meantString(raw)) : name, child.value))
  }
  for (const member of members.sort((one, other) => one - other)) value = intern.pair(value, member)
  return { kind, start, end, children, names, rawNames, form, value }
}

/** The text of a node as it was sent. */
export function textOf(document: JsonDocument, node: JsonNode): string {
  return document.text.slice(node.start, node.end)
}

/** The text of a scalar string, decoded; null for anything else. */
export function stringOf(document: JsonDocument, node: JsonNode): string | null {
  return node.kind === 'string' ? decoded(textOf(document, node)) : null
}

/** The member of an object by its name: the last where there are several, as most readers take it. */
export function memberOf(node: JsonNode | null, name: string): JsonNode | null {
  if (node?.kind !== 'object') return null
  return node.children[node.names.lastIndexOf(name)] ?? null
}

/** The document laid out, one member or item a line, indented by two spaces: only the white space between tokens is ours. */
export function formattedLines(document: JsonDocument): string[] {
  const lines: string[] = []
  const stack: { node: JsonNode; next: number; end: string }[] = []
  const indent = () => '  '.repeat(Math.min(stack.length, 40))
  /** Writes a node that begins on a line; what follows its last character is `end`. */
  const write = (node: JsonNode, before: string, end: string) => {
    if (node.children.length === 0) {
      const text = node.kind === 'object' ? '{}' : node.kind === 'array' ? '[]' : textOf(document, node)
      lines.push(indent() + before + text + end)
      return
    }
    lines.push(`${indent()}${before}${node.kind === 'object' ? '{' : '['}`)
    stack.push({ node, next: 0, end })
  }
  write(document.root, '', '')
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const { node, next } = frame
    const child = node.children[next]
    if (child === undefined) {
      stack.pop()
      lines.push(indent() + (node.kind === 'object' ? '}' : ']') + frame.end)
      continue
    }
    frame.next++
    const name = node.kind === 'object' ? `${node.rawNames[next]}: ` : ''
    write(child, name, frame.next < node.children.length ? ',' : '')
  }
  return lines
}
