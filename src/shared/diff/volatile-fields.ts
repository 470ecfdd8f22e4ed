/** Fields that are expected to differ between deliveries. */
import { z } from 'zod'
import { pathFitsPattern, type Path } from './path-pattern.ts'

export const volatileFieldsSchema = z.object({
  body: z.array(z.string().min(1).max(200)).max(200),
  /** Names with `*`; case-insensitive. */
  headers: z.array(z.string().min(1).max(200)).max(200),
})

export type VolatileFields = z.infer<typeof volatileFieldsSchema>

/** Fields that usually differ between deliveries, unless a hook has its own list. */
export const defaultVolatileFields: VolatileFields = {
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

/** Whether a path, or a container of it, is expected to differ. */
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
