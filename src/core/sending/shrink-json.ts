/**
 * Finds the smallest JSON text that still fails: removes fields and items level by level, then whitespace, then simplifies values,
 * and repeats until nothing changes. In the end no single field or item can be removed.
 */
import {
  readJson,
  type JsonDocument,
  type JsonNode,
  createInterner,
} from '../../shared/json/document.ts'
import { utf8Text } from '../../shared/body/encoding.ts'
import type { ShrunkField } from '../../shared/model/shrink.ts'
import { checkPayload } from '../../shared/service/payload.ts'
import { pathText, type PathStep } from '../../shared/body/json-path.ts'

/** Whether a text still fails. If it throws, the search ends. */
type Fails = (text: string) => Promise<boolean>

const MOST_FIELDS = 200
/** An escape or a whole character: strings aren't cut inside either. */
const CHARACTER = /\\u[0-9a-fA-F]{4}|\\.|[\s\S]/gu

/** Parses a text that is known to be JSON. */
function documentOf(text: string): JsonDocument {
  const document = readJson(text, createInterner())
  if (document === null) throw new Error('The shrunk text is no longer valid JSON.')
  return document
}

const isScalar = ({ kind }: JsonNode) => kind !== 'object' && kind !== 'array'

/** The simplest value of the same kind; null if it is already as simple as possible. */
function simplest(raw: string, { kind }: JsonNode): string | null {
  const simple = kind === 'string' ? '""' : kind === 'number' ? '0' : 'null'
  return raw === simple || raw === 'null' ? null : simple
}

/** Level by level from the top, so that removing much at once leaves little to check below. */
async function removeNodes(start: string, fails: Fails): Promise<string> {
  let text = start
  for (let depth = 1; ; depth++) {
    const document = documentOf(text)
    const level = levelsOf(document)[depth]
    if (level === undefined) return text
    const dropped = (kept: readonly (typeof level)[number][]) => {
      const stays = new Set(kept)
      return without(
        document,
        level.filter((placed) => !stays.has(placed)),
      )
    }
    text = dropped(await ddminItems(level, (kept) => fails(dropped(kept))))
  }
}

function scalarsOf(document: JsonDocument): JsonNode[] {
  return levelsOf(document)
    .flat()
    .flatMap(({ node }) => (isScalar(node) ? [node] : []))
    .toSorted((a, b) => a.start - b.start)
}

/** Replaces as many values as possible with the simplest ones at once. */
async function simplifyTogether(start: string, fails: Fails): Promise<string> {
  const document = documentOf(start)
  const simpler = new Map(
    scalarsOf(document).flatMap((node): [JsonNode, string][] => {
      const put = simplest(start.slice(node.start, node.end), node)
      return put === null ? [] : [[node, put]]
    }),
  )
  const replaced = (kept: readonly JsonNode[]) => {
    const stays = new Set(kept)
    return withValues(document, new Map([...simpler].filter(([node]) => !stays.has(node))))
  }
  return replaced(await ddminItems([...simpler.keys()], (kept) => fails(replaced(kept))))
}

/** Halves a string as long as half of it still fails. */
async function halve(
  characters: readonly string[],
  fails: (characters: readonly string[]) => Promise<boolean>,
) {
  let left = characters
  while (left.length > 1) {
    const middle = Math.ceil(left.length / 2)
    const halves = [left.slice(0, middle), left.slice(middle)]
    let shorter: readonly string[] | null = null
    for (const half of halves) if (shorter === null && (await fails(half))) shorter = half
    if (shorter === null) return left
    left = shorter
  }
  return left
}

/** Simplifies the remaining values: null instead, or a shorter string. */
async function simplifyOneByOne(start: string, fails: Fails): Promise<string> {
  let text = start
  // By index: replacing a value moves the others but keeps their order.
  for (let index = 0; ; index++) {
    const document = documentOf(text)
    const node = scalarsOf(document)[index]
    if (node === undefined) return text
    const raw = text.slice(node.start, node.end)
    if (simplest(raw, node) === null) continue
    const put = (value: string) => withValues(document, new Map([[node, value]]))
    if (await fails(put('null'))) {
      text = put('null')
      continue
    }
    if (node.kind !== 'string') continue
    const quoted = (characters: readonly string[]) => put(`"${characters.join('')}"`)
    text = quoted(
      await halve(raw.slice(1, -1).match(CHARACTER) ?? [], (characters) =>
        fails(quoted(characters)),
      ),
    )
  }
}

