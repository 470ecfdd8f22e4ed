/**
 * Progress of the quick tour, stored with the settings of the data folder. Its hooks and deliveries are in that folder too, so
 * every window, and the next start, continues at the same place.
 */
import { z } from 'zod'

export const walkStations = ['picture', 'hook', 'payment', 'signature', 'clearing', 'next'] as const
export type WalkStation = (typeof walkStations)[number]

export const firstWalkSchema = z.object({
  station: z.enum(walkStations),
  /** False if the tour was left (and can be continued) or finished. */
  shown: z.boolean(),
  finished: z.boolean(),
  /** Deliveries up to this seq don't belong to this tour. */
  after: z.number().int(),
  /** The sandbox program of the tour's hooks; null before it is created. */
  programId: z.string().nullable(),
  /** The hooks created by the tour. */
  hookIds: z.array(z.string()),
  /**
   * How far the tour advanced the sandbox clock, in milliseconds; null if it didn't, or if the clock didn't show real time before.
   */
  leapMs: z.number().nullable(),
})
export type FirstWalk = z.infer<typeof firstWalkSchema>
