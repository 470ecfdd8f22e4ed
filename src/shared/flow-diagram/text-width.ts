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
const widthOf = new Map(widths.flatMap(([width, letters]) => Array.from(letters, (letter) => [letter, width] as const)))
const WIDE = 100

/** In pixels, at font size 12 by default. */
export function textWidth(text: string, size = 12): number {
  return (Array.from(text).reduce((sum, letter) => sum + (widthOf.get(letter) ?? WIDE), 0) * size) / 100
}

/** Shortens text to a width, with an ellipsis. */
export function cutToWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  const letters = Array.from(text)
  while (letters.length > 1 && textWidth(`${letters.join('').trimEnd()}…`) > width) letters.pop()
  return `${letters.join('').trimEnd()}…`
}

/** A part that fits on a line, or the pieces it must be split into. */
function fitting(part: string, width: number): string[] {
  if (textWidth(part.trimEnd()) <= width) return [part]
  const pieces: string[] = []
  let piece = ''
  for (const letter of part) {
    if (piece !== '' && textWidth((piece + letter).trimEnd()) > width) {
      pieces.push(piece)
      piece = ''
    }
    piece += letter
  }
  return [...pieces, piece]
}

/**
 * Breaks text at spaces, after a dot or slash inside a word, and anywhere in a word wider than the line. Shortens the last line if
 * there are too many.
 */
export function breakLines(text: string, width: number, most: number): string[] {
  const parts = text.split(/(?<=\s)|(?<=[./])(?=[a-z])/).flatMap((part) => fitting(part, width))
  const lines: string[] = []
  let line = ''
  for (const [index, part] of parts.entries()) {
    if (line !== '' && textWidth((line + part).trimEnd()) > width) {
      if (lines.length === most - 1) return [...lines, cutToWidth(line + parts.slice(index).join(''), width)]
      lines.push(line.trimEnd())
      line = ''
    }
    line += part
  }
  return [...lines, cutToWidth(line.trimEnd(), width)]
}
