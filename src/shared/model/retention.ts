/** How long deliveries are kept, how much disk space they use, the user's marks on them, and saved views. */
import { z } from 'zod'
import { inForm } from './field-words.ts'

// A user's marks on a delivery: a pin, which exempts it from retention and clearing, and a note.

/** Maximum length of a note, in characters. */
export const NOTE_LENGTH = 2_000

export const marksSchema = z.object({
  pinned: z.boolean(),
  note: z.string().nullable(),
})
export type Marks = z.infer<typeof marksSchema>

export const UNMARKED: Marks = { pinned: false, note: null }

/** Changes to marks. Missing fields stay unchanged; a blank note is removed. */
export const marksChangeSchema = z.object({
  pinned: z.boolean().optional(),
  note: z
    .string()
    .trim()
    .max(NOTE_LENGTH)
    .transform((text) => (text === '' ? null : text))
    .nullable()
    .optional(),
})
export type MarksChange = z.output<typeof marksChangeSchema>

const MIB = 1_048_576

/** Smallest allowed size limit, in bytes: an empty database already takes some space. */
export const LEAST_KEPT_BYTES = 10 * MIB

/** Retention limits; null means no limit. Pinned deliveries are never removed. */
export const retentionSchema = z.object({
  /** Removes deliveries received longer ago than this. */
  days: inForm(z.number().int().min(1).max(36_500).nullable(), {
    label: 'Days',
    hint: 'Older deliveries are removed.',
    expected: 'a number of days from 1',
  }),
  /** Removes the oldest deliveries above this number. Pinned ones don't count. */
  deliveries: inForm(z.number().int().min(1).max(1_000_000_000).nullable(), {
    label: 'Deliveries',
    hint: "Pinned ones don't count.",
    expected: 'an integer from 1',
  }),
  /** Removes the oldest deliveries while the database uses more than this. */
  bytes: inForm(z.number().int().min(LEAST_KEPT_BYTES).max(Number.MAX_SAFE_INTEGER).nullable(), {
    label: 'Size in MiB',
    kind: 'mebibytes',
    hint: 'Space used in the database.',
    expected: `a number from ${LEAST_KEPT_BYTES / MIB}`,
  }),
})
export type Retention = z.infer<typeof retentionSchema>

export const KEEP_ALL: Retention = { days: null, deliveries: null, bytes: null }

/** Everything is kept by default. Above this number or size, in bytes, a limit is suggested. */
const MOST_WITHOUT_LIMIT = { deliveries: 100_000, bytes: 2_048 * MIB }

/** Whether to suggest a limit: much is stored without any limit. */
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
  /** Used and free bytes of the database file. Free space is reused for new data; much of it is returned to the disk. */
  used: z.number().int(),
  free: z.number().int(),
  deliveries: z.number().int(),
  pinned: z.number().int(),
})
export type Storage = z.infer<typeof storageSchema>

// A saved view: a search with a name, stored in the data folder.

export const VIEW_NAME_LENGTH = 80

export const viewSchema = z.object({
  id: z.string(),
  name: inForm(z.string().trim().min(1).max(VIEW_NAME_LENGTH), { label: 'Name' }),
  /** As written; relative times such as `2h` stay relative. */
  query: inForm(z.string().min(1).max(4_000), {
    label: 'Search',
    hint: 'Relative times such as after:2h are evaluated when you open the view',
  }),
})
export type View = z.infer<typeof viewSchema>

/** Views that every data folder has, in the order shown. Names are fixed: scripts use them with `--view`. */
export const BUILT_IN_VIEWS = [
  { id: 'all', name: 'All', query: '' },
  // As the timeline and statistics count: a file's claim is unverified, and only a valid signature is stale.
  { id: 'invalid', name: 'Invalid', query: 'is:invalid is:verified' },
  { id: 'stale', name: 'Stale', query: 'is:valid is:verified -is:fresh' },
  { id: 'retried', name: 'Retried', query: 'is:retry' },
  { id: 'schema-errors', name: 'Schema errors', query: 'schema:issues' },
  { id: 'failing', name: 'Failing at my handler', query: 'response:failing' },
  { id: 'imported', name: 'Imported', query: 'is:imported' },
  { id: 'flow-runs', name: 'Flow runs', query: 'is:flow' },
  { id: 'last-hour', name: 'Last hour', query: 'within:1h' },
] as const satisfies readonly View[]