/**
 * Returns a function that tells whether a simplified text has a schema error that `before` hasn't: a value that the service never
 * sends could make the handler fail for another reason. `event`: null if unknown; then nothing is an error.
 */
const newErrors = (event: string | null) => (before: string) => {
  const placesIn = (text: string) => checkPayload(event, text).failures.map(({ path }) => path)
  const known = new Set(placesIn(before))
  return (simplified: string) => placesIn(simplified).some((path) => !known.has(path))
}

interface ShrinkJsonOptions {
  readonly event: string | null
  onPhase(phase: 'removing' | 'simplifying'): void
}

/**
 * `start` is JSON and fails. Resolves with a failing text of which no field and no item can be removed, and whose values have no
 * schema errors but those of `start`.
 */
export async function shrinkJson(
  start: string,
  fails: Fails,
  { event, onPhase }: ShrinkJsonOptions,
): Promise<string> {
  let text = start
  for (;;) {
    const before = text
    onPhase('removing')
    text = await removeNodes(text, fails)
    // A removed node may have been the only reason to keep something above it.
    if (text !== before) continue
    onPhase('simplifying')
    const compact = compacted(text)
    if (compact !== text && (await fails(compact))) text = compact
    const addsError = newErrors(event)(text)
    const failsInSchema: Fails = async (simplified) => !addsError(simplified) && fails(simplified)
    text = await simplifyTogether(text, failsInSchema)
    text = await simplifyOneByOne(text, failsInSchema)
    if (text === before) return text
  }
}

/** Finds the fields and items of a JSON text. */
export function countNodes(text: string): number {
  return levelsOf(documentOf(text)).reduce((sum, level) => sum + level.length, -1)
}

/** The remaining parts of a text: its scalars, empty objects and empty arrays, in order; nothing if the whole is empty. */
export function fieldsOf(text: string, event: string | null): ShrunkField[] {
  const addsError = newErrors(event)(text)
  const document = documentOf(text)
  return levelsOf(document)
    .flat()
    .filter(({ node, holder }) => node.children.length === 0 && (isScalar(node) || holder !== null))
    .toSorted((a, b) => a.node.start - b.node.start)
    .slice(0, MOST_FIELDS)
    .map((placed) => {
      const { node } = placed
      const value = text.slice(node.start, node.end)
      const simpler = isScalar(node) ? simplest(value, node) : null
      const isKept = (put: string) => addsError(withValues(document, new Map([[node, put]])))
      const needed =
        simpler === null ? 'presence' : [simpler, 'null'].every(isKept) ? 'schema' : 'value'
      return { path: nodePath(placed), value, needed }
    })
}

/** Parses bytes as JSON in UTF-8; null if they aren't. */
export function textOfJson(bytes: Uint8Array): string | null {
  const text = utf8Text(bytes, false)
  return text === null || readJson(text, createInterner()) === null ? null : text
}

// Makes a JSON text smaller by cutting nodes and replacing scalars in the text itself, so that all remaining numbers, escapes,
// duplicate keys and whitespace stay as sent.

/** A node and its parent; the root has no parent. */
interface PlacedNode {
  readonly node: JsonNode
  readonly holder: PlacedNode | null
  /** Its index among its siblings. */
  readonly index: number
}

/** The document's nodes by depth: the first level is just the root. */
export function levelsOf({ root }: JsonDocument): PlacedNode[][] {
  const levels: PlacedNode[][] = []
  for (let level: PlacedNode[] = [{ node: root, holder: null, index: 0 }]; level.length > 0;) {
    levels.push(level)
    level = level.flatMap((holder) =>
      holder.node.children.map((node, index) => ({ node, holder, index })),
    )
  }
  return levels
}

function nodePath(placed: PlacedNode): string {
  const steps: PathStep[] = []
  for (let at: PlacedNode = placed; at.holder !== null; at = at.holder) {
    const { holder, index } = at
    steps.push(holder.node.kind === 'object' ? (holder.node.names[index] ?? '') : index)
  }
  return pathText(steps.toReversed())
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Edits from left to right. An edit inside another one is part of it. */
function applied(text: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end, text: put } of edits.toSorted(
    (a, b) => a.start - b.start || b.end - a.end,
  )) {
    if (start < at) continue
    parts.push(text.slice(at, start), put)
    at = end
  }
  parts.push(text.slice(at))
  return parts.join('')
}

