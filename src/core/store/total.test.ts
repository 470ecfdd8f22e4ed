import { expect, test } from 'vitest'
import { createTotal, keepMinuteTotals } from './total.ts'

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

/** Counting by minute, with a pace and counts that the test controls. */
function startMinuteTotals() {
  const rests: PromiseWithResolvers<void>[] = []
  const pauses: number[] = []
  const counts: { readonly budgetMs: number; readonly done: PromiseWithResolvers<boolean> }[] = []
  const warnings: string[] = []
  let calm = true
  const totals = keepMinuteTotals({
    count(budgetMs) {
      const done = Promise.withResolvers<boolean>()
      counts.push({ budgetMs, done })
      return done.promise
    },
    pace: {
      isCalm: () => calm,
      rest() {
        const rest = Promise.withResolvers<void>()
        rests.push(rest)
        return rest.promise
      },
      pause(ms) {
        pauses.push(ms)
        return Promise.resolve()
      },
    },
    log: {
      info: () => undefined,
      warn: (message) => {
        warnings.push(message)
      },
      bug: () => '',
    },
  })
  const settled = () => new Promise<void>((done) => setImmediate(done))
  return {
    totals,
    counts,
    pauses,
    warnings,
    settled,
    setCalm: (now: boolean) => void (calm = now),
    /** Lets counting proceed. */
    async rested() {
      rests.shift()?.resolve()
      await settled()
    },
    async counted(more: boolean | Error) {
      const done = counts.at(-1)?.done
      if (more instanceof Error) done?.reject(more)
      else done?.resolve(more)
      await settled()
    },
  }
}

test('deliveries are counted by minute only after a rest, in pieces, for longer while it is calm', async () => {
  const { totals, counts, settled, setCalm, rested, counted } = startMinuteTotals()
  totals.stored()
  await settled()
  expect(counts).toEqual([])
  await rested()
  expect(counts).toHaveLength(1)
  await counted(true)
  expect(counts).toHaveLength(1)
  setCalm(false)
  await rested()
  expect(counts).toHaveLength(2)
  expect(counts[1]?.budgetMs).toBeLessThan(counts[0]?.budgetMs ?? 0)
  // Deliveries stored meanwhile are counted next.
  totals.stored()
  await counted(false)
  await rested()
  expect(counts).toHaveLength(3)
  await counted(false)
  await rested()
  expect(counts).toHaveLength(3)
})

test('a failed count by minute is logged once and retried until it succeeds', async () => {
  const { totals, counts, pauses, warnings, settled, rested, counted } = startMinuteTotals()
  totals.stored()
  await settled()
  for (const failures of [1, 2]) {
    await rested()
    expect(counts).toHaveLength(failures)
    await counted(new Error('The disk is full.'))
  }
  expect(warnings).toHaveLength(1)
  const [gathering = 0, retry = 0] = pauses
  expect(retry).toBeGreaterThan(gathering)
  expect(pauses).toEqual([gathering, retry, retry])
  await rested()
  await counted(false)
  expect([counts.length, pauses.length]).toEqual([3, 3])
})

test('nothing is counted by minute after close, even if deliveries are stored', async () => {
  const { totals, counts, settled, rested } = startMinuteTotals()
  totals.stored()
  await settled()
  const closing = totals.close()
  await rested()
  await closing
  totals.stored()
  await settled()
  await rested()
  expect(counts).toEqual([])
})
