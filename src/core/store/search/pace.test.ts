import { expect, test } from 'vitest'
import { createManualClock } from '../../../../test/support/manual-clock.ts'
import { createPace } from './pace.ts'

/** A clock whose sleeps end immediately and advance time. `onSleep` runs within each. */
function createFastClock(onSleep: (slept: number) => void = () => undefined) {
  let now = 0
  return {
    monotonic: () => now,
    sleep(ms: number) {
      now += ms
      onSleep(now)
      return Promise.resolve()
    },
  }
}

test("doesn't wait while it is calm", async () => {
  const clock = createFastClock()
  const pace = createPace(() => false, clock)
  await pace.rest()
  expect(clock.monotonic()).toBe(0)
})

test('waits while deliveries stream in, but not forever', async () => {
  const clock = createFastClock(() => {
    pace.came(1)
  })
  const pace = createPace(() => false, clock)
  pace.came(1)
  await pace.rest()
  expect(clock.monotonic()).toBe(500)
})

test('continues soon after the last one, and waits for commits in progress', async () => {
  let busyUntil = 0
  const clock = createFastClock()
  const pace = createPace(() => clock.monotonic() < busyUntil, clock)
  pace.came(3)
  await pace.rest()
  expect(clock.monotonic()).toBe(40)
  busyUntil = 140
  await pace.rest()
  expect(clock.monotonic()).toBe(140)
})

test('stopping ends all waiting', async () => {
  const clock = createManualClock()
  const pace = createPace(() => true, clock)
  const waiting = pace.rest()
  expect(clock.waits()).toEqual([10])
  pace.stop()
  await waiting
  await pace.rest()
  expect(clock.waits()).toEqual([])
})
