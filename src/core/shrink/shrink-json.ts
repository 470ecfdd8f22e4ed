/**
 * Finds the smallest JSON text that still fails: removes fields and items level by level, then whitespace, then simplifies values,
 * and repeats until nothing changes. In the end no single field or item can be removed.
 */
import { createInterner } from '../../shared/json/interner.ts'
import { readJson, type JsonDocument, type JsonNode } from '../../shared/json/document.ts'
import type { ShrunkField } from '../../shared/model/shrink.ts'
import { ddminItems } from './ddmin.ts'
import { compacted, levelsOf, nodePath, without, withValues } from './json-cuts.ts'

/** Whether a text still fails. If it throws, the search ends. */
export type Fails = (text: string) => Promise<boolean>

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

export interface ShrinkJsonEvents {
  onPhase(phase: 'removing' | 'simplifying'): void
}

/** `start` is JSON and fails. Resolves with a failing text of which no field and no item can be removed. */
export async function shrinkJson(
  start: string,
  fails: Fails,
  { onPhase }: ShrinkJsonEvents,
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
    text = await simplifyTogether(text, fails)
    text = await simplifyOneByOne(text, fails)
    if (text === before) return text
  }
}

/** Finds the fields and items of a JSON text. */
export function countNodes(text: string): number {
  return levelsOf(documentOf(text)).reduce((sum, level) => sum + level.length, -1)
}

/** The remaining parts of a text: its scalars, empty objects and empty arrays, in order; nothing if the whole is empty. */
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

/** Parses bytes as JSON in UTF-8; null if they aren't. */
export function textOfJson(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return readJson(text, createInterner()) === null ? null : text
  } catch {
    return null
  }
}
