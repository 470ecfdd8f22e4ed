/** What the user sets for the whole data folder; each has a default. */
import { z } from 'zod'
import { firstWalkSchema } from './first-walk.ts'
import { KEEP_ALL, retentionSchema } from './keeping.ts'

const MIB = 1_048_576

/** Smallest and largest limit of a body, in bytes. */
export const BODY_LIMITS = { least: 1_024, most: 100 * MIB } as const

export const settingsSchema = z.object({
  /** Bytes kept of a body, at most; a longer one is answered 413, its head is kept, and its signature judged all the same. */
  bodyLimit: z
    .number()
    .int()
    .min(BODY_LIMITS.least)
    .max(BODY_LIMITS.most)
    .default(10 * MIB),
  /** What is removed by itself; without limits, nothing is. */
  retention: retentionSchema.default(KEEP_ALL),
  /** How far the first walk has come; null before it was ever taken. */
  firstWalk: firstWalkSchema.nullable().default(null),
})
export type Settings = z.infer<typeof settingsSchema>

/** Some settings, as they are changed; what is not named stays. */
export const settingsChangeSchema = z.object({
  bodyLimit: settingsSchema.shape.bodyLimit.unwrap().optional(),
  retention: retentionSchema.partial().optional(),
  firstWalk: firstWalkSchema.nullable().optional(),
})
export type SettingsChange = z.infer<typeof settingsChangeSchema>

export const DEFAULT_SETTINGS: Settings = settingsSchema.parse({})
