/**
 * What the index stores about a delivery besides its words: the objects that its payload names, its fields, and evidence that it is
 * the same delivery.
 */
import { hash } from 'node:crypto'
import { fieldPaths } from '../../../shared/body/json-path.ts'
import { hasTooManyMembers, parseBody } from '../../../shared/service/json-body.ts'
import { namedObjects, type ObjectLink } from '../../lifecycle/named-objects.ts'

/** Larger bodies, in bytes, don't come from the service: their objects aren't worth the memory. */
export const MOST_READ = 1_048_576

/** The columns of `deliveries d` and its body `b` that this needs. */
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

interface Contents {
  readonly links: readonly ObjectLink[]
  readonly fields: PayloadFields | null
}

const NOTHING: Contents = { links: [], fields: null }

/** Reads a payload by its event: the known one, or the first that it matches. */
export function contentsOf(row: ContentRow): Contents {
  const { event, bytes } = row
  if (bytes === null || bytes.length > MOST_READ || row.malformed !== null || row.truncated !== 0)
    return NOTHING
  const likely =
    typeof event === 'string' ? event : (JSON.parse(row.event_candidates) as string[])[0]
  if (likely === undefined) return NOTHING
  if (hasTooManyMembers(bytes)) return NOTHING
  const parsed = parseBody(bytes)
  if (!parsed.ok) return NOTHING
  return {
    links: namedObjects(likely, parsed.value),
    fields: typeof event === 'string' ? { event, paths: fieldPaths(parsed.value) } : null,
  }
}

// Evidence: what the index stores about an indexed delivery, to detect later that its seq belongs to another delivery or that its
// words changed.

/** 48 bits that distinguish deliveries with the same seq. */
export function evidenceOf(row: { readonly id: string; readonly body_sha256: string }): number {
  return Number.parseInt(hash('sha256', `${row.id} ${row.body_sha256}`, 'hex').slice(0, 12), 16)
}

// Links: from an object of the service to the deliveries that name it, one table per partition. An object is a 48-bit number made
// from its kind and id, which makes the tables a third smaller.

/** The name of a partition's link table. */
export function linksTable(partition: number): string {
  return `links_${partition}`
}

/** An object's number in the tables. */
export function linkKeyOf({ kind, value }: ObjectLink): number {
  return Number.parseInt(hash('sha256', `${kind} ${value}`, 'hex').slice(0, 12), 16)
}
