/** Outcomes in the terminal: the words and colors of the one table (`outcomes.ts`). */
import { glyphText, type Outcome, type Tone } from '../shared/model/outcomes.ts'
import type { Cell, Colour } from './output.ts'

export const toneColours: Readonly<Record<Tone, Colour | null>> = {
  good: 'green',
  bad: 'red',
  warn: 'yellow',
  active: 'yellow',
  neutral: 'grey',
}

/** An outcome as a cell; with `text` for commands whose words are those of their JSON. */
export function outcomeCell({ tone, word }: Outcome, text = word): Cell {
  return { text, colour: toneColours[tone] }
}

/** The same with its glyph in front. */
export function markedCell(outcome: Outcome, text = outcome.word): Cell {
  return outcomeCell(outcome, `${glyphText[outcome.glyph]} ${text}`)
}
