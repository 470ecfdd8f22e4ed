import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { SandboxClock, type ClockRecord } from './clock.ts'

const HOUR = 3_600_000

function start(kept?: ClockRecord) {
  const wall = createManualClock()
  const records: ClockRecord[] = []
  const clock = new SandboxClock(wall, kept, (record) => {
    records.push(record)
    return Promise.resolve()
  })
  const began = clock.now()
  return { wall, clock, records, passed: () => clock.now() - began }
}

function watch(sleep: Promise<void>): { ended: boolean } {
  const watched = { ended: false }
  void sleep.then(() => {
    watched.ended = true
  })
  return watched
}

test('equals the wall clock until it is changed', async () => {
  const { wall, clock, passed } = start()
  expect(clock.now()).toBe(wall.now())
  await wall.advance(5_000)
  expect(passed()).toBe(5_000)
  expect(clock.state()).toEqual({
    now: new Date(wall.now()).toISOString(),
    speed: 1,
    paused: false,
  })
})

test('speed, jump, pause and resume', async () => {
  const { wall, clock, passed } = start()
  await clock.setSpeed(60)
  await wall.advance(1_000)
  expect(passed()).toBe(60_000)
  await clock.pause()
  await wall.advance(10_000)
  expect(passed()).toBe(60_000)
  await clock.jump(HOUR)
  expect(passed()).toBe(60_000 + HOUR)
  await clock.resume()
  await wall.advance(1_000)
  expect(passed()).toBe(120_000 + HOUR)
  await clock.set(clock.now() + HOUR)
  expect(passed()).toBe(120_000 + 2 * HOUR)
  await clock.reset()
  expect(clock.now()).toBe(wall.now())
})

test('a sleep follows every change', async () => {
  const { wall, clock } = start()
  const sleep = watch(clock.sleepUntil(clock.now() + 2 * HOUR))
  await wall.advance(HOUR)
  expect(sleep.ended).toBe(false)
  await clock.pause()
  await wall.advance(10 * HOUR)
  expect(sleep.ended).toBe(false)
  await clock.resume()
  await clock.setSpeed(3_600)
  await wall.advance(999)
  expect(sleep.ended).toBe(false)
  await wall.advance(1)
  expect(sleep.ended).toBe(true)
})

test("continues if the computer's clock is set back, also while Countersign isn't running", async () => {
  const { wall, clock, records, passed } = start()
  await clock.setSpeed(60)
  const sleep = watch(clock.sleepUntil(clock.now() + 60 * HOUR))
  await wall.advance(HOUR / 2)
  expect(passed()).toBe(30 * HOUR)
  wall.step(-24 * HOUR)
  expect(passed()).toBe(30 * HOUR)
  await wall.advance(HOUR / 2)
  expect([sleep.ended, passed()]).toEqual([true, 60 * HOUR])
  const { now, sleep: wait } = wall
  const restarted = new SandboxClock(
    { now: () => now() - 24 * HOUR, sleep: wait },
    records.at(-1),
    () => Promise.resolve(),
  )
  const began = restarted.now()
  expect(began).toBe(records.at(-1)?.time)
  await wall.advance(1_000)
  expect(restarted.now() - began).toBe(60_000)
})

test('a jump wakes due sleepers, even while paused', async () => {
  const { wall, clock } = start()
  const [short, long] = [
    watch(clock.sleepUntil(clock.now() + HOUR)),
    watch(clock.sleepUntil(clock.now() + 3 * HOUR)),
  ]
  await clock.pause()
  await clock.jump(2 * HOUR)
  await wall.advance(0)
  expect([short.ended, long.ended]).toEqual([true, false])
})

test('an abort ends a sleep, running or paused', async () => {
  const { wall, clock } = start()
  const stop = new AbortController()
  const running = watch(clock.sleepUntil(clock.now() + HOUR, stop.signal))
  await clock.pause()
  const paused = watch(clock.sleepUntil(clock.now() + HOUR, stop.signal))
  await wall.advance(0)
  stop.abort()
  await wall.advance(0)
  expect([running.ended, paused.ended]).toEqual([true, true])
})

test('is stored, and continues from its last time after a restart', async () => {
  const { wall, clock, records } = start()
  await clock.jump(HOUR)
  await clock.setSpeed(2)
  const again = new SandboxClock(wall, records.at(-1), () => Promise.resolve())
  await wall.advance(1_000)
  expect(again.now()).toBe(clock.now())
  expect(again.state().speed).toBe(2)
})

test.each([0, -1, Number.NaN, 100_001])('a speed of %d is rejected', async (speed) => {
  await expect(start().clock.setSpeed(speed)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
})

test("doesn't go back", async () => {
  const { clock } = start()
  await expect(clock.set(clock.now() - 1)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  await expect(clock.jump(-1)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
})

test('a sleeper wakes when the clock is set to its time and paused there', async () => {
  let tick = Date.UTC(2026, 10, 20)
  const sleep = (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      signal?.addEventListener('abort', () => {
        resolve()
      })
    })
  const clock = new SandboxClock({ now: () => tick++, sleep }, undefined, () => Promise.resolve())
  const moment = clock.now() + HOUR
  const waiting = clock.sleepUntil(moment)
  await clock.pause()
  await clock.set(moment)
  await waiting
  expect(clock.now()).toBe(moment)
})

test("doesn't pass the year 9000, when times no longer fit", async () => {
  const { wall, clock } = start()
  await expect(clock.jump(99_999_999_999 * 24 * HOUR)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  })
  await expect(clock.set(Date.UTC(10_000))).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  expect(clock.now()).toBe(wall.now())
  await clock.set(Date.UTC(9_000) - 1)
  await clock.setSpeed(100_000)
  await wall.advance(HOUR)
  expect(clock.state().now).toBe('9000-01-01T00:00:00.000Z')
})

test('a stored clock beyond that stops at the end', () => {
  const { clock } = start({ id: 'clock', time: 8.64e15 * 2, wall: 0, speed: 1, paused: true })
  expect(clock.state().now).toBe('9000-01-01T00:00:00.000Z')
})
