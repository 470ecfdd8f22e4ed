/**
 * How far the first walk has come, kept with the settings of the data folder: what it made (hooks, deliveries) is in that folder, so
 * every window, and the next start, goes on at the same place.
 */
import { z } from 'zod'

export const walkStations = ['picture', 'hook', 'payment', 'signature', 'clearing', 'next'] as const
export type WalkStation = (typeof walkStations)[number]

export const firstWalkSchema = z.object({
  station: z.enum(walkStations),
  /** False: it was left, and can be gone on with, or it is finished. */
  shown: z.boolean(),
  finished: z.boolean(),
  /** Deliveries up to this seq are not of this walk. */
  after: z.number().int(),
  /** The sandbox's program that only the walk's hooks are registered for; null before there is one. */
  programId: z.string().nullable(),
  /** The hooks that it made. */
  hookIds: z.array(z.string()),
  /** How far it moved the sandbox's clock, in milliseconds; null where it did not, or where that clock was not in step before. */
  leapMs: z.number().nullable(),
})
export type FirstWalk = z.infer<typeof firstWalkSchema>
