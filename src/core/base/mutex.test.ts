import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createMutex } from './async.ts'

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
