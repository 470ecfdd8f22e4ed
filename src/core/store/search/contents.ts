/** What the index keeps of a payload beside its words: the objects that it names, and the fields that it has. */
import { fieldPaths } from '../../../shared/body/field-paths.ts'
import { hasTooManyMembers, parseBody } from '../../../shared/service/json-body.ts'
import { namedObjects, type ObjectLink } from '../../lifecycle/named-objects.ts'

/** Larger bodies than this, in bytes, are none of the service's: what they name is not worth the memory. */
export const MOST_READ = 1_048_576

/** What is read of `deliveries d` and its body `b` for it. */
export const CONTENT_COLUMNS = 'd.event, d.event_candidates, d.malformed, d.truncated, b.bytes'

export interface ContentRow {
  readonly event: string | number | null
  /** A list of names, as JSON. */
  readonly event_candidates: string
  readonly malformed: string | number | null
  readonly truncated: string | number | null
  readonly bytes: Uint8Array | null
}

/** The fields of a payload whose event is known. */
export interface PayloadFields {
  readonly event: string
  readonly paths: readonly string[]
}

export interface Contents {
  readonly links: readonly ObjectLink[]
  readonly fields: PayloadFields | null
}

const NOTHING: Contents = { links: [], fields: null }

/** Reads a payload by its event: the one that is known, or the first that its shape fits. */
export function contentsOf(row: ContentRow): Contents {
  const { event, bytes } = row
  if (bytes === null || bytes.length > MOST_READ || row.malformed !== null || row.truncated !== 0) return NOTHING
  const likely = typeof event === 'string' ? event : (JSON.parse(row.event_candidates) as string[])[0]
  if (likely === undefined) return NOTHING
  if (hasTooManyMembers(bytes)) return NOTHING
  const parsed = parseBody(bytes)
  if (!parsed.ok) return NOTHING
  return {
    links: namedObjects(likely, parsed.value),
    fields: typeof event === 'string' ? { event, paths: fieldPaths(parsed.value) } : null,
  }
}
