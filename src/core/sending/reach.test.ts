/** Recording how far a job may have come, and when a request may be sent. */
import { expect, test } from 'vitest'
import { createReach } from './replay-job.ts'

/** A reach whose writes finish on command. */
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
  promise === null
    ? true
    : Promise.race([
        promise.then(() => true),
        new Promise((resolve) => setImmediate(resolve, false)),
      ])

test('a request waits until its permission is recorded', async () => {
  const { reach, writes } = reachFrom(0, 0)
  const first = reach.before(1)
  expect(await isOver(first)).toBe(false)
  writes[0]?.done()
  expect(await isOver(first)).toBe(true)
})

test('requests recorded ahead are sent at once, and the next range is recorded before they run out', async () => {
  const { reach, writes, places } = reachFrom(0, 8)
  const first = reach.before(1)
  const second = reach.before(2)
  expect(places()).toEqual([9])
  expect([await isOver(first), await isOver(second)]).toEqual([false, false])
  writes[0]?.done()
  await Promise.all([first, second])
  expect([3, 4, 5, 6, 7].map((place) => reach.before(place))).toEqual([
    null,
    null,
    null,
    null,
    null,
  ])
  expect(places()).toEqual([9])
  expect(reach.before(8)).toBe(null)
  expect(places()).toEqual([9, 16])
  expect(await isOver(reach.before(10))).toBe(false)
})

test("at the end the job's real progress is recorded", async () => {
  const { reach, writes, places } = reachFrom(4, 8)
  const first = reach.before(5)
  writes[0]?.done()
  await first
  reach.started(5)
  const closed = reach.close()
  expect(places()).toEqual([13, 5])
  writes[1]?.done()
  await closed
  await reachFrom(4, 8).reach.close()
})

test('if recording fails, the request fails, and the next one tries again', async () => {
  const { reach, writes, places } = reachFrom(0, 8)
  const first = reach.before(1)
  writes[0]?.fail()
  await expect(first).rejects.toThrow('full')
  const second = reach.before(2)
  expect(places()).toEqual([9, 10])
  writes[1]?.done()
  expect(await isOver(second)).toBe(true)
})
