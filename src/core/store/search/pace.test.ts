import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createPace } from './pace.ts'

const timed = async (work: Promise<void>) => {
  const from = performance.now()
  await work
  return performance.now() - from
}

test('while it is calm there is nothing to wait for', async () => {
  const pace = createPace(() => false)
  expect(pace.isCalm()).toBe(true)
  expect(await timed(pace.rest())).toBeLessThan(400)
})

test('while deliveries stream in it waits, though not for ever', async () => {
  const pace = createPace(() => false)
  const stream = setInterval(() => {
    pace.came(1)
  }, 5)
  pace.came(1)
  expect(pace.isCalm()).toBe(false)
  const waited = await timed(pace.rest())
  clearInterval(stream)
  expect(waited).toBeGreaterThan(400)
  expect(waited).toBeLessThan(5_000)
})

test('it goes on soon after the last one, and waits for commits under way', async () => {
  let busy = false
  const pace = createPace(() => busy)
  pace.came(3)
  expect(await timed(pace.rest())).toBeLessThan(400)
  busy = true
  expect(pace.isCalm()).toBe(false)
  const resting = pace.rest()
  await delay(40)
  busy = false
  expect(await timed(resting)).toBeLessThan(400)
})

test('ending it ends all waiting', async () => {
  const pace = createPace(() => true)
  const waiting = Promise.all([pace.rest(), pace.pause(60_000)])
  pace.stop()
  await waiting
  expect(await timed(pace.pause(60_000))).toBeLessThan(400)
})
