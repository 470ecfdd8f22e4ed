/**
 * How wide a text of the drawing is, without a browser to ask: the widths of Inter's letters, so that a screen and a file break
 * and cut the same lines. Letters that are not listed count as a wide one: a line is rather cut too soon than too late.
 */

/** In hundredths of the type's size. */
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

/** In pixels, at a type size of 12 where nothing else is said. */
export function textWidth(text: string, size = 12): number {
  return (Array.from(text).reduce((sum, letter) => sum + (widthOf.get(letter) ?? WIDE), 0) * size) / 100
}

/** The text as far as it has room, ended by an ellipsis where some of it is left out. */
export function cutToWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  const letters = Array.from(text)
  while (letters.length > 1 && textWidth(`${letters.join('').trimEnd()}…`) > width) letters.pop()
  return `${letters.join('').trimEnd()}…`
}

/** A part that has room on a line of its own, or what it has to be broken into. */
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
 * Broken at spaces, after a dot or a slash inside a word, and anywhere in a word that is wider than the line, into so many lines at
 * the most; the last one is cut.
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
