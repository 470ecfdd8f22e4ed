/** A time in which the computer slept, so that nothing could be received. */
import { z } from 'zod'

export const gapSchema = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** The newest delivery stored before it: the gap is above this one in a list. 0 if there was none. */
  afterSeq: z.number().int(),
})
export type Gap = z.infer<typeof gapSchema>
