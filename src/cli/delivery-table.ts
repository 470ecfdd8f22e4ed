/** Deliveries as a person reads them in a list: one line each, with the id last, since it is what other commands take. */
import { byteSize } from '../shared/text/counted.ts'
import type { DeliveryRow, Freshness, Verdict } from '../shared/model/delivery.ts'
import type { Cell, Colour } from './output.ts'

const verdictColours: Record<Verdict, Colour> = { valid: 'green', invalid: 'red', unsigned: 'yellow', 'unknown-hook': 'yellow' }
const freshnessColours: Record<Freshness, Colour | null> = { fresh: null, stale: 'yellow', future: 'yellow', missing: 'grey' }

/** `2026-11-21 10:30:00.123` in the time zone of this machine. */
export function localTimeText(iso: string): string {
  const date = new Date(iso)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  return `${day} ${time}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

function eventOf(row: DeliveryRow): string {
  if (row.event !== null) return row.event
  if (row.malformed !== null) return 'malformed'
  return row.eventCandidates.length === 0 ? '-' : `possible ${row.eventCandidates.join('|')}`
}

/** `#2`, or `duplicate`. */
export function repeatOf(row: DeliveryRow): string {
  return row.duplicateOf === null ? `#${row.attempt}` : 'duplicate'
}

/** A verdict of an imported file has no color: it was not computed here. */
export function verdictCell({ verdict, verifiedHere }: Pick<DeliveryRow, 'verdict' | 'verifiedHere'>, long = false): Cell {
  if (verifiedHere) return { text: verdict, colour: verdictColours[verdict] }
  return { text: long ? `${verdict} (imported, not verified)` : `${verdict} (imported)`, colour: 'grey' }
}

export function freshnessCell(freshness: Freshness): Cell {
  return { text: freshness, colour: freshnessColours[freshness] }
}

/** Time, event, verdict, freshness, attempt, answer, size, method and path, id. */
export function deliveryCells(row: DeliveryRow): Cell[] {
  const { status } = row.answer
  return [
    { text: localTimeText(row.receivedAt), colour: 'grey' },
    { text: eventOf(row) },
    verdictCell(row),
    freshnessCell(row.freshness),
    { text: repeatOf(row) },
    { text: status === null ? 'none' : String(status), colour: status === 200 ? null : 'yellow' },
    { text: byteSize(row.bodySize) + (row.truncated ? '+' : ''), align: 'right' },
    {
      text:
        (row.method === null ? '-' : `${row.method} ${row.path ?? ''}`) + (row.origin === 'received' ? '' : ` (${row.origin})`),
    },
    { text: row.id, colour: 'grey' },
  ]
}
