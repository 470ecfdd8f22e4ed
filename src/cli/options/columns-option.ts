/** The option that names columns from the body. */
import type { z } from 'zod'
import { InvalidArgumentError } from 'commander'
import { parsedOption } from './input.ts'

/** Creates an option with JSON paths, separated by commas, as many as the schema accepts. */
export function columnsOption(help: string, schema: z.ZodType<string[]>) {
  return parsedOption('<paths>', help, (text) => {
    const parsed = schema.safeParse(text.split(','))
    if (parsed.success) return parsed.data
    const isLong = parsed.error.issues.some(
      ({ path, code }) => path.length === 0 && code === 'too_big',
    )
    throw new InvalidArgumentError(
      isLong
        ? 'Too many columns. Name fewer paths.'
        : 'Expected JSON paths separated by commas, such as amount,card.lastNumbers.',
    )
  })
}
