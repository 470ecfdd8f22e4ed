import { afterEach, beforeEach, describe, expect, vi } from 'vitest'
import { test, fc } from '@fast-check/vitest'
import type { DescribeBatch } from './describe-repo.ts'
import {
  createDescriber,
  type Describer,
  type DescriberDeps,
  createBacklog,
  createSeqBacklog,
} from './describer.ts'

function createStage(replaced: Partial<DescriberDeps> = {}) {
  const written: DescribeBatch[] = []
  const warnings: string[] = []
  const bugs: unknown[] = []
  const described: number[] = []
  const describer = createDescriber({
    describe: (seqs) =>
      Promise.resolve(seqs.map((seq) => ({ seq, schema: 'ok' as const, events: null }))),
    write: (batch) => {
      written.push(batch)
      return Promise.resolve()
    },
    isBusy: () => false,
    lenientEnvironments: () => [],
    onFilledIn: (seqs) => described.push(...seqs),
    log: {
      info: () => undefined,
      warn: (message) => warnings.push(message),
      bug: (error) => {
        bugs.push(error)
        return 'x'
      },
    },
    ...replaced,
  })
  return { describer, written, warnings, bugs, described }
}

const seqsOf = (batches: readonly DescribeBatch[]) =>
  batches.flatMap(({ descriptions }) => descriptions.map(({ seq }) => seq))

/** Advances time until a promise settles; returns how long that took. */
async function timeOf(work: Promise<unknown>): Promise<number> {
  const from = performance.now()
  let isOver = false
  void work.then(() => (isOver = true))
  await vi.advanceTimersByTimeAsync(0)
  while (!isOver) await vi.advanceTimersByTimeAsync(1)
  return performance.now() - from
}

