import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Gap } from '../../shared/model/status.ts'
import { storeInFolder } from '../../../test/support/in-folder.ts'
import { type Gaps, openGaps } from './gaps.ts'

const START = Date.UTC(2026, 10, 23, 9, 30)
const MINUTE = 60_000

let wall: number
let up: number
let gaps: Gaps
let changes: (readonly Gap[])[]
let wakes: number
let stop: () => void

beforeEach(async () => {
  wall = START
  up = 1_000
  changes = []
  wakes = 0
  gaps = await openGaps({
    store: await storeInFolder(),
    clock: { now: () => wall, monotonic: () => 0, uptime: () => up },
    log: { info: () => undefined, warn: () => undefined, bug: () => '' },
    onChanged: (changed) => changes.push(changed),
  })
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  stop = gaps.watch(() => (wakes += 1))
})
afterEach(() => {
  vi.useRealTimers()
})

/** The computer sleeps: no timer runs, the clocks continue. */
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
const shown = () =>
  gaps.list().map(({ from, to, afterSeq, announced }) => ({
    from: (Date.parse(from) - START) / MINUTE,
    to: (Date.parse(to) - START) / MINUTE,
    afterSeq,
    announced,
  }))

test('a sleep that no system announces is noticed afterwards; a busy computer and a changed clock are ignored', async () => {
  awake(2 * MINUTE)
  asleep(40_000)
  vi.advanceTimersByTime(5_000)
  wall += 3_600_000
  gaps.received(1)
  wall -= 3_600_000
  gaps.received(2)
  awake(MINUTE)
  expect(shown()).toEqual([])

  wall = START
  awake(MINUTE)
  asleep(30 * MINUTE)
  vi.advanceTimersByTime(5_000)
  await vi.waitFor(() => {
    expect(wakes).toBe(1)
  })
  expect(shown()).toEqual([{ from: 1, to: 31, afterSeq: 0, announced: false }])
  expect(changes).toHaveLength(1)
  // The system may say afterwards that it woke up.
  await gaps.resumed()
  expect(shown()).toHaveLength(1)
  stop()
  asleep(30 * MINUTE)
  vi.advanceTimersByTime(5_000)
  expect(shown()).toHaveLength(1)
})

test('a gap contains no delivery: it begins after the last one and ends with the first', async () => {
  awake(MINUTE)
  asleep(500)
  gaps.received(1)
  asleep(2_500)
  gaps.received(2)
  asleep(3_000)
  gaps.suspended()
  asleep(500)
  gaps.received(3)
  const now = () => (wall - START) / MINUTE
  const from = now()
  // The computer is awake for a moment, in which a delivery arrives.
  asleep(10 * MINUTE)
  gaps.received(4)
  const between = now()
  asleep(10 * MINUTE)
  await gaps.resumed()
  await vi.waitFor(() => {
    expect(shown()).toEqual([
      { from: between, to: now(), afterSeq: 0, announced: true },
      { from, to: between, afterSeq: 3, announced: true },
    ])
  })
  expect(wakes).toBe(1)
})

test('an announced sleep is stored once, also if the process notices the end before the system says so', async () => {
  gaps.suspended()
  gaps.suspended()
  asleep(10 * MINUTE)
  vi.advanceTimersByTime(5_000)
  await gaps.resumed()
  await vi.waitFor(() => {
    expect(shown()).toEqual([{ from: 0, to: 10, afterSeq: 0, announced: true }])
  })
  gaps.suspended()
  asleep(MINUTE / 2)
  await gaps.resumed()
  expect(shown()[0]).toEqual({ from: 10, to: 10.5, afterSeq: 0, announced: true })
})

test('an announced sleep that did not happen leaves no gap of hours', async () => {
  gaps.suspended()
  awake(60 * MINUTE)
  asleep(10 * MINUTE)
  await gaps.resumed()
  expect(shown()).toEqual([{ from: 60, to: 70, afterSeq: 0, announced: true }])
})
