import { expect, test } from 'vitest'
import { createManualClock } from '../../../../test/support/manual-clock.ts'
import { createPace } from './pace.ts'

/** A clock on which a sleep is over at once, and time has passed. `onSleep` runs within each. */
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

test('while it is calm there is nothing to wait for', async () => {
  const clock = createFastClock()
  const pace = createPace(() => false, clock)
  expect(pace.isCalm()).toBe(true)
  await pace.rest()
  expect(clock.monotonic()).toBe(0)
})

test('while deliveries stream in it waits, though not for ever', async () => {
  const clock = createFastClock(() => {
    pace.came(1)
  })
  const pace = createPace(() => false, clock)
  pace.came(1)
  expect(pace.isCalm()).toBe(false)
  await pace.rest()
  expect(clock.monotonic()).toBe(500)
})

test('it goes on soon after the last one, and waits for commits under way', async () => {
  let busyUntil = 0
  const clock = createFastClock()
  const pace = createPace(() => clock.monotonic() < busyUntil, clock)
  pace.came(3)
  await pace.rest()
  expect(clock.monotonic()).toBe(40)
  busyUntil = 140
  expect(pace.isCalm()).toBe(false)
  await pace.rest()
  expect(clock.monotonic()).toBe(140)
})

test('ending it ends all waiting', async () => {
  const clock = createManualClock()
  const pace = createPace(() => true, clock)
  const waiting = Promise.all([pace.rest(), pace.pause(60_000)])
  expect(clock.waits()).toEqual([10, 60_000])
  pace.stop()
  await waiting
  await pace.pause(60_000)
  expect(clock.waits()).toEqual([])
})
