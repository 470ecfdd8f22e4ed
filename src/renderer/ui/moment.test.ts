import { expect, test } from 'vitest'
import { ago, byteCount, byteSize, duration, exactTime, milliseconds, ordinal } from './moment.ts'

test('durations are only as exact as needed', () => {
  expect(
    [0, 640, 4_200, 372_000, 600_000, 7_500_000, 7_200_000, 86_400_000, 260_000_000].map(duration),
  ).toEqual([
    '0 ms',
    '640 ms',
    '4.2 s',
    '6 min 12 s',
    '10 min',
    '2 h 5 min',
    '2 h',
    '1 day',
    '3 days',
  ])
  expect(duration(-4_200)).toBe('4.2 s')
})

test('relative times use the given clock', () => {
  const now = Date.parse('2026-11-21T12:00:00.000Z')
  expect(
    [
      '2026-11-21T11:59:58.000Z',
      '2026-11-21T11:59:20.000Z',
      '2026-11-21T11:12:00.000Z',
      '2026-11-20T11:00:00.000Z',
    ].map((iso) => ago(iso, now)),
  ).toEqual(['just now', '40 s ago', '48 min ago', '1 day ago'])
  expect(exactTime('2026-11-21T11:59:58.012Z')).toBe('2026-11-21 11:59:58.012 UTC')
})

test('sizes and counts are readable', () => {
  expect([0, 812, 1_143, 999_999, 14_200_000, 2_500_000_000].map(byteSize)).toEqual([
    '0 B',
    '812 B',
    '1.1 kB',
    '1.0 MB',
    '14.2 MB',
    '2.5 GB',
  ])
  expect([1, 1_143].map(byteCount)).toEqual(['1 byte', '1,143 bytes'])
  expect([0.83, 12.4, 1_204].map(milliseconds)).toEqual(['0.8', '12', '1,204'])
  expect([1, 2, 3, 4, 11, 12, 13, 21, 112].map(ordinal)).toEqual([
    '1st',
    '2nd',
    '3rd',
    '4th',
    '11th',
    '12th',
    '13th',
    '21st',
    '112th',
  ])
})
