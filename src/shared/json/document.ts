/** A JSON text as a tree of its tokens: every number, escape and duplicate key as sent; nothing is parsed into values. */
import { decodedString, OBJECT, scanJson } from './scan.ts'

type JsonKind = 'object' | 'array' | 'string' | 'number' | 'word'

export interface JsonNode {
  readonly kind: JsonKind
  /** Position of its text in the document; `end` is one past the last character. */
  readonly start: number
  readonly end: number
  /** Members of an object or items of an array, in order. */
  readonly children: readonly JsonNode[]
  /** Names of the members: decoded, and as written with quotes. */
  readonly names: readonly string[]
  readonly rawNames: readonly string[]
  /** Equal numbers mean equal notation, or equal values. Only compare numbers of the same interner. */
  readonly form: number
  readonly value: number
}

export interface JsonDocument {
  readonly text: string
  readonly root: JsonNode
}

/** Items have no names and scalars no children: they share this empty array. */
const none: never[] = []

interface Frame {
  readonly kind: 'object' | 'array'
  readonly start: number
  readonly children: JsonNode[]
  readonly names: string[]
  readonly rawNames: string[]
}

export function readJson(text: string, intern: Interner): JsonDocument | null {
  const stack: Frame[] = []
  /** What the next value belongs to. */
  let holder: Frame | undefined
  let root: JsonNode | null = null
  const place = (node: JsonNode) => {
    if (holder === undefined) root = node
    else holder.children.push(node)
  }
  const { outcome } = scanJson(text, {
    key(start, end) {
      const raw = text.slice(start, end)
      // The text is truncated, so there is no document.
      if (end > text.length) return
      holder?.names.push(decodedString(raw))
      holder?.rawNames.push(raw)
    },
    scalar(start, end) {
      if (end <= text.length) place(scalar(text.slice(start, end), start, end, intern))
    },
    open(start, opened) {
      holder =
        opened === OBJECT
          ? { kind: 'object', start, children: [], names: [], rawNames: [] }
          : { kind: 'array', start, children: [], names: none, rawNames: none }
      stack.push(holder)
    },
    close(at) {
      const frame = stack.pop()
      holder = stack.at(-1)
      if (frame !== undefined) place(container(frame, at + 1, intern))
    },
  })
  return outcome === 'json' && root !== null ? { text, root } : null
}

/** A string without unnecessary escapes: the same for all strings of equal value. */
function meantString(raw: string): string {
  return raw.includes('\\') ? JSON.stringify(decodedString(raw)) : raw
}

function scalar(raw: string, start: number, end: number, intern: Interner): JsonNode {
  const first = raw.charCodeAt(0)
  const kind = first === 34 ? 'string' : first < 58 ? 'number' : 'word'
  const form = intern.text(raw)
  const meant =
    kind === 'number' ? canonicalNumber(raw) : kind === 'string' ? meantString(raw) : raw
  const value = meant === raw ? form : intern.text(meant)
  return { kind, start, end, children: none, names: none, rawNames: none, form, value }
}

function container(
  { kind, start, children, names, rawNames }: Frame,
  end: number,
  intern: Interner,
): JsonNode {
  let form = intern.text(kind)
  let value = form
  if (kind === 'array') {
    for (const child of children) {
      form = intern.pair(form, child.form)
      value = intern.pair(value, child.value)
    }
    return { kind, start, end, children, names, rawNames, form, value }
  }
  // Member order is part of an object's notation, not of its value.
  const members: number[] = []
  for (let index = 0; index < children.length; index++) {
    const child = children[index]!
    const raw = rawNames[index]!
    const name = intern.text(raw)
    form = intern.pair(intern.pair(form, name), child.form)
    members.push(
      intern.pair(raw.includes('\\') ? intern.text(meantString(raw)) : name, child.value),
    )
  }
  for (const member of members.sort((one, other) => one - other)) value = intern.pair(value, member)
  return { kind, start, end, children, names, rawNames, form, value }
}

export function textOf(document: JsonDocument, node: JsonNode): string {
  return document.text.slice(node.start, node.end)
}

export function stringOf(document: JsonDocument, node: JsonNode): string | null {
  return node.kind === 'string' ? decodedString(textOf(document, node)) : null
}

/** The member of an object by name; if there are several, the last, as most parsers do. */
export function memberOf(node: JsonNode | null, name: string): JsonNode | null {
  if (node?.kind !== 'object') return null
  return node.children[node.names.lastIndexOf(name)] ?? null
}

// The value of a JSON number in any notation: `10`, `10.00` and `1e1` are equal, exactly and at any size.

const numberPattern = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Integers up to this many digits are written out. */
const LONGEST_WHOLE = 20
/** Powers of ten with up to this many characters are exact as a number. */
const LONGEST_COUNTED = 15
const shortWhole = /^(?:0|-?[1-9]\d{0,19})$/

/** The canonical notation of a JSON number's value: integers in plain digits, else digits and a power of ten. */
export function canonicalNumber(token: string): string {
  if (shortWhole.test(token)) return token
  const found = numberPattern.exec(token)
  if (found === null) return token
  const [, sign = '', whole = '', fraction = '', power = '0'] = found
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/(?<!0)0+$/, '')
  // Zero has no sign.
  if (significant === '') return '0'
  const shift = digits.length - significant.length - fraction.length
  // BigInt arithmetic is slow, and few numbers need it.
  const exponent =
    power.length > LONGEST_COUNTED ? BigInt(power) + BigInt(shift) : Number(power) + shift
  const isShort = exponent >= 0 && exponent <= LONGEST_WHOLE - significant.length
  return isShort
    ? `${sign}${significant}${'0'.repeat(Number(exponent))}`
    : `${sign}${significant}e${exponent}`
}

/** Whether two JSON numbers are equal. */
export function sameNumber(left: string, right: string): boolean {
  return left === right || canonicalNumber(left) === canonicalNumber(right)
}

// Assigns equal numbers to equal texts, and to equal pairs of such numbers: exact, unlike a hash.

type Interner = ReturnType<typeof createInterner>

const EMPTY = -1

export function createInterner() {
  const texts = new Map<string, number>()
  let next = 0
  // A table of pairs in flat arrays with open addressing: a map of a hundred thousand pairs costs several times as much. It starts
  // small because most uses only number texts.
  let mask = 15
  let firsts = new Int32Array(mask + 1)
  let seconds = new Int32Array(mask + 1)
  let numbers = new Int32Array(mask + 1).fill(EMPTY)
  let filled = 0

  /** The slot of a pair, or the empty slot for it. */
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
      const found = texts.get(text)
      if (found !== undefined) return found
      texts.set(text, next)
      return next++
    },
    pair(first: number, second: number) {
      const slot = slotOf(first, second)
      const found = numbers[slot] ?? EMPTY
      if (found !== EMPTY) return found
      firsts[slot] = first
      seconds[slot] = second
      numbers[slot] = next
      filled++
      if (filled * 2 > mask) grow()
      return next++
    },
  }
}
