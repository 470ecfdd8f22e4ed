/** Replaces values in a JSON body; all other bytes stay. */
import { utf8Text } from '../../shared/body/encoding.ts'
import { showPath } from '../../shared/diff/path-pattern.ts'
import { nodesOf, readTree, stepsOf, type JsonNode } from '../../shared/json/tree.ts'
import type { ReplacedKind } from '../../shared/model/sharing.ts'
import { createBodyRules, type FieldRule, type PathRules } from './body-rules.ts'
import type { Placeholders } from './placeholders.ts'
import { shiftedTime } from './shifted-times.ts'
import { replaceInJson } from './spelled-text.ts'

/** Value that was replaced; `where` tells its place. */
export interface Replacement {
  readonly kind: ReplacedKind
  readonly where: () => string
  readonly before: string
  readonly after: string
}

export interface SharingTools {
  readonly placeholders: Placeholders
  readonly shiftMs: number
  note(replacement: Replacement): void
}

/** Returns the moved time; a text that isn't one is replaced. */
export function sharedTime(text: string, { placeholders, shiftMs }: SharingTools): string {
  return shiftedTime(text, shiftMs) ?? placeholders.text(text)
}

/** Largest latitude and longitude. */
const LARGEST: Readonly<Record<string, number>> = { latitude: 90, longitude: 180 }

/** Returns the body with replaced values, as long as before; null if it isn't JSON in UTF-8. */
export function shareBody(
  body: Uint8Array,
  event: string | null,
  paths: PathRules,
  tools: SharingTools,
): Buffer | null {
  const text = utf8Text(body, false)
  const tree = text === null ? null : readTree(text, { byteOrderMark: true })
  if (text === null || tree === null) return null
  const rulesOf = createBodyRules(event, paths)
  const parts: string[] = []
  let next = 0
  const splice = (start: number, end: number, replaced: string) => {
    parts.push(text.slice(next, start), replaced)
    next = end
  }
  for (const node of nodesOf(tree.root)) {
    const { value, isKeyKept } = rulesOf(node)
    if (node.key !== null && node.rawName !== null && !isKeyKept)
      splice(node.key.start, node.key.end, sharedKey(node, node.rawName, tools))
    if (!node.isContainer && node.kind !== 'word' && value !== 'kept')
      splice(node.start, node.end, sharedValue(node, value, tools))
  }
  return Buffer.from(parts.join('') + text.slice(next))
}

function sharedKey(node: JsonNode, rawName: string, { placeholders, note }: SharingTools): string {
  const { before, after, spelled } = replaceInJson(rawName, (name) => placeholders.text(name))
  if (after !== before) note({ kind: 'key', where: () => showPath(stepsOf(node)), before, after })
  return spelled
}

function sharedValue(
  node: JsonNode,
  rule: Exclude<FieldRule, 'kept'>,
  tools: SharingTools,
): string {
  const { placeholders, note } = tools
  const { raw } = node
  if (rule === 'time') return replaceInJson(raw, (time) => sharedTime(time, tools)).spelled
  const { before, after, spelled } =
    node.kind === 'string'
      ? replaceInJson(raw, (value) => placeholders.text(value))
      : numberPlaceholder(raw, LARGEST[node.name ?? ''], placeholders)
  if (after !== before) note({ kind: rule, where: () => showPath(stepsOf(node)), before, after })
  return spelled
}

function numberPlaceholder(raw: string, most: number | undefined, placeholders: Placeholders) {
  const spelled = placeholders.number(raw, most)
  return { before: raw, after: spelled, spelled }
}
