/**
 * JSON trees whose nodes are numbered: equal numbers mean equal text but for spaces (`notation`) or
 * equal meaning (`value`), so that any two values compare in one step.
 */
import { canonicalNumber } from '../json/number.ts'
import { readTree, type JsonNode } from '../json/tree.ts'
import { Interner } from './interner.ts'

/** Writes a string or name without unnecessary escapes. */
function canonicalString(raw: string, decoded: string): string {
  return raw.includes('\\') ? JSON.stringify(decoded) : raw
}

/**
 * Creates a reader that gives equal values equal numbers across all its texts.
 * It returns null for text that isn't JSON.
 */
export function createNumberedReader(): (text: string) => JsonNode | null {
  const interner = new Interner()
  const numberScalar = (node: JsonNode) => {
    const { kind, raw, string } = node
    const canonical =
      kind === 'number'
        ? canonicalNumber(raw)
        : string === null
          ? raw
          : canonicalString(raw, string)
    node.notation = interner.text(raw)
    node.value = canonical === raw ? node.notation : interner.text(canonical)
  }
  const numberContainer = (node: JsonNode) => {
    node.notation = node.value = interner.text(node.kind)
    // Member order is part of an object's notation, not of its value.
    const members: number[] = []
    for (const { rawName, name, notation, value } of node.children) {
      if (rawName === null || name === null) {
        node.notation = interner.pair(node.notation, notation)
        node.value = interner.pair(node.value, value)
        continue
      }
      node.notation = interner.pair(interner.pair(node.notation, interner.text(rawName)), notation)
      members.push(interner.pair(interner.text(canonicalString(rawName, name)), value))
    }
    for (const member of members.sort((one, other) => one - other))
      node.value = interner.pair(node.value, member)
  }
  const onEnd = (node: JsonNode) => (node.isContainer ? numberContainer(node) : numberScalar(node))
  return (text) => readTree(text, { onEnd })?.root ?? null
}
