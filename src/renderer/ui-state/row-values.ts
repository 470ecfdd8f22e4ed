/** Values of a delivery's row, with the terms that find them. */
import type { DeliveryRow } from '../../shared/model/delivery.ts'
import { termOf } from '../../shared/query/edit-query.ts'
import { issuesOf, signatureTerm } from './row-issues.ts'
import { eventWord, signatureStatus } from '../ui/verdict.tsx'
import type { MenuValue } from '../ui/menu-value.ts'

/** Cells of a row that have values, in the order of the palette. */
const CELLS = [
  'signature',
  'time',
  'event',
  'amount',
  'merchant',
  'path',
  'issues',
  'source',
  'responded',
  'handler',
  'size',
] as const

/**
 * Returns the value behind a row's cell, with a term that finds the row; null for an empty cell.
 */
export function rowValue(row: DeliveryRow, cell: (typeof CELLS)[number]): MenuValue | null {
  switch (cell) {
    case 'signature': {
      return { name: 'Signature', text: signatureStatus(row).word, term: signatureTerm(row) }
    }
    case 'time':
      return {
        name: 'Time',
        text: row.receivedAt,
        term: termOf('received', row.receivedAt.slice(0, 16) + 'Z'),
      }
    case 'event':
      if (row.malformed !== null) return null
      return {
        name: 'Event',
        text: eventWord(row).text,
        term: row.event === null ? '-has:event' : termOf('event', row.event),
      }
    case 'amount':
      return row.amount === null
        ? null
        : {
            name: 'Amount',
            text: [row.amount, row.currency ?? ''].join(' ').trim(),
            term: termOf('amount', row.amount),
          }
    case 'merchant':
      return row.merchant === null
        ? null
        : { name: 'Merchant', text: row.merchant, term: termOf('body', row.merchant) }
    case 'path':
      return row.path === null
        ? null
        : { name: 'Path', text: row.path, term: termOf('path', row.path) }
    case 'issues': {
      const [issue] = issuesOf(row)
      if (issue !== undefined) return { name: 'Issue', text: issue.words, term: issue.term }
      return row.note === null ? null : { name: 'Note', text: row.note, term: 'has:note' }
    }
    case 'source':
      return sourceValue(row)
    case 'responded':
      return row.answer.status === null
        ? null
        : {
            name: 'Responded',
            text: String(row.answer.status),
            term: termOf('status', String(row.answer.status)),
          }
    case 'handler':
      return row.handler?.status === undefined || row.handler.status === null
        ? { name: 'Your handler', text: '', term: row.handler === null ? 'response:none' : null }
        : {
            name: 'Your handler',
            text: String(row.handler.status),
            term: termOf('response', String(row.handler.status)),
          }
    case 'size':
      return {
        name: 'Size',
        text: String(row.bodySize),
        term: termOf('size', String(row.bodySize)),
      }
  }
}

export function rowValues(row: DeliveryRow): readonly MenuValue[] {
  return CELLS.flatMap((cell) => rowValue(row, cell) ?? [])
}

/** Returns where a delivery comes from; null for one that was received. */
function sourceValue({ flowRun, origin, name }: DeliveryRow): MenuValue | null {
  if (flowRun !== null)
    return { name: 'Flow', text: flowRun.flow, term: termOf('flow', flowRun.flow) }
  switch (origin) {
    case 'composed': {
      const term = name === null ? 'is:composed' : termOf('name', name)
      return { name: 'Request', text: name ?? 'Composed', term }
    }
    case 'imported':
      return { name: 'Source', text: 'Imported', term: 'is:imported' }
    case 'shared':
      return { name: 'Source', text: 'Shared, re-signed', term: 'is:shared' }
    default:
      return null
  }
}
