/** What every command is made of: the schemas of its input and output, and deliveries named one by one. */
import { z } from 'zod'

export function command<I extends z.ZodType, O extends z.ZodType>(input: I, output: O) {
  return { input, output }
}

export const nothing = z.object({})

/** More are named by a query. */
export const MOST_NAMED = 10_000

/** Ids of deliveries; `latest` and `latest:EVENT` are ids too. */
export const deliveryRefs = z.array(z.string().min(1)).min(1).max(MOST_NAMED)
