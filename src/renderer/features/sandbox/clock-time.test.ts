import { expect, test } from 'vitest'
import { aheadWords, clockText, readTime, sandboxNow, untilWords } from './clock-time.ts'

const state = { now: '2026-11-23T12:00:00.000Z', speed: 60, paused: false }

test('between two readings the clock advances at its speed, or stays paused', () => {
  const noon = Date.parse(state.now)
  expect(sandboxNow({ state, readAt: 1_000 }, 2_500) - noon).toBe(90_000)
  expect(sandboxNow({ state: { ...state, paused: true }, readAt: 1_000 }, 9_000)).toBe(noon)
  expect(sandboxNow({ state, readAt: 1_000 }, 500)).toBe(noon)
})

test('times in words', () => {
  expect([0, 400, 4_200, 3_700_000, 2 * 86_400_000].map(untilWords)).toEqual([
    'due now',
    'in 1 s',
    'in 4 s',
    'in 1 h 1 min',
    'in 2 days',
  ])
  expect([200, 3_600_000, -90_000].map(aheadWords)).toEqual([
    'real time',
    '1 h ahead',
    '1 min 30 s behind',
  ])
  expect([72 * 3_600_000 - 800, 53 * 3_600_000].map(aheadWords)).toEqual([
    '3 days ahead',
    '2 days 5 h ahead',
  ])
  expect(clockText(Date.parse(state.now))).toBe('2026-11-23 12:00:00')
})

test('a typed time is UTC unless it has a zone', () => {
  expect(readTime('2026-11-23 12:00')).toBe('2026-11-23T12:00:00.000Z')
  expect(readTime('2026-11-23T12:00:05Z')).toBe('2026-11-23T12:00:05.000Z')
  expect(readTime(' 2026-11-23 12:00:00 UTC')).toBe('2026-11-23T12:00:00.000Z')
  expect(readTime('2026-11-23T12:00+01:00')).toBe('2026-11-23T11:00:00.000Z')
  expect(readTime('2026-11-23')).toBe('2026-11-23T00:00:00.000Z')
  expect(['', 'tomorrow', '2026-13-40', '12:00'].map(readTime)).toEqual([null, null, null, null])
})
