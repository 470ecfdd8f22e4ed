/** What a payload tells of itself: its schema, and its event where no key proves one. Runs in the reader thread. */
import { fieldPaths } from '../../shared/body/field-paths.ts'
import type { SchemaReport } from '../../shared/model/schema-report.ts'
import { parseBody } from '../../shared/service/json-body.ts'
import { checkPayload, guessEvents } from '../../shared/service/payload.ts'
import { namedObjects, type Link } from '../lifecycle/named-objects.ts'
import { getDelivery, readBody, type Undescribed } from './deliveries-repo.ts'
import type { DescriptionRow } from './describe-repo.ts'
import type { ReadableDb } from './open.ts'
import type { SeenFields } from './seen-fields-repo.ts'

/** Describes deliveries in their order. What is malformed or cut off has no schema and no event: its bytes are not a payload. */
export function describePayloads(deliveries: Iterable<Undescribed>): DescriptionRow[] {
  return Array.from(deliveries, ({ seq, event, truncated, malformed, bytes }) => {
    if (malformed || truncated) return { seq, schema: 'unknown', events: null }
    const events = event === null ? guessEvents(bytes) : null
    const known = event ?? (events?.length === 1 ? events[0]! : null)
    return { seq, schema: checkPayload(known, bytes).outcome, events, ...contentOf(known, known ?? events?.[0] ?? null, bytes) }
  })
}

/** Larger bodies than this, in bytes, are none of the service's: what they name is not worth the memory. */
export const MOST_READ = 1_048_576

/** The fields of a payload whose event is known, and the objects that it names: `likely` is the event, or one that it looks like. */
function contentOf(
  event: string | null,
  likely: string | null,
  bytes: Uint8Array,
): { fields?: SeenFields; links?: readonly Link[] } {
  const parsed = likely === null || bytes.length > MOST_READ ? null : parseBody(bytes)
  if (likely === null || parsed?.ok !== true) return {}
  const links = namedObjects(likely, parsed.value)
  const paths = event === null ? [] : fieldPaths(parsed.value)
  return event === null || paths.length === 0 ? { links } : { links, fields: { event, paths: paths.join('\n') } }
}

/** Everything that the check of one delivery's payload says. What is malformed or cut off has none: its bytes are not a payload. */
export function reportSchema(db: ReadableDb, ref: string): SchemaReport {
  const { seq, event, environment, mode, truncated, malformed, bodySize } = getDelivery(db, ref)
  if (truncated || malformed !== null) return { event, outcome: 'unknown', failures: [], findings: [] }
  const { bytes } = readBody(db, { seq, offset: 0, length: bodySize })
  const { outcome, failures, findings } = checkPayload(
    event,
    bytes,
    environment === null || mode === null ? null : { environment, mode },
  )
  return { event, outcome, failures: [...failures], findings: [...findings] }
}