/** The start of a child; for a member, of its name. There is no other quotation mark between a child and the next name. */
function startOf(text: string, { children, kind, start }: JsonNode, index: number): number {
  const child = children[index]
  if (child === undefined) return start
  return kind === 'array' ? child.start : text.indexOf('"', children[index - 1]?.end ?? start)
}

/** The ranges to cut to remove some children of a node, including commas that are no longer needed. */
function cutsIn(text: string, node: JsonNode, gone: ReadonlySet<number>): Edit[] {
  const { children, start, end } = node
  const first = children.findIndex((_, index) => !gone.has(index))
  if (first === -1) return [{ start: start + 1, end: end - 1, text: '' }]
  const leading =
    first === 0
      ? []
      : [{ start: startOf(text, node, 0), end: startOf(text, node, first), text: '' }]
  const later = [...gone]
    .filter((index) => index > first)
    .map((index) => ({
      start: children[index - 1]?.end ?? start,
      end: children[index]?.end ?? end,
      text: '',
    }))
  return [...leading, ...later]
}

/** The text without these nodes, which don't include the root. */
export function without({ text }: JsonDocument, gone: Iterable<PlacedNode>): string {
  const byHolder = new Map<JsonNode, Set<number>>()
  for (const { holder, index } of gone) {
    if (holder === null) continue
    const indexes = byHolder.get(holder.node) ?? new Set()
    byHolder.set(holder.node, indexes.add(index))
  }
  return applied(
    text,
    [...byHolder].flatMap(([node, indexes]) => cutsIn(text, node, indexes)),
  )
}

function withValues({ text }: JsonDocument, values: ReadonlyMap<JsonNode, string>): string {
  return applied(
    text,
    [...values].map(([{ start, end }, put]) => ({ start, end, text: put })),
  )
}

/** The text without whitespace between tokens. */
export function compacted(text: string): string {
  return text.replace(
    /("(?:[^"\\]|\\.)*"?)|[ \t\r\n]+/g,
    (_, string: string | undefined) => string ?? '',
  )
}

// Delta debugging: finds a small part of a list that is enough. The result is 1-minimal: removing any single item makes it
// insufficient. (Zeller and Hildebrandt, 2002; complements only, because they reach sufficient subsets too.)

/** An ordered list: an array, or bytes, which would take eight times the memory as an array. */
interface Sequence<S> {
  readonly length: number
  slice(from: number, to?: number): S
}

/** `isEnough` is called with sublists, in order, and holds for the whole list. If it throws, the search ends with that error. */
async function ddmin<S extends Sequence<S>>(
  all: S,
  join: (head: S, tail: S) => S,
  isEnough: (kept: S) => Promise<boolean>,
): Promise<S> {
  const none = all.slice(0, 0)
  if (all.length === 0 || (await isEnough(none))) return none
  let kept = all
  let parts = 2
  while (kept.length > 1) {
    const size = Math.ceil(kept.length / parts)
    let smaller: S | null = null
    for (let from = 0; from < kept.length && smaller === null; from += size) {
      const rest = join(kept.slice(0, from), kept.slice(from + size))
      if (rest.length > 0 && (await isEnough(rest))) smaller = rest
    }
    if (smaller !== null) {
      kept = smaller
      parts = Math.max(parts - 1, 2)
    } else if (size === 1) return kept
    else parts = Math.min(parts * 2, kept.length)
  }
  return kept
}

/** The same for an array. */
export function ddminItems<T>(
  all: readonly T[],
  isEnough: (kept: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  return ddmin(all, (head, tail) => [...head, ...tail], isEnough)
}

// The smallest failing bytes of a body without structure.

/** `start` fails. Resolves with failing bytes of which none can be removed. */
export function shrinkBytes(
  start: Uint8Array,
  fails: (bytes: Uint8Array) => Promise<boolean>,
): Promise<Uint8Array> {
  return ddmin(start, (head, tail) => new Uint8Array(Buffer.concat([head, tail])), fails)
}
