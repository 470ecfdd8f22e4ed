/**
 * JSON trees whose nodes are numbered: equal numbers mean equal notation (`form`) or equal meaning
 * (`value`), so that any two values compare in one step.
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
    node.form = interner.text(raw)
    node.value = canonical === raw ? node.form : interner.text(canonical)
  }
  const numberContainer = (node: JsonNode) => {
    node.form = node.value = interner.text(node.kind)
    // Member order is part of an object's notation, not of its value.
    const members: number[] = []
    for (const { rawName, name, form, value } of node.children) {
      if (rawName === null || name === null) {
        node.form = interner.pair(node.form, form)
        node.value = interner.pair(node.value, value)
        continue
      }
      node.form = interner.pair(interner.pair(node.form, interner.text(rawName)), form)
      members.push(interner.pair(interner.text(canonicalString(rawName, name)), value))
    }
    for (const member of members.sort((one, other) => one - other))
      node.value = interner.pair(node.value, member)
  }
  const onEnd = (node: JsonNode) => (node.isContainer ? numberContainer(node) : numberScalar(node))
  return (text) => readTree(text, { onEnd })?.root ?? null
}
