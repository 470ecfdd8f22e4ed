/** CSV (RFC 4180) whose cells no spreadsheet runs as a formula. */

export const CSV_LINE_END = '\r\n'
export const BYTE_ORDER_MARK = '\ufeff'

/** Start of a text that spreadsheets read as a formula. */
const FORMULA_START = /^[=+\-@\t\r]/
const NUMBER = /^-\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const NEEDS_QUOTES = /[",\r\n]/

/** Writes a cell; an apostrophe before a formula makes it text. */
function csvCell(value: string | number | null): string {
  const text = String(value ?? '')
  const safe = FORMULA_START.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Writes a record without its line end. */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  cells.map(csvCell).join(',')

/** Names of the cells of every delivery, before those of the body. */
export const CSV_FIELDS = [
  'id',
  'receivedAt',
  'event',
  'environment',
  'verdict',
  'freshness',
  'attempt',
  'schema',
  'status',
  'handlerStatus',
  'method',
  'path',
  'bodySize',
] as const
