import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { SandboxClock } from '../sandbox/clock.ts'
import type { RunHook } from './run-hooks.ts'
import { Attempts, HeldResponses } from './held-responses.ts'
import { RunTime } from './run-time.ts'
import { Changes } from './changes.ts'

const { signal } = new AbortController()

function start() {
  const wall = createManualClock()
  const clock = new SandboxClock(wall, undefined, () => Promise.resolve())
  const changes = new Changes()
  let busy = false
  const time = new RunTime({
    wall,
    service: { clock, nextDue: () => null, isBusy: () => busy },
    changes,
  })
  return {
    wall,
    clock,
    changes,
    time,
    setBusy(is: boolean) {
      busy = is
      changes.note()
    },
  }
}

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

test("at 60× an hour takes a minute, whatever happens meanwhile, and a pause doesn't count", async () => {
  const { wall, changes, time } = start()
  await time.setSpeed(60)
  const began = time.now()
  const reached = (async () => {
    while ((await time.next(began + 3_600_000, changes.count(), signal)) !== 'deadline');
    return time.now()
  })()
  await wall.advance(40_000)
  changes.note()
  await time.pause()
  await wall.advance(5_000)
  expect(time.now()).toBe(began + 2_400_000)
  await time.resume()
  await wall.advance(20_000)
  expect([await reached, wall.now()]).toEqual([began + 3_600_000, began + 65_000])
})

test('with a real account the clock is the wall clock, which nothing stops', async () => {
  const wall = createManualClock()
  const changes = new Changes()
  const time = new RunTime({ wall, service: null, changes })
  await time.setSpeed('max')
  await time.pause()
  const waiting = time.next(wall.now() + 1_000, 0, signal)
  changes.note()
  expect(await waiting).toBe('changed')
  const late = time.next(wall.now() + 1_000, 1, signal)
  await wall.advance(1_000)
  expect(await late).toBe('changed')
  expect(await time.next(wall.now(), 1, signal)).toBe('deadline')
})

test('an attempt without a response times out after 20 seconds of the clock, which jumps by the rest if the run is sped up', async () => {
  const { wall, clock, time } = start()
  await time.setSpeed(1)
  const attempts = new Attempts()
  const held = new HeldResponses({
    clock,
    attempts,
    answerNext: () => Promise.resolve(),
    over: signal,
  })
  const hook: RunHook = {
    name: 'slow',
    id: 'slow',
    event: 'card.linked',
    url: 'https://127.0.0.1/slow',
    declared: {
      id: 'slow',
      event: 'card.linked',
      answers: { failFirst: 0, failStatus: 500, holdFirst: 0, inTurn: ['timeout', 'timeout'] },
    },
  }
  const [first, other] = [attempts.begin(hook.url), attempts.begin('https://127.0.0.1/other')]
  await held.noteArrival(hook, { leaps: false })
  await wall.advance(19_999)
  expect(first.aborted).toBe(false)
  await wall.advance(1)
  expect(first.aborted).toBe(true)

  const second = attempts.begin(hook.url)
  const began = clock.now()
  await held.noteArrival(hook, { leaps: false })
  await wall.advance(15_000)
  await held.leap()
  expect([clock.now() - began, second.aborted]).toEqual([20_000, true])
  // The wait is over, and no later attempt or other hook is cut short.
  const third = attempts.begin(hook.url)
  await wall.advance(60_000)
  expect([third.aborted, other.aborted]).toEqual([false, false])
})
