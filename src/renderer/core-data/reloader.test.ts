import { expect, test, vi } from 'vitest'
import { createReloader } from './reloader.ts'

test('requests during a load trigger one more, after a pause', async () => {
  vi.useFakeTimers()
  try {
    let readings = 0
    const ask = createReloader(async () => {
      readings++
    }, 100)
    ask()
    expect(readings).toBe(1)
    ask()
    ask()
    await vi.advanceTimersByTimeAsync(99)
    expect(readings).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(readings).toBe(2)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(readings).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})

test('slow loads are repeated for at most a tenth of the time', async () => {
  vi.useFakeTimers()
  try {
    let readings = 0
    const ask = createReloader(() => {
      readings++
      return new Promise((resolve) => setTimeout(resolve, 1_000))
    }, 100)
    for (let passed = 0; passed < 60_000; passed += 100) {
      ask()
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(readings).toBe(6)
  } finally {
    vi.useRealTimers()
  }
})
