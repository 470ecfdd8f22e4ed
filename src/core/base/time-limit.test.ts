import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withTimeLimit } from './async.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
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
