import { expect, test } from 'vitest'
import { headersOfRows, repeatedNames, rowsOfHeaders, withEmptyRow } from './header-editor.tsx'

test('headers convert to rows and back in order', () => {
  const headers = { 'X-Two': '2', 'X-One': '1' }
  expect(Object.entries(headersOfRows(rowsOfHeaders(headers)))).toEqual(Object.entries(headers))
})

test('an empty row is not a header; a name without a value is', () => {
  const rows = withEmptyRow(rowsOfHeaders({ 'X-One': '' }))
  expect(rows.map((row) => row.key)).toEqual([0, 1])
  expect(headersOfRows(rows)).toEqual({ 'X-One': '' })
})

test('repeated names are found regardless of case', () => {
  const rows = [
    ...rowsOfHeaders({ 'X-One': '1', 'x-one': '2', 'X-Two': '3' }),
    { key: 9, name: '', value: '' },
  ]
  expect([...repeatedNames(rows)]).toEqual(['x-one'])
})
