/** JSON values as typed, by path. */
import { z } from 'zod'
import { typedLiteral } from '../body/json-literals.ts'

export const literalsSchema = z.record(
  z.string().min(1),
  z
    .string()
    .max(100_000)
    .refine((text) => typedLiteral(text) === text, { error: 'a JSON value' }),
)
