import { expect, test } from 'vitest'
import { timestampUnit } from './timestamp-unit.ts'

test.each([
  ['1763700000', 'timestamp:seconds'],
  ['1763700000.123', 'timestamp:seconds'],
  ['1763700000123000', 'timestamp:microseconds'],
  ['1763700000123000000', 'timestamp:nanoseconds'],
  ['1763700000123.0', 'timestamp:float'],
  ['1.763700000123E12', 'timestamp:float'],
  ['1.7637e+09', 'timestamp:float'],
  ['2025-11-21T04:40:00.123Z', 'timestamp:iso'],
  ['2025-11-21T04:40:00+00:00', 'timestamp:iso'],
  ['20251121T044000Z', 'timestamp:iso'],
  ['Fri, 21 Nov 2025 04:40:00 GMT', 'timestamp:http-date'],
  ['1763700000123ms', 'timestamp:suffix'],
  ['1763700000s', 'timestamp:suffix'],
  ['"1763700000123"', 'timestamp:quoted'],
  ['19aa4e7d97b', 'timestamp:hex'],
  ['0x19AA4E7D97B', 'timestamp:hex'],
  ['69203f20', 'timestamp:hex'],
  ['+1763700000123', 'timestamp:plus'],
  ['1763700000123 ', 'timestamp:whitespace'],
  ['\t1763700000123', 'timestamp:whitespace'],
])('%s is not in milliseconds: %s', (value, cause) => {
  expect(timestampUnit(value)?.cause).toBe(cause)
})

test.each([
  null,
  '',
  '1763700000123',
  '0001763700000123'.slice(0, 14),
  '0',
  '-1763700000',
  '999999999999',
  'soon',
  '1e3x',
  '19284756123',
  'deadbeef9',
  '+soon',
  ' ',
])('%s is not reported', (value) => {
  expect(timestampUnit(value)).toBe(null)
})
