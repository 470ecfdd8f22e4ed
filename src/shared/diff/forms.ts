/**
 * Numbering of JSON values: equal numbers mean equal notation (`form`) or equal meaning (`value`).
 */
import { canonicalNumber } from '../json/number.ts'
import { readTree, type JsonNode } from '../json/tree.ts'

/** Removes unnecessary escapes from a string or name. */
function meantString(raw: string, decoded: string): string {
  return raw.includes('\\') ? JSON.stringify(decoded) : raw
}

/**
 * Creates a reader that gives equal values equal numbers across all its texts.
 * It returns null for text that isn't JSON.
 */
export function createNumberedReader(): (text: string) => JsonNode | null {
  const intern = createInterner()
  const numberScalar = (node: JsonNode) => {
    const { kind, raw, string } = node
    const meant =
      kind === 'number' ? canonicalNumber(raw) : string === null ? raw : meantString(raw, string)
    node.form = intern.text(raw)
    node.value = meant === raw ? node.form : intern.text(meant)
  }
  const numberContainer = (node: JsonNode) => {
    node.form = node.value = intern.text(node.kind)
    // Member order is part of an object's notation, not of its value.
    const members: number[] = []
    for (const { rawName, name, form, value } of node.children) {
      if (rawName === null || name === null) {
        node.form = intern.pair(node.form, form)
        node.value = intern.pair(node.value, value)
        continue
      }
      node.form = intern.pair(intern.pair(node.form, intern.text(rawName)), form)
      members.push(intern.pair(intern.text(meantString(rawName, name)), value))
    }
    for (const member of members.sort((one, other) => one - other))
      node.value = intern.pair(node.value, member)
  }
  const onEnd = (node: JsonNode) => (node.isContainer ? numberContainer(node) : numberScalar(node))
  return (text) => readTree(text, { onEnd })?.root ?? null
}

const EMPTY = -1

/** Creates an interner of texts and of pairs of numbers; exact, unlike a hash. */
export function createInterner() {
  const texts = new Map<string, number>()
  let next = 0
  // Open addressing in flat arrays: a map of pairs costs several times as much.
  let mask = 15
  let firsts = new Int32Array(mask + 1)
  let seconds = new Int32Array(mask + 1)
  let numbers = new Int32Array(mask + 1).fill(EMPTY)
  let filled = 0

  /** Returns the slot of a pair, or an empty one. */
  const slotOf = (first: number, second: number): number => {
    let slot = (Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> 0
    slot = (slot ^ (slot >>> 15)) & mask
    while (numbers[slot] !== EMPTY && (firsts[slot] !== first || seconds[slot] !== second))
      slot = (slot + 1) & mask
    return slot
  }
  const grow = () => {
    const old = { firsts, seconds, numbers }
    mask = mask * 2 + 1
    firsts = new Int32Array(mask + 1)
    seconds = new Int32Array(mask + 1)
    numbers = new Int32Array(mask + 1).fill(EMPTY)
    old.numbers.forEach((number, index) => {
      if (number === EMPTY) return
      const first = old.firsts[index] ?? 0
      const second = old.seconds[index] ?? 0
      const slot = slotOf(first, second)
      firsts[slot] = first
      seconds[slot] = second
      numbers[slot] = number
    })
  }

  return {
    text(text: string) {
      const number = texts.get(text)
      if (number !== undefined) return number
      texts.set(text, next)
      return next++
    },
    pair(first: number, second: number) {
      const slot = slotOf(first, second)
      const number = numbers[slot] ?? EMPTY
      if (number !== EMPTY) return number
      firsts[slot] = first
      seconds[slot] = second
      numbers[slot] = next
      filled++
      if (filled * 2 > mask) grow()
      return next++
    },
  }
}
