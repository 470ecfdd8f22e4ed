/** Prints deliveries as a list, one per line. The ID comes last, because other commands take it. */
import { localStamp } from '../shared/text/time-text.ts'
import { formatSentAmount } from '../shared/text/amount.ts'
import { byteSize } from '../shared/text/english.ts'
import type { Delivery, DeliveryRow, Freshness, Verdict } from '../shared/model/delivery.ts'
import { outcomeOfHandler } from '../shared/model/send-outcomes.ts'
import { isExhausted } from '../shared/service/limits.ts'
import { grey, markedCell, right, type Cell, type Color, type StyledCell } from './print.ts'

const verdictColors: Record<Verdict, Color> = {
  valid: 'green',
  invalid: 'red',
  unsigned: 'yellow',
  'unknown-hook': 'yellow',
}
const freshnessColors: Record<Freshness, Color | null> = {
  fresh: null,
  stale: 'yellow',
  future: 'yellow',
  missing: 'grey',
  unknown: 'grey',
}

/** Returns `2026-11-21 10:30:00.123` in the local time zone. */
export function localTimeText(iso: string): string {
  return localStamp(iso).replace('T', ' ')
}

function eventOf(row: DeliveryRow): string {
  if (row.event !== null) return row.event
  if (row.malformed !== null) return 'malformed'
  return row.eventCandidates.length === 0 ? '-' : `possible ${row.eventCandidates.join('|')}`
}

/**
 * Returns `#2` or `duplicate`, red if it is the last attempt and no rule acknowledges its response.
 */
export function attemptCell(row: DeliveryRow): StyledCell {
  return {
    text: row.duplicateOf === null ? `#${row.attempt}` : 'duplicate',
    color: isExhausted(row, '2xx') ? 'red' : null,
  }
}

/** Returns the verdict, without a color if it was imported: it wasn't computed here. */
export function verdictCell(
  {
    verdict,
    verifiedHere,
    hookDeleted = false,
  }: Pick<DeliveryRow, 'verdict' | 'verifiedHere'> & Pick<Delivery, 'hookDeleted'>,
  { isExplained = false }: { readonly isExplained?: boolean } = {},
): Cell {
  if (verifiedHere && hookDeleted) return { text: `${verdict} (deleted hook)`, color: 'yellow' }
  if (verifiedHere) return { text: verdict, color: verdictColors[verdict] }
  return {
    text: isExplained ? `${verdict} (imported, not verified)` : `${verdict} (imported)`,
    color: 'grey',
  }
}

export function freshnessCell(freshness: Freshness): Cell {
  return { text: freshness, color: freshnessColors[freshness] }
}

/** Returns `✕ @local 500`; empty if no response of the user's handler is recorded. */
function handlerCell({ handler, ...row }: DeliveryRow): Cell {
  if (handler === null) return ''
  const shown = outcomeOfHandler({ ...row, handler })
  return markedCell(
    shown,
    `${handler.name === null ? 'handler' : `@${handler.name}`} ${shown.word}`,
  )
}

const sourceText = ({ origin, flowRun }: DeliveryRow) =>
  (origin === 'received' ? '' : origin === 'shared' ? ' (shared, re-signed)' : ` (${origin})`) +
  (flowRun === null ? '' : ` (flow ${flowRun.flow})`)

const MERCHANT_LENGTH = 24

/** Returns the cells of a payment, empty for other payloads. */
function paymentCells({ amount, currency, merchant, last4 }: Delivery): Cell[] {
  const name = merchant ?? ''
  // Don't cut a character outside of the basic plane in half.
  const start = name.slice(0, MERCHANT_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, '')
  return [
    right(amount === null ? '' : `${formatSentAmount(amount, currency)} ${currency ?? ''}`.trim()),
    name.length > MERCHANT_LENGTH ? `${start}…` : name,
    last4 ?? '',
  ]
}

export function deliveryCells(row: Delivery): Cell[] {
  const { status } = row.answer
  return [
    grey(localTimeText(row.receivedAt)),
    eventOf(row),
    ...paymentCells(row),
    verdictCell(row),
    freshnessCell(row.freshness),
    attemptCell(row),
    { text: status === null ? 'none' : String(status), color: status === 200 ? null : 'yellow' },
    handlerCell(row),
    right(byteSize(row.bodySize) + (row.truncated ? '+' : '')),
    (row.method === null ? '-' : `${row.method} ${row.path ?? ''}`) + sourceText(row),
    grey(row.id),
  ]
}
