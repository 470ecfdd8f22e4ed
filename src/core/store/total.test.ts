import { expect, test } from 'vitest'
import { createTotal } from './total.ts'

test("is an estimate until counted, and deletions in the meantime aren't counted twice", async () => {
  const counts = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
  let asked = 0
  const total = createTotal({
    newest: 1_000,
    known: null,
    count: () => counts[asked++]?.promise ?? Promise.reject(new Error('counted too often')),
    onCorrected: () => undefined,
  })
  expect(total.now()).toBe(1_000)
  const counted = total.counted()
  total.stored(5)
  await total.moving(-1, () => Promise.resolve([1, 2, 1_003]))
  // Counted before the first two were hidden, so not usable.
  counts[0]?.resolve(900)
  await expect.poll(() => asked).toBe(2)
  counts[1]?.resolve(898)
  expect(await counted).toBe(898 + 4)
  await total.moving(1, () => Promise.resolve([2]))
  expect(total.now()).toBe(898 + 4 + 1)
})

test('is counted again by the next caller if it failed', async () => {
  let fails = true
  const count = () => (fails ? Promise.reject(new Error('no reader')) : Promise.resolve(7))
  const total = createTotal({ newest: 10, known: null, count, onCorrected: () => undefined })
  await expect(total.counted()).rejects.toThrow('no reader')
  fails = false
  expect(await total.counted()).toBe(7)
})
