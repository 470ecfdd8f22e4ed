import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSystemClock } from './system-clock.ts'

let wall: number
beforeEach(() => {
  vi.useFakeTimers()
  wall = 1_000_000
})
afterEach(() => {
  vi.useRealTimers()
})

function sleeping(clock: ReturnType<typeof createSystemClock>, ms: number, signal?: AbortSignal) {
  const state = { ended: false }
  void clock.sleep(ms, signal).then(() => (state.ended = true))
  return state
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('after the computer slept, due waits end at once, and the others when they are due', async () => {
  const clock = createSystemClock(() => wall)
  const [due, later] = [sleeping(clock, 60_000), sleeping(clock, 3_600_000)]
  // The computer sleeps for half an hour: timers stop, the wall clock doesn't.
  wall += 1_800_000
  await pass(1_000)
  expect([due.ended, later.ended]).toEqual([false, false])
  clock.woke()
  await pass(0)
  expect([due.ended, later.ended]).toEqual([true, false])
  await pass(1_799_999)
  expect(later.ended).toBe(false)
  await pass(1)
  expect(later.ended).toBe(true)
})

test('a wall clock that was set back makes nothing later', async () => {
  const clock = createSystemClock(() => wall)
  const sleep = sleeping(clock, 60_000)
  wall -= 86_400_000
  clock.woke()
  await pass(60_000)
  expect(sleep.ended).toBe(true)
})

test('an aborted sleep ends at once, and leaves no timer', async () => {
  const clock = createSystemClock(() => wall)
  const stop = new AbortController()
  const sleeps = [
    sleeping(clock, 60_000, stop.signal),
    sleeping(clock, 60_000, AbortSignal.abort()),
  ]
  stop.abort()
  await pass(0)
  expect(sleeps.map(({ ended }) => ended)).toEqual([true, true])
  expect(vi.getTimerCount()).toBe(0)
})

test('a sleep longer than the longest timer does not end at once', async () => {
  const clock = createSystemClock(() => wall)
  const sleep = sleeping(clock, Number.MAX_SAFE_INTEGER)
  await pass(86_400_000)
  expect(sleep.ended).toBe(false)
})
