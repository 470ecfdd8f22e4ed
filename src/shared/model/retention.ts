/** Limits of stored deliveries, and the disk space that they take. */
import { z } from 'zod'
import { inForm } from './field-words.ts'

const MIB = 1_048_576

/** Smallest size limit: an empty database already takes space. */
export const LEAST_KEPT_BYTES = 10 * MIB

/** Retention limits; null means none. Pinned deliveries are never removed. */
export const retentionSchema = z.object({
  days: inForm(z.number().int().min(1).max(36_500).nullable(), {
    label: 'Days',
    hint: 'Older deliveries are removed.',
    expected: 'a number of days from 1',
  }),
  deliveries: inForm(z.number().int().min(1).max(1_000_000_000).nullable(), {
    label: 'Deliveries',
    hint: "Pinned ones don't count.",
    expected: 'an integer from 1',
  }),
  bytes: inForm(z.number().int().min(LEAST_KEPT_BYTES).max(Number.MAX_SAFE_INTEGER).nullable(), {
    label: 'Size in MiB',
    kind: 'mebibytes',
    hint: 'Space used in the database.',
    expected: `a number from ${LEAST_KEPT_BYTES / MIB}`,
  }),
})
export type Retention = z.infer<typeof retentionSchema>

export const KEEP_ALL: Retention = { days: null, deliveries: null, bytes: null }

/** Stored amount above which a limit is suggested. */
const MOST_WITHOUT_LIMIT = { deliveries: 100_000, bytes: 2_048 * MIB }

export function suggestsLimit(
  stored: { readonly deliveries: number; readonly bytes: number },
  limits: Retention,
): boolean {
  return (
    Object.values(limits).every((limit) => limit === null) &&
    (stored.deliveries >= MOST_WITHOUT_LIMIT.deliveries || stored.bytes >= MOST_WITHOUT_LIMIT.bytes)
  )
}

export const storageSchema = z.object({
  /** File sizes, in bytes. */
  database: z.number().int(),
  log: z.number().int(),
  search: z.number().int(),
  /** Bytes of the database file; free ones are reused. */
  used: z.number().int(),
  free: z.number().int(),
  deliveries: z.number().int(),
  pinned: z.number().int(),
})
export type Storage = z.infer<typeof storageSchema>
