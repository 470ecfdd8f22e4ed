/** Marks on a delivery: a pin, which exempts it from retention and clearing, and a note. */
import { z } from 'zod'

export const NOTE_LENGTH = 2_000

export const marksSchema = z.object({
  pinned: z.boolean(),
  note: z.string().nullable(),
})

export type Marks = z.infer<typeof marksSchema>

export const UNMARKED: Marks = { pinned: false, note: null }

export const marksChangeSchema = z.object({
  pinned: z.boolean().optional(),
  note: z
    .string()
    .trim()
    .max(NOTE_LENGTH)
    .transform((text) => (text === '' ? null : text))
    .nullable()
    .optional(),
})

export type MarksChange = z.output<typeof marksChangeSchema>
