import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchSleep } from './system-clock.ts'

const START = Date.UTC(2026, 10, 23, 9, 30)
const MINUTE = 60_000

let wall: number
let up: number
let logged: unknown[]
let wakes: number
let watch: ReturnType<typeof watchSleep>

beforeEach(() => {
  wall = START
  up = 1_000
  logged = []
  wakes = 0
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  watch = watchSleep({
    clock: { now: () => wall, uptime: () => up },
    log: { info: (_message, fields) => logged.push(fields) },
    onWoke: () => (wakes += 1),
  })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Lets the clocks continue without timers, as if the computer slept. */
const asleep = (ms: number) => {
  wall += ms
  up += ms
}
const awake = (ms: number) => {
  for (let left = ms; left > 0; left -= 5_000) {
    asleep(5_000)
    vi.advanceTimersByTime(5_000)
  }
}

test('a sleep that no system announces is noticed afterwards; a busy computer and a changed clock are ignored', () => {
  awake(2 * MINUTE)
  asleep(40_000)
  vi.advanceTimersByTime(5_000)
  wall += 3_600_000
  awake(MINUTE)
  expect([logged, wakes]).toEqual([[], 0])

  wall = START
  awake(MINUTE)
  asleep(30 * MINUTE)
  vi.advanceTimersByTime(5_000)
  const gap = { from: '2026-11-23T09:31:00.000Z', to: '2026-11-23T10:01:00.000Z' }
  expect([logged, wakes]).toEqual([[gap], 1])
  // The system may report afterwards that it woke up.
  watch.resumed()
  expect([logged, wakes]).toEqual([[gap], 2])
  watch.close()
  asleep(30 * MINUTE)
  vi.advanceTimersByTime(5_000)
  expect(logged).toHaveLength(1)
})

test('an announced end of a sleep is logged once', () => {
  asleep(10 * MINUTE)
  watch.resumed()
  vi.advanceTimersByTime(5_000)
  expect([logged, wakes]).toEqual([
    [{ from: '2026-11-23T09:30:00.000Z', to: '2026-11-23T09:40:00.000Z' }],
    1,
  ])
})
