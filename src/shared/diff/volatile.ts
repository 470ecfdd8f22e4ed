/** What differs from delivery to delivery by its nature, and is folded when two are compared: ids, times, the signature. */
import { z } from 'zod'
import { pathFitsPattern, type Path } from './path.ts'

export const volatileFieldsSchema = z.object({
  /** Patterns of paths in the body: `**.id`, `offer.qualificationDate`. */
  body: z.array(z.string().min(1).max(200)).max(200),
  /** Names of headers, `*` for any characters; case does not matter. */
  headers: z.array(z.string().min(1).max(200)).max(200),
})
export type VolatileFields = z.infer<typeof volatileFieldsSchema>

/** What is folded where a hook has no list of its own. */
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
  headers: ['*-signature', '*-timestamp', '*-attempt-number', '*-message-id', 'content-length', 'date'],
}

export const nothingVolatile: VolatileFields = { body: [], headers: [] }

/** Whether a place in the body is one that differs by its nature, or lies in one. */
export function isVolatilePath(fields: VolatileFields, path: Path): boolean {
  return fields.body.some((pattern) => path.some((_, index) => pathFitsPattern(path.slice(0, index + 1), pattern)))
}

export function isVolatileHeader(fields: VolatileFields, name: string): boolean {
  return fields.headers.some((pattern) => pathFitsPattern([name.toLowerCase()], pattern.toLowerCase()))
}
