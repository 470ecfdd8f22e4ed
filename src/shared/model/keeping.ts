/** How long deliveries are kept, and how much disk space they use. */
import { z } from 'zod'

const MIB = 1_048_576

/** Smallest allowed size limit, in bytes: an empty database already takes some space. */
export const LEAST_KEPT_BYTES = 10 * MIB

/** Retention limits; null means no limit. Pinned deliveries are never removed. */
export const retentionSchema = z.object({
  /** Removes deliveries received longer ago than this. */
  days: z.number().int().min(1).max(36_500).nullable(),
  /** Removes the oldest deliveries above this number. Pinned ones don't count. */
  deliveries: z.number().int().min(1).max(1_000_000_000).nullable(),
  /** Removes the oldest deliveries while the database uses more than this. */
  bytes: z.number().int().min(LEAST_KEPT_BYTES).max(Number.MAX_SAFE_INTEGER).nullable(),
})
export type Retention = z.infer<typeof retentionSchema>

export const KEEP_ALL: Retention = { days: null, deliveries: null, bytes: null }

export const storageSchema = z.object({
  /** File sizes, in bytes. */
  database: z.number().int(),
  log: z.number().int(),
  search: z.number().int(),
  /** Used and free bytes of the database file. Free space is reused for new data; much of it is returned to the disk. */
  used: z.number().int(),
  free: z.number().int(),
  deliveries: z.number().int(),
  pinned: z.number().int(),
})
export type Storage = z.infer<typeof storageSchema>
