import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { CSV_LINE_END, csvLine } from './csv.ts'

/** Reads CSV character by character, as RFC 4180 describes it. */
function readCsv(text: string): string[][] {
  const records: string[][] = []
  let record: string[] = []
  let at = 0
  while (at < text.length) {
    let cell = ''
    if (text[at] === '"') {
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        if (at >= text.length) throw new Error('A quote is not closed.')
        if (text[at] === '"') at++
        cell += text[at]
      }
      at++
    } else
      for (; at < text.length && text[at] !== ',' && !text.startsWith(CSV_LINE_END, at); at++) {
        if (text[at] === '"') throw new Error('A quote inside an unquoted cell.')
        cell += text[at]
      }
    record.push(cell)
    if (text[at] === ',') at++
    else {
      if (!text.startsWith(CSV_LINE_END, at)) throw new Error(`Expected a line end at ${at}.`)
      at += CSV_LINE_END.length
      records.push(record)
      record = []
    }
  }
  return records
}

const cells = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', "'", ',', '1', 'e'),
  }),
)

property.prop([fc.array(fc.array(cells, { minLength: 1 }), { minLength: 1 })])(
  'another reader gets every cell back, and no cell is a formula',
  (records) => {
    const read = readCsv(records.map((record) => csvLine(record) + CSV_LINE_END).join(''))
    for (const cell of read.flat())
      expect(/^[=+\-@\t\r]/.test(cell) && Number.isNaN(Number(cell))).toBe(false)
    const withoutGuard = (cell: string, sent: string) =>
      cell === `'${sent}` && /^[=+\-@\t\r]/.test(sent) ? sent : cell
    expect(
      read.map((record, row) =>
        record.map((cell, index) => withoutGuard(cell, records[row]?.[index] ?? '')),
      ),
    ).toEqual(records)
  },
)

test.each([
  ['=1+1', "'=1+1"],
  ['+44 20', "'+44 20"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['-cmd', "'-cmd"],
  ['-1+1', "'-1+1"],
  ['\t=1', "'\t=1"],
  ['\r=1', `"'\r=1"`],
  ['-12.50', '-12.50'],
  ['-1e3', '-1e3'],
  ['a "b", c', '"a ""b"", c"'],
  ['two\nlines', '"two\nlines"'],
])('%j is written as %j', (text, written) => {
  expect(csvLine([text])).toBe(written)
})
