/**
 * Finds the smallest JSON text that still fails, from which no single field or item can be removed.
 */
import { nodesOf, readJson, stepsOf, type JsonNode } from '../../shared/json/tree.ts'
import { utf8Text } from '../../shared/body/encoding.ts'
import type { ShrunkField } from '../../shared/model/shrink.ts'
import { checkPayload } from '../../shared/service/payload.ts'
import { pathText } from '../../shared/body/json-path.ts'
import { ddminItems } from './delta-debugging.ts'
import { levelsOf, withoutNodes, withValues, compactJson } from './json-cuts.ts'

/** Test whether a text still fails; a rejection ends the search. */
type Fails = (text: string) => Promise<boolean>

const MAX_FIELDS = 200
/** Escapes and whole characters, inside which strings aren't cut. */
const CHARACTER = /\\u[0-9a-fA-F]{4}|\\.|[\s\S]/gu

function rootOf(text: string): JsonNode {
  const root = readJson(text)
  if (root === null) throw new Error('The shrunk text is no longer valid JSON.')
  return root
}

/** Returns the simplest value of the same type; null if the value is already that simple. */
function simplest({ kind, raw }: JsonNode): string | null {
  const simple = kind === 'string' ? '""' : kind === 'number' ? '0' : 'null'
  return raw === simple || raw === 'null' ? null : simple
}

/** Removes nodes level by level from the top, so that little is left below. */
async function removeNodes(start: string, fails: Fails): Promise<string> {
  let text = start
  for (let depth = 1; ; depth++) {
    const whole = text
    const level = levelsOf(rootOf(whole))[depth]
    if (level === undefined) return text
    const textWithOnly = (kept: readonly JsonNode[]) => {
      const stays = new Set(kept)
      return withoutNodes(
        whole,
        level.filter((node) => !stays.has(node)),
      )
    }
    text = textWithOnly(await ddminItems(level, (kept) => fails(textWithOnly(kept))))
  }
}

function scalarsOf(root: JsonNode): JsonNode[] {
  return [...nodesOf(root)].filter(({ isContainer }) => !isContainer)
}

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

async function halveWhileFailing(
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
      await halveWhileFailing(raw.slice(1, -1).match(CHARACTER) ?? [], (characters) =>
        fails(quoted(characters)),
      ),
    )
  }
}

/**
 * Creates a test for new schema errors, which could make a simplified text fail for another reason.
 */
const newErrors = (event: string | null) => (before: string) => {
  const placesIn = (text: string) => checkPayload(event, text).failures.map(({ path }) => path)
  const earlierPlaces = new Set(placesIn(before))
  return (simplified: string) => placesIn(simplified).some((path) => !earlierPlaces.has(path))
}

interface ShrinkJsonOptions {
  readonly event: string | null
  onPhase(phase: 'removing' | 'simplifying'): void
}

/** Resolves with the smallest failing text without new schema errors; `start` must fail. */
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
    const compact = compactJson(text)
    if (compact !== text && (await fails(compact))) text = compact
    const addsError = newErrors(event)(text)
    const failsInSchema: Fails = async (simplified) => !addsError(simplified) && fails(simplified)
    text = await simplifyTogether(text, failsInSchema)
    text = await simplifyOneByOne(text, failsInSchema)
    if (text === before) return text
  }
}

export function countNodes(text: string): number {
  return [...nodesOf(rootOf(text))].length - 1
}

export function fieldsOf(text: string, event: string | null): ShrunkField[] {
  const addsError = newErrors(event)(text)
  return [...nodesOf(rootOf(text))]
    .filter(
      ({ children, isContainer, parent }) =>
        children.length === 0 && (!isContainer || parent !== null),
    )
    .slice(0, MAX_FIELDS)
    .map((node) => {
      const simpler = node.isContainer ? null : simplest(node)
      const isKept = (put: string) => addsError(withValues(text, new Map([[node, put]])))
      const needed =
        simpler === null ? 'presence' : [simpler, 'null'].every(isKept) ? 'schema' : 'value'
      return { path: pathText(stepsOf(node)), value: node.raw, needed }
    })
}

export function textOfJson(bytes: Uint8Array): string | null {
  const text = utf8Text(bytes, false)
  return text === null || readJson(text) === null ? null : text
}
