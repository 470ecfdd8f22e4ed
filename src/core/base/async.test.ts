import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { closeAll, createCatchUp, createMutex, withTimeLimit } from './async.ts'
import { throttle } from './throttle.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('closes the last one first, all of them even if some fail, then rejects with the first failure', async () => {
  const closed: string[] = []
  const closer = (name: string, error?: Error) => async () => {
    await Promise.resolve()
    closed.push(name)
    if (error !== undefined) throw error
  }
  const closers = [
    closer('folder'),
    () => {
      closed.push('feed')
      throw new Error('feed')
    },
    closer('store', new Error('store')),
    closer('flows'),
  ]
  await expect(closeAll(closers)).rejects.toThrow('store')
  expect(closed).toEqual(['flows', 'store', 'feed', 'folder'])
  // A second close does nothing.
  await closeAll(closers)
  expect(closed).toHaveLength(4)
})

const LIMIT_MS = 1_000
const never = new Promise<string>(() => undefined)
const tooLate = () => {
  throw new Error('Too late.')
}

test('work that ends in time gives its own result or failure, and no timer is left', async () => {
  expect(await withTimeLimit(LIMIT_MS, Promise.resolve('done'), tooLate)).toBe('done')
  await expect(
    withTimeLimit(LIMIT_MS, Promise.reject(new Error('failed')), () => 'late'),
  ).rejects.toThrow('failed')
  expect(vi.getTimerCount()).toBe(0)
})

test('work that takes longer gives what onLate returns or throws, and not before', async () => {
  const ended: string[] = []
  const resolving = withTimeLimit(LIMIT_MS, never, () => 'late').then((text) => ended.push(text))
  const rejecting = withTimeLimit(LIMIT_MS, never, tooLate).catch((error: unknown) =>
    ended.push(String(error)),
  )
  await vi.advanceTimersByTimeAsync(LIMIT_MS - 1)
  expect(ended).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  await Promise.all([resolving, rejecting])
  expect(ended.toSorted()).toEqual(['Error: Too late.', 'late'])
})

test('a failure after the limit is ignored', async () => {
  const work = Promise.withResolvers<string>()
  const result = withTimeLimit(LIMIT_MS, work.promise, () => 'late')
  await vi.advanceTimersByTimeAsync(LIMIT_MS)
  work.reject(new Error('failed'))
  expect(await result).toBe('late')
})

test('runs one piece of work at a time, in the requested order', async () => {
  const exclusive = createMutex()
  const order: string[] = []
  const piece = (name: string, ms: number) =>
    exclusive(async () => {
      order.push(`${name} begins`)
      await delay(ms)
      order.push(`${name} ends`)
      return name
    })
  expect(await Promise.all([piece('a', 20), piece('b', 1), piece('c', 5)])).toEqual(['a', 'b', 'c'])
  expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

test('failing work rejects for its caller only', async () => {
  const exclusive = createMutex()
  const failed = exclusive(() => Promise.reject(new Error('full')))
  const next = exclusive(() => Promise.resolve('next'))
  await expect(failed).rejects.toThrow('full')
  expect(await next).toBe('next')
})

/** Collects the times at which the work ran, in milliseconds since the start. */
function watched(options: Parameters<typeof throttle>[1] = {}) {
  const startedAt = Date.now()
  const runs: number[] = []
  return { runs, throttled: throttle(() => runs.push(Date.now() - startedAt), options) }
}

test('runs immediately, then once at the end of the interval however often it is requested', () => {
  const { runs, throttled } = watched()
  for (let time = 0; time < 250; time += 10) {
    throttled()
    vi.advanceTimersByTime(10)
  }
  vi.advanceTimersByTime(1_000)
  expect(runs).toEqual([0, 100, 200, 300])
})

test('a flush runs now and starts an interval', () => {
  const { runs, throttled } = watched()
  throttled()
  vi.advanceTimersByTime(30)
  throttled()
  throttled.flush()
  vi.advanceTimersByTime(99)
  throttled()
  vi.advanceTimersByTime(500)
  expect(runs).toEqual([0, 30, 130])
})

test("work that throws doesn't stop later runs", () => {
  let runs = 0
  const throttled = throttle(() => {
    if (++runs === 1) throw new Error('the first')
  })
  expect(throttled).toThrow('the first')
  throttled()
  vi.advanceTimersByTime(100)
  expect(runs).toBe(2)
})

test('two runs are never closer than the interval, and each request is followed by a run within it', () => {
  const first = fc.constantFrom('now', 'next-turn', 'later')
  fc.assert(
    fc.property(
      first,
      fc.integer({ min: 2, max: 200 }),
      fc.array(fc.nat(150), { maxLength: 60 }),
      (when, everyMs, pauses) => {
        const startedAt = Date.now()
        const asked: number[] = []
        const { runs, throttled } = watched({ first: when, everyMs })
        for (const pause of pauses) {
          asked.push(Date.now() - startedAt)
          throttled()
          vi.advanceTimersByTime(pause)
        }
        vi.advanceTimersByTime(everyMs)
        for (const [index, at] of runs.entries())
          if (index > 0) expect(at - runs[index - 1]!).toBeGreaterThanOrEqual(everyMs)
        for (const at of asked)
          expect(runs.some((ran) => ran >= at && ran <= at + everyMs)).toBe(true)
      },
    ),
  )
})

test('a catch-up runs once more for all requests during a run, and not after its close', async () => {
  let runs = 0
  let finish = Promise.withResolvers<void>()
  const work = createCatchUp(() => {
    runs++
    return finish.promise
  })
  const first = work.request()
  await Promise.resolve()
  await Promise.resolve()
  const [second, third] = [work.request(), work.request()]
  finish.resolve()
  finish = Promise.withResolvers()
  await first
  finish.resolve()
  await Promise.all([second, third, work.settled()])
  expect(runs).toBe(2)
  await work.close()
  expect(work.closing.aborted).toBe(true)
  await work.request()
  expect(runs).toBe(2)
})

test('a catch-up that failed is logged and tried again', async () => {
  vi.useRealTimers()
  const reasons: unknown[] = []
  let left = 2
  const work = createCatchUp(
    () => (left-- > 0 ? Promise.reject(new Error(`${left}`)) : Promise.resolve()),
    { log: { warn: (_, fields) => reasons.push(fields) }, warning: 'Retrying.', afterMs: 1 },
  )
  await work.request()
  expect(reasons).toEqual([{ reason: '1' }, { reason: '0' }])
})
