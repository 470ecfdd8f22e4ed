import { expect, test } from 'vitest'
import { HeldBodies } from './held-bodies.ts'

const KIBIBYTE = 1_024
const chunk = (kibibytes: number, value = 1) => new Uint8Array(kibibytes * KIBIBYTE).fill(value)

function begin(bodies: HeldBodies, expected: number | null = null) {
  let refused = false
  const body = bodies.begin(expected, () => (refused = true))
  return Object.assign(body, { isRefused: () => refused })
}

test.each([null, 300 * KIBIBYTE])(
  "a body's chunks form its bytes (expected size: %s)",
  (expected) => {
    const body = begin(new HeldBodies(() => 1_000 * KIBIBYTE), expected)
    const chunks = Array.from({ length: 30 }, (_, index) => chunk(10, index))
    for (const one of chunks) body.add(one)
    expect(Buffer.from(body.finish()).equals(Buffer.concat(chunks))).toBe(true)
  },
)

test('the newest incomplete body makes room for an older one', () => {
  const bodies = new HeldBodies(() => 300 * KIBIBYTE)
  const older = begin(bodies)
  const newer = begin(bodies)
  older.add(chunk(100))
  newer.add(chunk(150))
  older.add(chunk(100))
  expect([older.isRefused(), newer.isRefused()]).toEqual([false, true])
  expect(older.finish().length).toBe(200 * KIBIBYTE)
})

test('a body larger than the remaining space is itself rejected, and leaves its space to the next', () => {
  const bodies = new HeldBodies(() => 300 * KIBIBYTE)
  const older = begin(bodies)
  older.add(chunk(200))
  const newest = begin(bodies)
  newest.add(chunk(90))
  newest.add(chunk(90))
  expect([older.isRefused(), newest.isRefused()]).toEqual([false, true])
  const next = begin(bodies)
  next.add(chunk(90))
  expect(next.isRefused()).toBe(false)
})

test('a complete body is never rejected, and keeps its space until released', () => {
  const bodies = new HeldBodies(() => 300 * KIBIBYTE)
  const whole = begin(bodies)
  whole.add(chunk(250))
  whole.finish()
  const refused = begin(bodies)
  refused.add(chunk(100))
  expect([whole.isRefused(), refused.isRefused()]).toEqual([false, true])
  whole.release()
  const next = begin(bodies)
  next.add(chunk(250))
  expect(next.isRefused()).toBe(false)
})

test('small bodies always fit', () => {
  const bodies = new HeldBodies(() => 100 * KIBIBYTE)
  const large = begin(bodies)
  large.add(chunk(100))
  const small = Array.from({ length: 100 }, () => begin(bodies))
  for (const one of small) one.add(chunk(64))
  expect([large, ...small].some((one) => one.isRefused())).toBe(false)
})
