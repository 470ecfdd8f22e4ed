/**
 * Finds the smallest JSON text that still fails: removes fields and items level by level, then whitespace, then simplifies values,
 * and repeats until nothing changes. In the end no single field or item can be removed.
 */
import { nodesOf, readJson, stepsOf, type JsonNode } from '../../shared/json/tree.ts'
import { utf8Text } from '../../shared/body/encoding.ts'
import type { ShrunkField } from '../../shared/model/shrink.ts'
import { checkPayload } from '../../shared/service/payload.ts'
import { pathText } from '../../shared/body/json-path.ts'

/** Whether a text still fails. If it throws, the search ends. */
type Fails = (text: string) => Promise<boolean>

const MOST_FIELDS = 200
/** An escape or a whole character: strings aren't cut inside either. */
const CHARACTER = /\\u[0-9a-fA-F]{4}|\\.|[\s\S]/gu

/** Parses a text that is known to be JSON. */
function rootOf(text: string): JsonNode {
  const root = readJson(text)
  if (root === null) throw new Error('The shrunk text is no longer valid JSON.')
  return root
}

/** The simplest value of the same kind; null if it is already as simple as possible. */
function simplest({ kind, raw }: JsonNode): string | null {
  const simple = kind === 'string' ? '""' : kind === 'number' ? '0' : 'null'
  return raw === simple || raw === 'null' ? null : simple
}

/** Level by level from the top, so that removing much at once leaves little to check below. */
async function removeNodes(start: string, fails: Fails): Promise<string> {
  let text = start
  for (let depth = 1; ; depth++) {
    const whole = text
    const level = levelsOf(rootOf(whole))[depth]
    if (level === undefined) return text
    const dropped = (kept: readonly JsonNode[]) => {
      const stays = new Set(kept)
      return without(
        whole,
        level.filter((node) => !stays.has(node)),
      )
    }
    text = dropped(await ddminItems(level, (kept) => fails(dropped(kept))))
  }
}

function scalarsOf(root: JsonNode): JsonNode[] {
  return [...nodesOf(root)].filter(({ isContainer }) => !isContainer)
}

/** Replaces as many values as possible with the simplest ones at once. */
async function simplifyTogether(start: string, fails: Fails): Promise<string> {
  const simpler = new Map(
    scalarsOf(rootOf(start)).flatMap((node): [JsonNode, string][] => {
      const put = simplest(node)
      return put === null ? [] : [[node, put]]
    }),
  )
  const replaced = (kept: readonly JsonNode[]) => {
    const stays = new Set(kept)
    return withValues(start, new Map([...simpler].filter(([node]) => !stays.has(node))))
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
    const whole = text
    const node = scalarsOf(rootOf(whole))[index]
    if (node === undefined) return text
    const { raw } = node
    if (simplest(node) === null) continue
    const put = (value: string) => withValues(whole, new Map([[node, value]]))
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
  return [...nodesOf(rootOf(text))].length - 1
}

/** The remaining parts of a text: its scalars, empty objects and empty arrays, in order; nothing if the whole is empty. */
export function fieldsOf(text: string, event: string | null): ShrunkField[] {
  const addsError = newErrors(event)(text)
  return [...nodesOf(rootOf(text))]
    .filter(
      ({ children, isContainer, parent }) =>
        children.length === 0 && (!isContainer || parent !== null),
    )
    .slice(0, MOST_FIELDS)
    .map((node) => {
      const simpler = node.isContainer ? null : simplest(node)
      const isKept = (put: string) => addsError(withValues(text, new Map([[node, put]])))
      const needed =
        simpler === null ? 'presence' : [simpler, 'null'].every(isKept) ? 'schema' : 'value'
      return { path: pathText(stepsOf(node)), value: node.raw, needed }
    })
}

/** Parses bytes as JSON in UTF-8; null if they aren't. */
export function textOfJson(bytes: Uint8Array): string | null {
  const text = utf8Text(bytes, false)
  return text === null || readJson(text) === null ? null : text
}

// Makes a JSON text smaller by cutting nodes and replacing scalars in the text itself, so that all remaining numbers, escapes,
// duplicate keys and whitespace stay as sent.

/** The values by depth: the first level is just the root. */
function levelsOf(root: JsonNode): JsonNode[][] {
  const levels: JsonNode[][] = []
  for (let level = [root]; level.length > 0; level = level.flatMap(({ children }) => children))
    levels.push(level)
  return levels
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
export function without(text: string, gone: readonly JsonNode[]): string {
  return applied(
    text,
    [...Map.groupBy(gone, ({ parent }) => parent)].flatMap(([parent, nodes]) =>
      parent === null ? [] : cutsIn(text, parent, new Set(nodes.map(({ place }) => place))),
    ),
  )
}

function withValues(text: string, values: ReadonlyMap<JsonNode, string>): string {
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
