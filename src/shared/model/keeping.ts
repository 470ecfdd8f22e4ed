/** How long deliveries are kept, and how much room they take. */
import { z } from 'zod'

const MIB = 1_048_576

/** Smallest limit of the size that can be kept, in bytes: an empty database has some of its own. */
export const LEAST_KEPT_BYTES = 10 * MIB

/** Limits of what is kept; null: no limit. What is pinned is never removed by them. */
export const retentionSchema = z.object({
  /** Deliveries that were received longer ago are removed. */
  days: z.number().int().min(1).max(36_500).nullable(),
  /** The oldest of more than so many are removed; pinned ones do not count. */
  deliveries: z.number().int().min(1).max(1_000_000_000).nullable(),
  /** The oldest are removed while more of the database file than this is used. */
  bytes: z.number().int().min(LEAST_KEPT_BYTES).max(Number.MAX_SAFE_INTEGER).nullable(),
})
export type Retention = z.infer<typeof retentionSchema>

export const KEEP_ALL: Retention = { days: null, deliveries: null, bytes: null }

export const storageSchema = z.object({
  /** Sizes of the files, in bytes. */
  database: z.number().int(),
  log: z.number().int(),
  search: z.number().int(),
  /** Of the database file, what is used, and what is free: kept for what comes next, until it is compacted. */
  used: z.number().int(),
  free: z.number().int(),
  deliveries: z.number().int(),
  pinned: z.number().int(),
})
export type Storage = z.infer<typeof storageSchema>

export const compactionSchema = z.object({
  state: z.enum(['running', 'done', 'cancelled', 'failed']),
  /** The whole file is written anew: cancelled, it stays as it was. Else what was given back by then stays so. */
  whole: z.boolean(),
  /** From 0 to 1. */
  done: z.number().min(0).max(1),
  /** Bytes given back so far. */
  freed: z.number().int(),
  /** Why it failed; null otherwise. */
  problem: z.string().nullable(),
})
export type Compaction = z.infer<typeof compactionSchema>
