/** What is written down of how far a job may have come, and when a send may go. */
import { expect, test } from 'vitest'
import { createReach } from './reach.ts'

/** A reach whose writes end when they are told to. */
function reachFrom(from: number, ahead: number) {
  const writes: { place: number; done: () => void; fail: () => void }[] = []
  const reach = createReach({
    from,
    ahead: () => ahead,
    write: (place) =>
      new Promise((resolve, reject) => {
        writes.push({
          place,
          done: resolve,
          fail: () => {
            reject(new Error('full'))
          },
        })
      }),
  })
  return { reach, writes, places: () => writes.map(({ place }) => place) }
}

const isOver = (promise: Promise<void> | null) =>
  promise === null ? true : Promise.race([promise.then(() => true), new Promise((resolve) => setImmediate(resolve, false))])

test('a send waits until it is written down that it may go', async () => {
  const { reach, writes } = reachFrom(0, 0)
  const first = reach.before(1)
  expect(await isOver(first)).toBe(false)
  writes[0]?.done()
  expect(await isOver(first)).toBe(true)
})

test('those that it was written ahead for go at once, and the next piece is written before they are used up', async () => {
  const { reach, writes, places } = reachFrom(0, 8)
  const first = reach.before(1)
  const second = reach.before(2)
  expect(places()).toEqual([9])
  expect([await isOver(first), await isOver(second)]).toEqual([false, false])
  writes[0]?.done()
  await Promise.all([first, second])
  expect([3, 4, 5, 6, 7].map((place) => reach.before(place))).toEqual([null, null, null, null, null])
  expect(places()).toEqual([9])
  expect(reach.before(8)).toBe(null)
  expect(places()).toEqual([9, 16])
  expect(await isOver(reach.before(10))).toBe(false)
})

test('at the end it is written down how far the job has really come', async () => {
  const { reach, writes, places } = reachFrom(4, 8)
  const first = reach.before(5)
  writes[0]?.done()
  await first
  reach.goes(5)
  const closed = reach.close()
  expect(places()).toEqual([13, 5])
  writes[1]?.done()
  await closed
  await reachFrom(4, 8).reach.close()
})

test('where that cannot be written, the send hears of it, and the next one tries again', async () => {
  const { reach, writes, places } = reachFrom(0, 8)
  const first = reach.before(1)
  writes[0]?.fail()
  await expect(first).rejects.toThrow('full')
  const second = reach.before(2)
  expect(places()).toEqual([9, 10])
  writes[1]?.done()
  expect(await isOver(second)).toBe(true)
})
