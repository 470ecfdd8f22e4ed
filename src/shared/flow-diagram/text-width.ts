/**
 * Measures text without a browser, from the widths of Inter's letters, so that screen and file break lines alike. Unknown letters
 * count as wide, to shorten too early rather than too late.
 */

/** In hundredths of the font size. */
const widths: readonly (readonly [width: number, letters: string])[] = [
  [24, 'ijl'],
  [28, " I!',.:;’·"],
  [34, 't|`'],
  [37, 'fr()/[]\\'],
  [45, '1{}-_^"'],
  [53, 's*?–'],
  [57, '7Lakvxyzc'],
  [61, 'FJe5Ehnou236890bdgpq4$&○'],
  [66, '#PRSTZ+<=>B~KY'],
  [71, 'AVXD'],
  [76, 'CGHUNOQ'],
  [88, 'wm…MW%@✓✕⊘◔'],
]
const widthOf = new Map(
  widths.flatMap(([width, letters]) => Array.from(letters, (letter) => [letter, width] as const)),
)
const WIDE = 100

/** Inter in normal and medium weight, and JetBrains Mono, at 12 pixels; `small` is Inter and `tiny` JetBrains Mono at 11. */
export type Font = 'plain' | 'bold' | 'mono' | 'small' | 'tiny'

/** Each letter of JetBrains Mono, in hundredths of the font size. */
const MONO = 60
/** How much wider the medium weight is. */
const BOLD = 1.035

/** In pixels. */
export function textWidth(text: string, font: Font = 'plain'): number {
  const size = font === 'small' || font === 'tiny' ? 11 : 12
  const isMono = font === 'mono' || font === 'tiny'
  const sum = Array.from(text).reduce(
    (all, letter) => all + (isMono ? monoWidth(letter) : (widthOf.get(letter) ?? WIDE)),
    0,
  )
  return (sum * size * (font === 'bold' ? BOLD : 1)) / 100
}

/** Letters that JetBrains Mono lacks may be up to two columns wide. It has the minus sign. */
function monoWidth(letter: string): number {
  return letter === '\u2212' || (letter.codePointAt(0) ?? 0) < 0x2200 ? MONO : 2 * MONO
}

/** Shortens text to a width, with an ellipsis. */
export function cutToWidth(text: string, width: number, font: Font = 'plain'): string {
  if (textWidth(text, font) <= width) return text
  const letters = Array.from(text)
  while (letters.length > 1 && textWidth(`${letters.join('').trimEnd()}…`, font) > width)
    letters.pop()
  return `${letters.join('').trimEnd()}…`
}

/** A piece of text in one font and color; `gap` is the distance to the piece before it. */
export interface FontText {
  readonly text: string
  readonly font: Font
  readonly tone: string
  readonly gap: number
}

export function partsWidth(parts: readonly FontText[]): number {
  return parts.reduce(
    (sum, { text, font, gap }, index) => sum + textWidth(text, font) + (index === 0 ? 0 : gap),
    0,
  )
}

/** Breaks parts into lines of a width, between words; the last line is shortened if there are too many. */
export function wrapParts(parts: readonly FontText[], width: number, most: number): FontText[][] {
  const words = parts.flatMap((part) =>
    part.text
      .split(/(?<=\s)|(?<=[./])(?=[a-z])/)
      .flatMap((word) => fitting(word, width, part.font))
      .map((text, index): FontText => ({ ...part, text, gap: index === 0 ? part.gap : 0 })),
  )
  const lines: FontText[][] = []
  let line: FontText[] = []
  const trimmed = (word: FontText): FontText => ({ ...word, text: word.text.trimEnd() })
  for (const [index, word] of words.entries()) {
    if (line.length > 0 && partsWidth([...line, trimmed(word)]) > width) {
      if (lines.length === most - 1) {
        const rest = words.slice(index).map((one) => one.text)
        const kept = joined(line)
        const last = kept.at(-1) ?? word
        const before = kept.slice(0, -1)
        const room = width - partsWidth(before) - (before.length > 0 ? last.gap : 0)
        const space = /\s$/.test(line.at(-1)?.text ?? '') ? ' ' : ''
        const cut = cutToWidth(`${last.text}${space}${rest.join('')}`, room, last.font)
        return [
          ...lines,
          [...before, { ...last, text: textWidth(cut, last.font) <= room ? cut : last.text }],
        ]
      }
      lines.push(joined(line))
      line = []
    }
    line.push(word)
  }
  return line.length === 0 ? lines : [...lines, joined(line)]
}

/** Words in the same font and color become one part again. */
function joined(words: readonly FontText[]): FontText[] {
  const parts: FontText[] = []
  for (const word of words) {
    const last = parts.at(-1)
    if (last !== undefined && last.font === word.font && last.tone === word.tone && word.gap === 0)
      parts[parts.length - 1] = { ...last, text: last.text + word.text }
    else parts.push(word)
  }
  return parts.map((part, index) =>
    index === parts.length - 1 ? { ...part, text: part.text.trimEnd() } : part,
  )
}

/** A part that fits on a line, or the pieces it must be split into. */
function fitting(part: string, width: number, font: Font): string[] {
  if (textWidth(part.trimEnd(), font) <= width) return [part]
  const pieces: string[] = []
  let piece = ''
  for (const letter of part) {
    if (piece !== '' && textWidth((piece + letter).trimEnd(), font) > width) {
      pieces.push(piece)
      piece = ''
    }
    piece += letter
  }
  return [...pieces, piece]
}
