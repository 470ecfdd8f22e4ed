/** Characters that can replace one another: of the same kind, case and size in UTF-8 and UTF-16. */

const DIGITS = charactersFrom('0', 10)
const LOWER = charactersFrom('a', 26)
const UPPER = charactersFrom('A', 26)
const HEX_LOWER = LOWER.slice(0, 6)
const HEX_UPPER = UPPER.slice(0, 6)

/** Code points whose UTF-8 differs in the last byte only. */
const ROW = 64

function charactersFrom(first: string, count: number): string[] {
  const start = first.codePointAt(0) ?? 0
  return Array.from({ length: count }, (_, index) => String.fromCodePoint(start + index))
}

const KINDS = [/\p{Lu}/u, /\p{Ll}/u, /\p{L}/u, /\p{N}/u, /\p{So}/u]
const isKept = (character: string) => !/[\p{L}\p{N}\p{So}]/u.test(character)

/** Describes what encodings, cases and normal forms make of a character. */
function traitsOf(character: string): string {
  const kind = KINDS.findIndex((pattern) => pattern.test(character))
  const forms = [
    character.normalize('NFD'),
    character.normalize('NFC'),
    character.normalize('NFKD'),
  ]
  const isPlain = /^[a-z]/i.test(forms[2] ?? '')
  const lengths = [...forms, character.toLowerCase(), character.toUpperCase()].map(
    (text) => Buffer.from(text).length,
  )
  return [kind, isPlain, ...lengths].join(' ')
}

const cache = new Map<string, readonly string[]>()

/**
 * Returns what can replace a character, itself included; none if it is kept.
 * @param isHex whether letters must stay hexadecimal digits
 */
export function alikeCharacters(character: string, isHex: boolean): readonly string[] {
  if (character >= '0' && character <= '9') return DIGITS
  if (character >= 'a' && character <= 'z') return isHex ? HEX_LOWER : LOWER
  if (character >= 'A' && character <= 'Z') return isHex ? HEX_UPPER : UPPER
  const code = character.codePointAt(0) ?? 0
  if (code < 128) return []
  const cached = cache.get(character)
  if (cached !== undefined) return cached
  const row = charactersFrom(String.fromCodePoint(code - (code % ROW)), ROW)
  const traits = traitsOf(character)
  const alike = isKept(character)
    ? []
    : row.filter((other) => !isKept(other) && traitsOf(other) === traits)
  cache.set(character, alike)
  return alike
}
