/** Fields that are expected to differ between deliveries, and are folded in a comparison: ids, times, the signature. */
import { z } from 'zod'
import { pathFitsPattern, type Path } from './path.ts'

export const volatileFieldsSchema = z.object({
  /** Path patterns in the body: `**.id`, `offer.qualificationDate`. */
  body: z.array(z.string().min(1).max(200)).max(200),
  /** Header names, with `*` for any characters; case-insensitive. */
  headers: z.array(z.string().min(1).max(200)).max(200),
})
export type VolatileFields = z.infer<typeof volatileFieldsSchema>

/** The default list, used if a hook has no list. */
export const usualVolatileFields: VolatileFields = {
  body: [
    '**.id',
    '**.*Id',
    '**.created',
    '**.updated',
    'datetime',
    '**.qualificationDate',
    'activeDate',
    'syncStats.estimatedEndDate',
    'approvalCode',
    'authCode',
    'identifiers.*AuthCode',
    'identifiers.*ApprovalCode',
    'identifiers.*SequenceNumber',
    'identifiers.*RefNumber',
  ],
  headers: [
    '*-signature',
    '*-timestamp',
    '*-attempt-number',
    '*-message-id',
    'content-length',
    'date',
  ],
}

export const nothingVolatile: VolatileFields = { body: [], headers: [] }

/** Whether a path is, or is inside, a field expected to differ. */
export function isVolatilePath(fields: VolatileFields, path: Path): boolean {
  return fields.body.some((pattern) =>
    path.some((_, index) => pathFitsPattern(path.slice(0, index + 1), pattern)),
  )
}

export function isVolatileHeader(fields: VolatileFields, name: string): boolean {
  return fields.headers.some((pattern) =>
    pathFitsPattern([name.toLowerCase()], pattern.toLowerCase()),
  )
}
