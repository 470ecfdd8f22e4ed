import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { createSandboxClock } from '../sandbox/clock.ts'
import { createChanges, createAccountTime, createSandboxTime } from './service.ts'

const signal = new AbortController().signal

function start() {
  const wall = createManualClock()
  const clock = createSandboxClock(wall, undefined, () => Promise.resolve())
  const changes = createChanges()
  const due: number[] = []
  let busy = false
  const time = createSandboxTime(
    { clock, nextDue: () => due.find((at) => at > clock.now()) ?? null, isBusy: () => busy },
    changes,
  )
  /** Waits for a moment of sandbox time through any number of changes. */
  const reach = async (deadline: number) => {
    while ((await time.next(deadline, changes.count(), signal)) !== 'deadline');
    return { business: time.now(), wall: wall.now() }
  }
  return {
    wall,
    changes,
    time,
    reach,
    due,
    setBusy(is: boolean) {
      busy = is
      changes.note()
    },
  }
}

test("at real speed a minute doesn't drift, whatever happens meanwhile", async () => {
  const { wall, changes, time, reach } = start()
  await time.setSpeed(1)
  const began = wall.now()
  const reached = reach(time.now() + 60_000)
  // Uneven intervals, each with something that wakes the waiter.
  for (let left = 60_000, turn = 1; left > 0; turn++) {
    const piece = Math.min(left, (turn * 7919) % 997)
    left -= piece
    changes.note()
    await wall.advance(piece)
  }
  expect(await reached).toEqual({ business: began + 60_000, wall: began + 60_000 })
})

test('at 60× an hour takes a minute', async () => {
  const { wall, time, reach } = start()
  await time.setSpeed(60)
  const began = time.now()
  const reached = reach(began + 3_600_000)
  await wall.advance(60_000)
  expect(await reached).toEqual({ business: began + 3_600_000, wall: wall.now() })
})

test('as fast as possible the clock jumps from event to event without real time passing', async () => {
  const { wall, time, reach, due } = start()
  await time.setSpeed('max')
  const began = time.now()
  due.push(began + 1_000, began + 172_800_000)
  const seen: number[] = []
  while ((await time.next(began + 259_200_000, 0, signal)) !== 'deadline')
    seen.push(time.now() - began)
  expect(seen).toEqual([1_000, 172_800_000, 259_200_000])
  expect(await reach(began + 259_200_000)).toEqual({
    business: began + 259_200_000,
    wall: wall.now(),
  })
  expect(wall.now()).toBe(began)
})

test("the clock doesn't jump while anything is in progress or the run is paused", async () => {
  const { time, setBusy, changes } = start()
  await time.setSpeed('max')
  const began = time.now()
  setBusy(true)
  const waiting = time.next(began + 1_000, changes.count(), signal)
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(time.now()).toBe(began)
  setBusy(false)
  expect(await waiting).toBe('changed')
  await time.pause()
  const paused = time.next(began + 1_000, changes.count(), signal)
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(time.now()).toBe(began)
  await time.resume()
  expect(await paused).toBe('changed')
  await time.next(began + 1_000, changes.count(), signal)
  expect(time.now()).toBe(began + 1_000)
})

test("a pause at a finite speed stops the clock, and the pause doesn't count", async () => {
  const { wall, time, reach } = start()
  await time.setSpeed(1)
  const began = time.now()
  const reached = reach(began + 1_000)
  await wall.advance(400)
  await time.pause()
  await wall.advance(5_000)
  expect(time.now()).toBe(began + 400)
  await time.resume()
  await wall.advance(600)
  expect(await reached).toEqual({ business: began + 1_000, wall: began + 6_000 })
})

test('with a real account the clock is the wall clock', async () => {
  const wall = createManualClock()
  const changes = createChanges()
  const time = createAccountTime(wall, changes)
  const waiting = time.next(wall.now() + 1_000, 0, signal)
  changes.note()
  expect(await waiting).toBe('changed')
  const late = time.next(wall.now() + 1_000, 1, signal)
  await wall.advance(1_000)
  expect(await late).toBe('changed')
  expect(await time.next(wall.now(), 1, signal)).toBe('deadline')
})
