/** A user's marks on a delivery: a pin (exempts it from retention and clearing), a note and a color. */
import { z } from 'zod'

/** Maximum length of a note, in characters. */
export const NOTE_LENGTH = 2_000

/** Each color has a name and its own shape, so it's never recognized only by color. */
export const colourSchema = z.enum(['red', 'amber', 'green', 'blue', 'violet'])
export type MarkColour = z.infer<typeof colourSchema>

export const marksSchema = z.object({
  pinned: z.boolean(),
  note: z.string().nullable(),
  colour: colourSchema.nullable(),
})
export type Marks = z.infer<typeof marksSchema>

export const UNMARKED: Marks = { pinned: false, note: null, colour: null }

/** Changes to marks. Missing fields stay unchanged; a blank note is removed. */
export const marksChangeSchema = z.object({
  pinned: z.boolean().optional(),
  note: z
    .string()
    .trim()
    .max(NOTE_LENGTH)
    .transform((text) => (text === '' ? null : text))
    .nullable()
    .optional(),
  colour: colourSchema.nullable().optional(),
})
export type MarksChange = z.output<typeof marksChangeSchema>
