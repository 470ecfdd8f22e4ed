/** Outcomes as table cells, with the words and colors of `outcomes.ts`. */
import { glyphText, type Outcome, type Tone } from '../shared/model/outcomes.ts'
import type { Cell, Colour } from './output.ts'

export const toneColours: Readonly<Record<Tone, Colour | null>> = {
  good: 'green',
  bad: 'red',
  warn: 'yellow',
  active: 'yellow',
  neutral: 'grey',
}

/** `text` replaces the word, for commands that print the words of their JSON. */
export function outcomeCell({ tone, word }: Outcome, text = word): Cell {
  return { text, colour: toneColours[tone] }
}

/** The same with a glyph. */
export function markedCell(outcome: Outcome, text = outcome.word): Cell {
  return outcomeCell(outcome, `${glyphText[outcome.glyph]} ${text}`)
}
