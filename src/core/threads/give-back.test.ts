import { expect, test } from 'vitest'
import { giveBack } from './give-back.ts'

test('the memory of large bytes is given back', () => {
  const bytes = new Uint8Array(100_000)
  giveBack(bytes)
  expect([bytes.byteLength, bytes.buffer.detached]).toEqual([0, true])
})

test('bytes that share their memory with others are left alone', () => {
  const whole = new Uint8Array(200_000).fill(7)
  giveBack(whole.subarray(0, 100_000))
  expect(whole.every((byte) => byte === 7)).toBe(true)
})

test('small bytes are left to the collector', () => {
  const bytes = new Uint8Array(1_000)
  giveBack(bytes)
  expect(bytes.byteLength).toBe(1_000)
})
