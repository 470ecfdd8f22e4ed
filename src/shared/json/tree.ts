/** Tree of a JSON text's tokens, as sent. */
import { decodedString, OBJECT, scanJson, type ScanOptions } from './scan.ts'

type JsonKind = 'object' | 'array' | 'string' | 'number' | 'word'

const none: JsonNode[] = []

export class JsonNode {
  readonly kind: JsonKind
  readonly start: number
  end: number
  readonly key: { readonly start: number; readonly end: number } | null
  readonly parent: JsonNode | null
  readonly place: number
  readonly depth: number
  readonly children: JsonNode[]
  /** Numbers from `diff/numbered-tree.ts`. */
  notation = 0
  value = 0
  readonly #text: string
  // Cached, because comparisons look them up again and again.
  #raw: string | undefined
  #rawName: string | undefined
  #name: string | undefined

  constructor(
    text: string,
    kind: JsonKind,
    { start, end }: { readonly start: number; readonly end: number },
    parent: JsonNode | null,
    key: JsonNode['key'],
  ) {
    this.#text = text
    this.kind = kind
    this.start = start
    this.end = end
    this.key = key
    this.parent = parent
    this.place = parent?.children.length ?? 0
    this.depth = parent === null ? 0 : parent.depth + 1
    this.children = this.isContainer ? [] : none
    parent?.children.push(this)
  }

  get isContainer(): boolean {
    return this.kind === 'object' || this.kind === 'array'
  }

  /** Text as sent; of a string, with its quotes. */
  get raw(): string {
    return (this.#raw ??= this.#text.slice(this.start, this.end))
  }

  /** Decoded string; raw if cut. */
  get string(): string | null {
    return this.kind === 'string' ? decodedString(this.raw) : null
  }

  /** Quoted name as sent; null for an item and the root. */
  get rawName(): string | null {
    if (this.key === null) return null
    return (this.#rawName ??= this.#text.slice(this.key.start, this.key.end))
  }

  get name(): string | null {
    const { rawName } = this
    return rawName === null ? null : (this.#name ??= decodedString(rawName))
  }
}

interface ReadOptions extends ScanOptions {
  /** Accepts the beginning of a longer text. */
  readonly isCut?: boolean
  readonly mostNodes?: number
  readonly onEnd?: (node: JsonNode) => void
}

interface JsonTree {
  readonly root: JsonNode
  /** More values than `mostNodes`. */
  readonly isPartial: boolean
}

export function readTree(
  text: string,
  { isCut = false, mostNodes = Number.POSITIVE_INFINITY, onEnd, ...options }: ReadOptions = {},
): JsonTree | null {
  const nodes = { root: null as JsonNode | null, parent: null as JsonNode | null }
  let key: JsonNode['key'] = null
  let count = 0
  let beyond = 0
  let isPartial = false
  const add = (kind: JsonKind, start: number, end: number): JsonNode | null => {
    if (count >= mostNodes || beyond > 0) {
      isPartial = true
      return null
    }
    count++
    const node = new JsonNode(text, kind, { start, end }, nodes.parent, key)
    key = null
    nodes.root ??= node
    return node
  }
  const leave = (end: number) => {
    const { parent } = nodes
    if (parent === null) return
    parent.end = end
    nodes.parent = parent.parent
    onEnd?.(parent)
  }
  const { outcome } = scanJson(
    text,
    {
      key(start, end) {
        key = { start, end: Math.min(end, text.length) }
      },
      scalar(start, end, isString) {
        const kind = isString ? 'string' : /[-\d]/.test(text.charAt(start)) ? 'number' : 'word'
        const node = add(kind, start, Math.min(end, text.length))
        if (node !== null) onEnd?.(node)
      },
      open(at, container) {
        const node = add(container === OBJECT ? 'object' : 'array', at, at + 1)
        if (node === null) beyond++
        else nodes.parent = node
      },
      close(at) {
        if (beyond > 0) beyond--
        else leave(at + 1)
      },
    },
    options,
  )
  if (outcome === 'not-json' || (outcome === 'cut' && !isCut)) return null
  while (nodes.parent !== null) leave(text.length)
  return nodes.root && { root: nodes.root, isPartial }
}

export function readJson(text: string): JsonNode | null {
  return readTree(text)?.root ?? null
}

/** Returns a member, the last of duplicates, or an item. */
export function childOf(node: JsonNode | null, step: string | number): JsonNode | null {
  if (node?.kind === 'object') return node.children.findLast(({ name }) => name === step) ?? null
  return (typeof step === 'number' ? node?.children[step] : undefined) ?? null
}

/** Returns the names and indexes from the root. */
export function stepsOf(node: JsonNode): (string | number)[] {
  const steps: (string | number)[] = []
  for (let at = node; at.parent !== null; at = at.parent) steps.push(at.name ?? at.place)
  return steps.reverse()
}

/** Yields a value and everything inside it, in order. */
export function* nodesOf(root: JsonNode): Generator<JsonNode> {
  const open = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node
    for (let index = node.children.length; index > 0; index--) open.push(node.children[index - 1]!)
  }
}
