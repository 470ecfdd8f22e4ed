import { expect, test } from 'vitest'
import { releaseMemory } from './memory.ts'

test('releases the memory of large bytes', () => {
  const bytes = new Uint8Array(100_000)
  releaseMemory(bytes)
  expect([bytes.byteLength, bytes.buffer.detached]).toEqual([0, true])
})

test('keeps bytes that share their memory with others', () => {
  const whole = new Uint8Array(200_000).fill(7)
  releaseMemory(whole.subarray(0, 100_000))
  expect(whole.every((byte) => byte === 7)).toBe(true)
})

test('leaves small bytes to the garbage collector', () => {
  const bytes = new Uint8Array(1_000)
  releaseMemory(bytes)
  expect(bytes.byteLength).toBe(1_000)
})
