import { expect, test, vi } from 'vitest'
import { createReloader } from './reloader.ts'

test('a request during a load triggers one more after a pause, and none after the end', async () => {
  vi.useFakeTimers()
  try {
    const ending = new AbortController()
    let readings = 0
    const ask = createReloader(
      async () => {
        readings++
      },
      100,
      ending.signal,
    )
    ask()
    expect(readings).toBe(1)
    ask()
    ask()
    await vi.advanceTimersByTimeAsync(99)
    expect(readings).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(readings).toBe(2)
    ask()
    ending.abort()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(readings).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})
