/**
 * The smallest JSON text that still fails: first whole fields and items go, level by level, then white space, then values become
 * simpler, and all of it again until nothing more goes. In the end no single field or item can go.
 */
import { createInterner } from '../../shared/json/interner.ts'
import { readJson, type JsonDocument, type JsonNode } from '../../shared/json/document.ts'
import type { ShrunkField } from '../../shared/model/shrink.ts'
import { ddminItems } from './ddmin.ts'
import { compacted, levelsOf, nodePath, without, withValues } from './json-cuts.ts'

/** Whether a text still fails. What it throws ends the search. */
export type Fails = (text: string) => Promise<boolean>

const MOST_FIELDS = 200
/** An escape, or a whole character: a string is not cut inside of either. */
const CHARACTER = /\\u[0-9a-fA-F]{4}|\\.|[\s\S]/gu

/** A document of a text that is known to be JSON. */
function documentOf(text: string): JsonDocument {
  const document = readJson(text, createInterner())
  if (document === null) throw new Error('The shrunk text is no longer valid JSON.')
  return document
}

const isScalar = ({ kind }: JsonNode) => kind !== 'object' && kind !== 'array'

/** The simplest value of the same kind; null where a value is as simple as can be. */
function simplest(raw: string, { kind }: JsonNode): string | null {
  const simple = kind === 'string' ? '""' : kind === 'number' ? '0' : 'null'
  return raw === simple || raw === 'null' ? null : simple
}

/** Level by level from the top: where much goes at once, little is left to look at below. */
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

/** As many values as can be become the simplest ones at once. */
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

/** Half of a string, as often as half of it still fails. */
async function halve(characters: readonly string[], fails: (characters: readonly string[]) => Promise<boolean>) {
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

/** Values that cannot be the simplest of their kind: null in their place, or less of a string. */
async function simplifyOneByOne(start: string, fails: Fails): Promise<string> {
  let text = start
  // By their number: replacing one moves the others, and leaves their order.
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
    text = quoted(await halve(raw.slice(1, -1).match(CHARACTER) ?? [], (characters) => fails(quoted(characters))))
  }
}

export interface ShrinkJsonEvents {
  onPhase(phase: 'removing' | 'simplifying'): void
}

/** `start` is JSON and fails. Resolves with a text that fails, of which no field and no item can go. */
export async function shrinkJson(start: string, fails: Fails, { onPhase }: ShrinkJsonEvents): Promise<string> {
  let text = start
  for (;;) {
    const before = text
    onPhase('removing')
    text = await removeNodes(text, fails)
    // What was let go below may have been all that something above was there for.
    if (text !== before) continue
    onPhase('simplifying')
    const compact = compacted(text)
    if (compact !== text && (await fails(compact))) text = compact
    text = await simplifyTogether(text, fails)
    text = await simplifyOneByOne(text, fails)
    if (text === before) return text
  }
}

/** Fields and items of a JSON text, without the text as a whole. */
export function countNodes(text: string): number {
  return levelsOf(documentOf(text)).reduce((sum, level) => sum + level.length, -1)
}

/** What is left in a text: its scalars, and objects and arrays that are empty, in their order; of an empty whole nothing. */
export function fieldsOf(text: string): ShrunkField[] {
  const document = documentOf(text)
  return levelsOf(document)
    .flat()
    .filter(({ node, holder }) => node.children.length === 0 && (isScalar(node) || holder !== null))
    .toSorted((a, b) => a.node.start - b.node.start)
    .slice(0, MOST_FIELDS)
    .map((placed) => {
      const { node } = placed
      const value = text.slice(node.start, node.end)
      const isSimplest = !isScalar(node) || simplest(value, node) === null
      return { path: nodePath(placed), value, needed: isSimplest ? 'presence' : 'value' }
    })
}

/** Whether bytes are a JSON text in UTF-8; null where they are not. */
export function textOfJson(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return readJson(text, createInterner()) === null ? null : text
  } catch {
    return null
  }
}
