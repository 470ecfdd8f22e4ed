/** The parts of every command: its input and output schemas, and references to single deliveries. */
import { z } from 'zod'

export function command<I extends z.ZodType, O extends z.ZodType>(input: I, output: O) {
  return { input, output }
}

export const nothing = z.object({})

/** To name more, use a query. */
export const MOST_NAMED = 10_000

/** IDs of deliveries, including `latest` and `latest:EVENT`. */
export const deliveryRefs = z.array(z.string().min(1)).min(1).max(MOST_NAMED)
