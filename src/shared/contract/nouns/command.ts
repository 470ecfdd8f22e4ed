/** What every command is made of: the schema of its input and of its output. */
import { z } from 'zod'

export function command<I extends z.ZodType, O extends z.ZodType>(input: I, output: O) {
  return { input, output }
}

export const nothing = z.object({})
