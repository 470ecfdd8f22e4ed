/** The repair of a damaged database: progress and result. */
import { z } from 'zod'

/** Maximum number of lost deliveries that a report names. */
export const NAMED_LOSSES = 1_000

export const repairReportSchema = z.object({
  /** `sound`: no damage found, nothing changed. `cancelled`: nothing changed. */
  outcome: z.enum(['repaired', 'sound', 'cancelled']),
  /** The database. */
  file: z.string(),
  /** Path of the damaged file now; null if nothing was changed. */
  setAside: z.string().nullable(),
  /** Stored rows by kind. `lost` is null if some were lost but can't be counted. */
  parts: z.array(
    z.object({ name: z.string(), recovered: z.number().int(), lost: z.number().int().nullable() }),
  ),
  /** Ids of lost deliveries, as far as known; the first 1,000. */
  lostDeliveries: z.array(z.string()),
  /** Ids of deliveries recovered without their body; the first 1,000. */
  lostBodies: z.array(z.string()),
  /** Number of deliveries recovered without their body. They count as recovered. */
  bodiesLost: z.number().int(),
})
export type RepairReport = z.infer<typeof repairReportSchema>

const number = (value: number) => value.toLocaleString('en')

/** The loss in one part: `3`, `3 and 5 bodies`, `5 bodies`. Deliveries can be recovered without their body. */
export function lossOf(
  { name, lost }: RepairReport['parts'][number],
  { bodiesLost }: Pick<RepairReport, 'bodiesLost'>,
): string {
  const rows = lost === null ? 'an unknown number' : number(lost)
  if (name !== 'deliveries' || bodiesLost === 0) return rows
  const bodies = bodiesLost === 1 ? '1 body' : `${number(bodiesLost)} bodies`
  return lost === 0 ? bodies : `${rows} and ${bodies}`
}

export const repairProgressSchema = z.object({
  /** Rows read so far, of all kinds. */
  rows: z.number().int(),
  deliveries: z.number().int(),
  /** Approximate number of deliveries before the damage; null if unknown. */
  of: z.number().int().nullable(),
})
export type RepairProgress = z.infer<typeof repairProgressSchema>

export const repairStateSchema = z.object({
  /**
   * `idle`: no repair since the start. `damaged`: the database can't be opened and can be repaired. `running`: deliveries get a
   * 503. `ended`: see the report. `failed`: see the problem; nothing was changed.
   */
  phase: z.enum(['idle', 'damaged', 'running', 'ended', 'failed']),
  problem: z.string().nullable(),
  progress: repairProgressSchema.nullable(),
  report: repairReportSchema.nullable(),
})
export type RepairState = z.infer<typeof repairStateSchema>

export const NO_REPAIR: RepairState = { phase: 'idle', problem: null, progress: null, report: null }
