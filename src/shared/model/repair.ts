/** The repair of a damaged database: how far it is, and what came back. */
import { z } from 'zod'

/** How many deliveries a report names of those that were lost. */
export const NAMED_LOSSES = 1_000

export const repairReportSchema = z.object({
  /** `sound`: no damage was found, and nothing was changed. `cancelled`: nothing was changed. */
  outcome: z.enum(['repaired', 'sound', 'cancelled']),
  /** The database. */
  file: z.string(),
  /** Where the damaged file is now; null if nothing was changed. */
  setAside: z.string().nullable(),
  /** What is stored, by kind. `lost`: null if some were lost and their number can't be told. */
  parts: z.array(z.object({ name: z.string(), recovered: z.number().int(), lost: z.number().int().nullable() })),
  /** Ids of deliveries that were lost, as far as they are known; the first 1,000. */
  lostDeliveries: z.array(z.string()),
  /** Ids of deliveries that came back without their body; the first 1,000. */
  lostBodies: z.array(z.string()),
  /** How many deliveries came back without their body; they count as recovered. */
  bodiesLost: z.number().int(),
})
export type RepairReport = z.infer<typeof repairReportSchema>

const number = (value: number) => value.toLocaleString('en')

/** What was lost of a part: `3`, `3, and 5 bodies`, `5 bodies`; deliveries can come back without their body. */
export function lossOf({ name, lost }: RepairReport['parts'][number], { bodiesLost }: Pick<RepairReport, 'bodiesLost'>): string {
  const rows = lost === null ? 'an unknown number' : number(lost)
  if (name !== 'deliveries' || bodiesLost === 0) return rows
  const bodies = bodiesLost === 1 ? '1 body' : `${number(bodiesLost)} bodies`
  return lost === 0 ? bodies : `${rows}, and ${bodies}`
}

export const repairProgressSchema = z.object({
  /** Rows read so far, of every kind. */
  rows: z.number().int(),
  deliveries: z.number().int(),
  /** About how many deliveries there were; null if that can't be told. */
  of: z.number().int().nullable(),
})
export type RepairProgress = z.infer<typeof repairProgressSchema>

export const repairStateSchema = z.object({
  /**
   * `idle`: none since the start. `damaged`: the database can't be opened, and a repair can begin. `running`: deliveries are answered 503.
   * `ended`: see the report. `failed`: see the problem; nothing was changed.
   */
  phase: z.enum(['idle', 'damaged', 'running', 'ended', 'failed']),
  problem: z.string().nullable(),
  progress: repairProgressSchema.nullable(),
  report: repairReportSchema.nullable(),
})
export type RepairState = z.infer<typeof repairStateSchema>

export const NO_REPAIR: RepairState = { phase: 'idle', problem: null, progress: null, report: null }
