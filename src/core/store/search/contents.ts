/** Objects and fields of a payload, as the index stores them. */
import { fieldPaths } from '../../../shared/body/json-path.ts'
import { hasTooManyMembers, parseBody } from '../../../shared/service/json-body.ts'
import { jsonOf } from '../rows.ts'
import { namedObjects, type ObjectLink } from '../../lifecycle/object-links.ts'

/** Bytes of the largest body that is parsed; the service sends smaller ones. */
export const MAX_PARSED_BYTES = 1_048_576

/** Columns of `deliveries d` and its body `b`. */
export const CONTENT_COLUMNS = 'd.event, d.event_candidates, d.malformed, d.truncated, b.bytes'

export interface ContentRow {
  readonly event: string | number | null
  /** JSON array of names. */
  readonly event_candidates: string
  readonly malformed: string | number | null
  readonly truncated: string | number | null
  readonly bytes: Uint8Array | null
}

export interface PayloadFields {
  readonly event: string
  readonly paths: readonly string[]
}

interface Contents {
  readonly links: readonly ObjectLink[]
  readonly fields: PayloadFields | null
}

const NOTHING: Contents = { links: [], fields: null }

/** Parses a stored payload; undefined if it isn't whole JSON of a size that is parsed. */
export function payloadOf(
  row: Pick<ContentRow, 'malformed' | 'truncated' | 'bytes'>,
): { readonly value: unknown } | undefined {
  const { bytes } = row
  if (
    bytes === null ||
    bytes.length > MAX_PARSED_BYTES ||
    row.malformed !== null ||
    row.truncated !== 0 ||
    hasTooManyMembers(bytes)
  )
    return undefined
  const parsed = parseBody(bytes)
  return parsed.ok ? parsed : undefined
}

export function contentsOf(row: ContentRow): Contents {
  const { event } = row
  const likely =
    typeof event === 'string'
      ? event
      : jsonOf('deliveries.event_candidates', row.event_candidates)[0]
  const payload = likely === undefined ? undefined : payloadOf(row)
  if (likely === undefined || payload === undefined) return NOTHING
  return {
    links: namedObjects(likely, payload.value),
    fields: typeof event === 'string' ? { event, paths: fieldPaths(payload.value) } : null,
  }
}
