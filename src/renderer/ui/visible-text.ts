/**
 * Visible forms of invisible and text-reordering characters, so that a delivery is shown exactly.
 */
import { writtenJoiner } from '../../shared/text/joiners.ts'

export type TextPart =
  | { readonly shown: string; readonly hidden: false }
  | { readonly shown: string; readonly hidden: true; readonly name: string }

/**
 * Hidden characters: controls, soft hyphen, zero-width and directional marks, line separators,
 * fillers, tags, the variation selectors' plane, unpaired surrogates, non-characters and private
 * use; not the joiners of emoji and words.
 */
export const hiddenPattern = new RegExp(
  String.raw`(?!${writtenJoiner})(?:[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\ue000-\uf8ff]|[\u{e0000}-\u{e0fff}]|[\u{f0000}-\u{10ffff}]|[\ud800-\udfff])`,
  'gu',
)

/** Pattern of nearly all texts; testing it first takes a tenth of the time. */
const plainPattern = /^[\x20-\x7e]*$/

const names: Readonly<Record<number, string>> = {
  0: 'null character',
  9: 'tab',
  10: 'line feed',
  13: 'carriage return',
  0x7f: 'delete',
  0xad: 'soft hyphen',
  0x200b: 'zero-width space',
  0x200c: 'zero-width non-joiner',
  0x200d: 'zero-width joiner',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x2028: 'line separator',
  0x2029: 'paragraph separator',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'end of directional formatting',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2060: 'word joiner',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'first-strong isolate',
  0x2069: 'end of isolate',
  0xfeff: 'byte order mark',
}

/**
 * Splits a text into parts shown unchanged and escapes, such as `\u{202e}`, of hidden characters.
 */
export function visibleParts(text: string): readonly TextPart[] {
  if (plainPattern.test(text)) return [{ shown: text, hidden: false }]
  const parts: TextPart[] = []
  let from = 0
  for (const match of text.matchAll(hiddenPattern)) {
    if (match.index > from) parts.push({ shown: text.slice(from, match.index), hidden: false })
    parts.push({ hidden: true, ...hiddenCharacter(match[0].codePointAt(0) ?? 0) })
    from = match.index + match[0].length
  }
  if (from < text.length || parts.length === 0)
    parts.push({ shown: text.slice(from), hidden: false })
  return parts
}

export function hiddenCharacter(code: number): { readonly shown: string; readonly name: string } {
  return {
    shown: escapeOf(code),
    name: isLostByte(code) ? 'invalid UTF-8 byte' : (names[code] ?? 'invisible character'),
  }
}

/**
 * Returns a text with hidden characters as escapes, for places without markup (tooltips, labels).
 */
export function visibleText(text: string): string {
  if (plainPattern.test(text)) return text
  return text.replaceAll(hiddenPattern, (character) => escapeOf(character.codePointAt(0) ?? 0))
}

/**
 * Whether a code stands for an invalid byte: U+DC80 to U+DCFF replace 80 to FF, and no valid text
 * has them.
 */
function isLostByte(code: number): boolean {
  return code >= 0xdc80 && code <= 0xdcff
}

function escapeOf(code: number): string {
  if (isLostByte(code)) return `\\x${(code - 0xdc00).toString(16)}`
  if (code === 9) return '\\t'
  if (code === 10) return '\\n'
  if (code === 13) return '\\r'
  return `\\u{${code.toString(16)}}`
}
