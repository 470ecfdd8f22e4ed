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
  gaps.list().map(({ from, to, received, announced }) => ({
    from: (Date.parse(from) - START) / MINUTE,
    to: (Date.parse(to) - START) / MINUTE,
    received,
    announced,
  }))

test('a sleep that no system announces is noticed afterwards; a busy computer and a changed clock are ignored', async () => {
  awake(2 * MINUTE)
  gaps.received()
  asleep(40_000)
  vi.advanceTimersByTime(5_000)
  wall += 3_600_000
  awake(MINUTE)
  expect(shown()).toEqual([])

  wall = START
  awake(MINUTE)
  asleep(30 * MINUTE)
  vi.advanceTimersByTime(5_000)
  await vi.waitFor(() => {
    expect(wakes).toBe(1)
  })
  expect(shown()).toEqual([{ from: 1, to: 31, received: 0, announced: false }])
  expect(changes).toHaveLength(1)
  // The system may say afterwards that it woke up.
  await gaps.resumed()
  expect(shown()).toHaveLength(1)
  stop()
  asleep(30 * MINUTE)
  vi.advanceTimersByTime(5_000)
  expect(shown()).toHaveLength(1)
})

test('an announced sleep is stored once, with the number of deliveries that arrived in it', async () => {
  awake(MINUTE)
  gaps.received()
  gaps.suspended()
  gaps.suspended()
  gaps.received()
  asleep(10 * MINUTE)
  gaps.received()
  vi.advanceTimersByTime(5_000)
  await gaps.resumed()
  await vi.waitFor(() => {
    expect(shown()).toEqual([{ from: 1, to: 11, received: 2, announced: true }])
  })
  gaps.suspended()
  asleep(MINUTE / 2)
  await gaps.resumed()
  expect(shown()[0]).toEqual({ from: 11, to: 11.5, received: 0, announced: true })
})

test('an announced sleep that did not happen leaves no gap of hours', async () => {
  gaps.suspended()
  awake(60 * MINUTE)
  asleep(10 * MINUTE)
  await gaps.resumed()
  expect(shown()).toEqual([{ from: 60, to: 70, received: 0, announced: true }])
})
