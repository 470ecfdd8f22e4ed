/** What a payload tells of itself: its schema, and its event where no key proves one. Runs in the reader thread. */
import type { SchemaReport } from '../../shared/model/schema-report.ts'
import { checkPayload, describePayload } from '../../shared/service/payload.ts'
import { collectAfter, releaseMemory } from '../base/threads/release-memory.ts'
import { getDelivery, readStoredBody, type Undescribed } from './deliveries-repo.ts'
import type { DescriptionRow } from './describe-repo.ts'
import type { ReadableDb } from './open.ts'

/** Describes deliveries in their order, and is done with their bytes then. What is malformed or cut off has no schema and no event: its bytes are not a payload. */
export function describePayloads(deliveries: Iterable<Undescribed>): DescriptionRow[] {
  return Array.from(deliveries, ({ seq, event, truncated, malformed, bytes }) => {
    const description = malformed || truncated ? { schema: 'unknown' as const, events: null } : describePayload(event, bytes)
    const size = bytes.length
    releaseMemory(bytes)
    collectAfter(size)
    return { seq, ...description }
  })
}

/** Everything that the check of one delivery's payload says. What is malformed or cut off has none: its bytes are not a payload. */
export function reportSchema(db: ReadableDb, ref: string): SchemaReport {
  const { seq, event, environment, mode, truncated, malformed, bodySize } = getDelivery(db, ref)
  if (truncated || malformed !== null) return { event, outcome: 'unknown', failures: [], findings: [] }
  const { bytes } = readStoredBody(db, { seq, offset: 0, length: bodySize })
  const { outcome, failures, findings } = checkPayload(
    event,
    bytes,
    environment === null || mode === null ? null : { environment, mode },
  )
  return { event, outcome, failures: [...failures], findings: [...findings] }
}
