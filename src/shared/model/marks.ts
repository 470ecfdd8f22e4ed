/** What the user puts on a delivery: a pin, which retention and clearing spare, a note, and a colour. */
import { z } from 'zod'

/** Longest note, in characters. */
export const NOTE_LENGTH = 2_000

/** Each is told by its name and a shape of its own, never by the colour alone. */
export const colourSchema = z.enum(['red', 'amber', 'green', 'blue', 'violet'])
export type MarkColour = z.infer<typeof colourSchema>

export const marksSchema = z.object({
  pinned: z.boolean(),
  note: z.string().nullable(),
  colour: colourSchema.nullable(),
})
export type Marks = z.infer<typeof marksSchema>

export const UNMARKED: Marks = { pinned: false, note: null, colour: null }

/** Marks as they are changed: what is not named stays; a note of nothing but white space is none. */
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