describe('the describer', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('describes stored and acknowledged deliveries in order, and reports it', async () => {
    const { describer, written, described } = createStage()
    for (const seq of [1, 2, 3]) describer.stored(seq)
    describer.answered({ seq: 1, status: 200, ms: 2 })
    expect(await timeOf(describer.settled(1_000))).toBeLessThan(100)
    expect(seqsOf(written)).toEqual([1, 2, 3])
    expect(written.flatMap(({ answers }) => answers)).toEqual([{ seq: 1, status: 200, ms: 2 }])
    expect(described).toEqual([1, 2, 3])
    await describer.close()
  })

  test('makes up for a failed write: descriptions and responses, in order', async () => {
    const written: DescribeBatch[] = []
    let full = true
    const { describer, warnings } = createStage({
      write: (batch) => {
        if (full) return Promise.reject(new Error('database or disk is full'))
        written.push(batch)
        return Promise.resolve()
      },
    })
    describer.stored(1)
    describer.answered({ seq: 1, status: 200, ms: 3 })
    await vi.advanceTimersByTimeAsync(100)
    expect(warnings.length).toBeGreaterThan(0)
    full = false
    describer.stored(2)
    describer.answered({ seq: 2, status: 413, ms: 4 })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(seqsOf(written)).toEqual([1, 2])
    expect(written.flatMap(({ answers }) => answers)).toEqual([
      { seq: 1, status: 200, ms: 3 },
      { seq: 2, status: 413, ms: 4 },
    ])
    await describer.close()
  })

  test("a payload that can't be described doesn't block others, or its own response", async () => {
    const { describer, written, bugs } = createStage({
      describe: (seqs) =>
        seqs.includes(2)
          ? Promise.reject(new Error('a bug'))
          : Promise.resolve(seqs.map((seq) => ({ seq, schema: 'ok' as const, events: null }))),
    })
    describer.stored(1)
    describer.stored(2)
    describer.answered({ seq: 2, status: 200, ms: 1 })
    expect(await timeOf(describer.settled(2_000))).toBeLessThan(100)
    expect(seqsOf(written)).toEqual([1, 2])
    expect(written.flatMap(({ answers }) => answers)).toEqual([{ seq: 2, status: 200, ms: 1 }])
    expect(
      written.flatMap(({ descriptions }) => descriptions).find(({ seq }) => seq === 2)?.schema,
    ).toBe('unknown')
    expect(bugs.length).toBeGreaterThan(0)
    await describer.close()
  })

  test('a caller waits only for a while', async () => {
    const write = Promise.withResolvers<void>()
    const { describer } = createStage({ write: () => write.promise })
    describer.stored(1)
    expect(await timeOf(describer.settled(100))).toBe(100)
    write.resolve()
    await describer.close()
  })

  test("nobody waits for work that can't be done now: a full disk can still be read", async () => {
    const { describer, warnings } = createStage({ write: () => Promise.reject(new Error('full')) })
    describer.stored(1)
    expect(await timeOf(describer.settled(20_000))).toBeLessThan(100)
    expect(await timeOf(describer.settled(20_000))).toBe(0)
    expect(warnings).toHaveLength(1)
    await describer.close()
  })

  test("finishes the remaining work on closing, and stops at work that can't be done", async () => {
    const { describer, written } = createStage()
    for (let seq = 1; seq <= 1_000; seq++) describer.stored(seq)
    await describer.close()
    expect(seqsOf(written)).toHaveLength(1_000)

    const stuck = createStage({ write: () => Promise.reject(new Error('full')) })
    for (let seq = 1; seq <= 1_000; seq++) stuck.describer.stored(seq)
    await stuck.describer.close()
    expect(stuck.written).toEqual([])
  })

  test('describes a single delivery immediately, although its batch has just ended', async () => {
    let busy = true
    const { describer, written } = createStage({ isBusy: () => busy })
    describer.stored(1)
    busy = false
    expect(await timeOf(describer.settled(2_000))).toBeLessThan(10)
    expect(seqsOf(written)).toEqual([1])
    await describer.close()
  })

  test('yields while deliveries wait for their commit, but not forever', async () => {
    const { describer, written } = createStage({ isBusy: () => true })
    describer.stored(1)
    await vi.advanceTimersByTimeAsync(10)
    expect(written).toEqual([])
    expect(await timeOf(describer.settled(2_000))).toBeLessThan(100)
    expect(seqsOf(written)).toEqual([1])
    await describer.close()
  })

  /** This many per millisecond for a quarter of a second. Returns how many arrived. */
  async function stream(describer: Describer, perMs: number): Promise<number> {
    for (let ms = 0; ms < 250; ms++) {
      for (let count = 1; count <= perMs; count++) describer.stored(ms * perMs + count)
      await vi.advanceTimersByTimeAsync(1)
    }
    return 250 * perMs
  }

  test('yields while deliveries stream in, even if none waits at that moment: a small chunk every 10 ms', async () => {
    const { describer, written } = createStage()
    const came = await stream(describer, 1)
    expect(written.length).toBeGreaterThan(0)
    expect(written.length).toBeLessThanOrEqual(250 / 10)
    for (const { descriptions } of written) expect(descriptions.length).toBeLessThanOrEqual(12)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(seqsOf(written)).toHaveLength(came)
    await describer.close()
  })

  test('in a flood it only keeps moving: a small chunk every 50 ms, and the rest afterwards', async () => {
    const { describer, written } = createStage()
    const came = await stream(describer, 20)
    expect(written.length).toBeGreaterThan(0)
    expect(written.length).toBeLessThanOrEqual(250 / 50)
    for (const { descriptions } of written) expect(descriptions.length).toBeLessThanOrEqual(12)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(seqsOf(written)).toHaveLength(came)
    await describer.close()
  })
})

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ push: fc.constantFrom(1, 1, 1, 2, 50) }) },
    { weight: 2, arbitrary: fc.record({ drop: fc.nat(6) }) },
    { weight: 1, arbitrary: fc.record({ front: fc.nat(8) }) },
  ),
  { maxLength: 60 },
)

test.prop([steps])('runs hold what a list of the same numbers holds', (taken) => {
  const runs = createSeqBacklog()
  const list: number[] = []
  let seq = 0
  for (const step of taken) {
    if ('push' in step) {
      seq += step.push
      runs.push(seq)
      list.push(seq)
    } else if ('drop' in step) {
      runs.drop(step.drop)
      list.splice(0, step.drop)
    } else expect(runs.front(step.front)).toEqual(list.slice(0, step.front))
    expect(runs.length()).toBe(list.length)
  }
  expect(runs.front(1_000)).toEqual(list)
})

test('dropped items are released, and the rest keeps its order', () => {
  const backlog = createBacklog<number>()
  for (let item = 0; item < 10_000; item++) backlog.push(item)
  backlog.drop(6_000)
  expect([backlog.length(), backlog.front(2)]).toEqual([4_000, [6_000, 6_001]])
})
