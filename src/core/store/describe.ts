/** What a payload tells of itself: its schema, and its event where no key proves one. Pure; runs in the reader thread. */
import { checkPayload, guessEvents } from '../../shared/service/payload.ts'
import type { Undescribed } from './deliveries-repo.ts'
import type { DescriptionRow } from './describe-repo.ts'

/** Describes deliveries in their order. What is malformed or cut off has no schema and no event: its bytes are not a payload. */
export function describePayloads(deliveries: Iterable<Undescribed>): DescriptionRow[] {
  return Array.from(deliveries, ({ seq, event, truncated, malformed, bytes }) => {
    if (malformed || truncated) return { seq, schema: 'unknown', events: null }
    const events = event === null ? guessEvents(bytes) : null
    const known = event ?? (events?.length === 1 ? events[0]! : null)
    return { seq, schema: checkPayload(known, bytes).outcome, events }
  })
}
