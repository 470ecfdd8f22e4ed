import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readLength, readTimeSpan } from './search-time.ts'

const NOW = Date.parse('2026-11-21T12:30:00Z')
const iso = (text: string) => {
  const span = readTimeSpan(text, NOW)
  return span === null ? null : [new Date(span.from).toISOString(), span.to - span.from]
}

describe('in Sydney, eleven hours ahead', () => {
  beforeAll(() => {
    vi.stubEnv('TZ', 'Australia/Sydney')
  })
  afterAll(() => {
    vi.unstubAllEnvs()
  })

  test.each([
    ['2h', '2026-11-21T10:30:00.000Z', 1],
    ['now', '2026-11-21T12:30:00.000Z', 1],
    ['today', '2026-11-20T13:00:00.000Z', 86_400_000],
    ['yesterday', '2026-11-19T13:00:00.000Z', 86_400_000],
    ['14:03', '2026-11-21T03:03:00.000Z', 60_000],
    ['14:03:05', '2026-11-21T03:03:05.000Z', 1_000],
    ['2026-11-20', '2026-11-19T13:00:00.000Z', 86_400_000],
    ['2026-11-20T14:03', '2026-11-20T03:03:00.000Z', 60_000],
    ['2026-11-20T14:03Z', '2026-11-20T14:03:00.000Z', 60_000],
    ['2026-11-20T14:03:05+01:00', '2026-11-20T13:03:05.000Z', 1_000],
    ['2026-11-20T14:03:05.5Z', '2026-11-20T14:03:05.500Z', 1],
    // The day when daylight saving time begins has 23 hours.
    ['2026-10-04', '2026-10-03T14:00:00.000Z', 82_800_000],
    ['0099-01-01T00:00Z', '0099-01-01T00:00:00.000Z', 60_000],
  ])('%s is %s, %i ms long', (text, from, width) => {
    expect(iso(text)).toEqual([from, width])
  })
})

test.each([
  '',
  '2',
  '2y',
  '2026-02-30',
  '2026-13-01',
  '2026-11-20T24:00',
  '2026-11-20T10:60Z',
  '25:00',
  'tomorrow',
  '20261120',
])('%j is not a time', (text) => {
  expect(readTimeSpan(text, NOW)).toBeNull()
})

test.each([
  ['500ms', 500],
  ['90s', 90_000],
  ['10m', 600_000],
  ['1.5h', 5_400_000],
  ['2D', 172_800_000],
  ['1w', 604_800_000],
  ['h', null],
  ['-2h', null],
] as const)('%s lasts %s ms', (text, ms) => {
  expect(readLength(text)).toBe(ms)
})
