import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { throttle } from './async.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Times at which the work ran, in milliseconds since the start. */
function watched(options: Parameters<typeof throttle>[1] = {}) {
  const startedAt = Date.now()
  const runs: number[] = []
  return { runs, throttled: throttle(() => runs.push(Date.now() - startedAt), options) }
}

test('runs immediately, then once at the end of the interval however often it is requested', () => {
  const { runs, throttled } = watched()
  for (let time = 0; time < 250; time += 10) {
    throttled()
    vi.advanceTimersByTime(10)
  }
  vi.advanceTimersByTime(1_000)
  expect(runs).toEqual([0, 100, 200, 300])
})

test('runs immediately again after a quiet interval', () => {
  const { runs, throttled } = watched()
  throttled()
  vi.advanceTimersByTime(150)
  throttled()
  expect(runs).toEqual([0, 150])
})

test('a flush runs now and starts an interval', () => {
  const { runs, throttled } = watched()
  throttled()
  vi.advanceTimersByTime(30)
  throttled()
  throttled.flush()
  vi.advanceTimersByTime(99)
  throttled()
  vi.advanceTimersByTime(500)
  expect(runs).toEqual([0, 30, 130])
})

test('once stopped, nothing runs', () => {
  const { runs, throttled } = watched()
  throttled()
  throttled()
  throttled.stop()
  throttled()
  throttled.flush()
  vi.advanceTimersByTime(1_000)
  expect(runs).toEqual([0])
})

test("work that throws doesn't stop later runs", () => {
  let runs = 0
  const throttled = throttle(() => {
    if (++runs === 1) throw new Error('the first')
  })
  expect(throttled).toThrow('the first')
  throttled()
  vi.advanceTimersByTime(100)
  expect(runs).toBe(2)
})

test('two runs are never closer than the interval, and each request is followed by a run within it', () => {
  const first = fc.constantFrom('now', 'next-turn', 'later')
  fc.assert(
    fc.property(
      first,
      fc.integer({ min: 2, max: 200 }),
      fc.array(fc.nat(150), { maxLength: 60 }),
      (when, everyMs, pauses) => {
        const startedAt = Date.now()
        const asked: number[] = []
        const { runs, throttled } = watched({ first: when, everyMs })
        for (const pause of pauses) {
          asked.push(Date.now() - startedAt)
          throttled()
          vi.advanceTimersByTime(pause)
        }
        vi.advanceTimersByTime(everyMs)
        for (const [index, at] of runs.entries())
          if (index > 0) expect(at - runs[index - 1]!).toBeGreaterThanOrEqual(everyMs)
        for (const at of asked)
          expect(runs.some((ran) => ran >= at && ran <= at + everyMs)).toBe(true)
      },
    ),
  )
})
