import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, vi } from 'vitest'
import { test, fc } from '@fast-check/vitest'
import type { DescribeBatch } from './describe-repo.ts'
import { createDescriber, type Describer, type DescriberDeps, createBacklog, createSeqBacklog } from './describer.ts'

function createStage(replaced: Partial<DescriberDeps> = {}) {
  const written: DescribeBatch[] = []
  const warnings: string[] = []
  const bugs: unknown[] = []
  const described: number[] = []
  const describer = createDescriber({
    describe: (seqs) => Promise.resolve(seqs.map((seq) => ({ seq, schema: 'ok' as const, events: null }))),
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

const seqsOf = (batches: readonly DescribeBatch[]) => batches.flatMap(({ descriptions }) => descriptions.map(({ seq }) => seq))

describe('the describer', () => {
  test('fills in what is stored and answered, in order, and tells of it', async () => {
    const { describer, written, described } = createStage()
    for (const seq of [1, 2, 3]) describer.stored(seq)
    describer.answered({ seq: 1, status: 200, ms: 2 })
    await describer.settled(1_000)
    expect(seqsOf(written)).toEqual([1, 2, 3])
    expect(written.flatMap(({ answers }) => answers)).toEqual([{ seq: 1, status: 200, ms: 2 }])
    expect(described).toEqual([1, 2, 3])
    await describer.close()
  })

  test('a write that fails is made up for: descriptions and answers, in their order', async () => {
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
    await delay(100)
    expect(warnings.length).toBeGreaterThan(0)
    full = false
    describer.stored(2)
    describer.answered({ seq: 2, status: 413, ms: 4 })
    await vi.waitFor(() => expect(seqsOf(written)).toEqual([1, 2]), 5_000)
    expect(written.flatMap(({ answers }) => answers)).toEqual([
      { seq: 1, status: 200, ms: 3 },
      { seq: 2, status: 413, ms: 4 },
    ])
    await describer.close()
  })

  test('a payload that cannot be described does not keep the others from it, nor its answer', async () => {
    const { describer, written, bugs } = createStage({
      describe: (seqs) =>
        seqs.includes(2)
          ? Promise.reject(new Error('a bug'))
          : Promise.resolve(seqs.map((seq) => ({ seq, schema: 'ok' as const, events: null }))),
    })
    describer.stored(1)
    describer.stored(2)
    describer.answered({ seq: 2, status: 200, ms: 1 })
    await describer.settled(2_000)
    expect(seqsOf(written)).toEqual([1, 2])
    expect(written.flatMap(({ answers }) => answers)).toEqual([{ seq: 2, status: 200, ms: 1 }])
    expect(written.flatMap(({ descriptions }) => descriptions).find(({ seq }) => seq === 2)?.schema).toBe('unknown')
    expect(bugs.length).toBeGreaterThan(0)
    await describer.close()
  })

  test('whoever waits for it does so for a while only', async () => {
    const write = Promise.withResolvers<void>()
    const { describer } = createStage({ write: () => write.promise })
    describer.stored(1)
    const startedAt = performance.now()
    await describer.settled(100)
    expect(performance.now() - startedAt).toBeGreaterThan(90)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    write.resolve()
    await describer.close()
  })

  test('nobody waits for what cannot be filled in now: a full disk can still be read', async () => {
    const { describer, warnings } = createStage({ write: () => Promise.reject(new Error('full')) })
    describer.stored(1)
    await describer.settled(20_000)
    const startedAt = performance.now()
    await describer.settled(20_000)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    expect(warnings).toHaveLength(1)
    await describer.close()
  })

  test('ends with what is left filled in, and gives up on what cannot be', async () => {
    const { describer, written } = createStage()
    for (let seq = 1; seq <= 1_000; seq++) describer.stored(seq)
    await describer.close()
    expect(seqsOf(written)).toHaveLength(1_000)

    const stuck = createStage({ write: () => Promise.reject(new Error('full')) })
    for (let seq = 1; seq <= 1_000; seq++) stuck.describer.stored(seq)
    await stuck.describer.close()
    expect(stuck.written).toEqual([])
  })

  test('does the work of a single delivery at once, though its batch has hardly ended', async () => {
    let busy = true
    const { describer, written } = createStage({ isBusy: () => busy })
    describer.stored(1)
    busy = false
    const startedAt = performance.now()
    await describer.settled(2_000)
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    expect(seqsOf(written)).toEqual([1])
    await describer.close()
  })

  test('gives way while deliveries wait for their commit, though not for ever', async () => {
    const { describer, written } = createStage({ isBusy: () => true })
    describer.stored(1)
    await delay(10)
    expect(written).toEqual([])
    await describer.settled(2_000)
    expect(seqsOf(written)).toEqual([1])
    await describer.close()
  })

  /** For a quarter of a second and until something is written: on a busy computer it gets no turn earlier. */
  async function stream(
    describer: Describer,
    written: readonly unknown[],
    wait: () => Promise<void>,
  ): Promise<{ seq: number; lastedMs: number }> {
    const startedAt = performance.now()
    let seq = 0
    const lasted = () => performance.now() - startedAt
    while (lasted() < 250 || (written.length === 0 && lasted() < 10_000)) {
      describer.stored(++seq)
      await wait()
    }
    return { seq, lastedMs: lasted() }
  }

  test('gives way while deliveries stream in, though nothing waits at the moment that it looks: a small chunk every 10 ms', async () => {
    const { describer, written } = createStage()
    const { seq, lastedMs } = await stream(describer, written, () => delay(1))
    expect(written.length).toBeLessThanOrEqual(lastedMs / 10)
    for (const { descriptions } of written) expect(descriptions.length).toBeLessThanOrEqual(12)
    await vi.waitFor(() => expect(seqsOf(written)).toHaveLength(seq), 10_000)
    await describer.close()
  })

  test('in a flood it only does not stand still: a small chunk every 50 ms, and the rest when it is over', async () => {
    const { describer, written } = createStage()
    const { seq, lastedMs } = await stream(describer, written, () => new Promise((resolve) => setImmediate(resolve)))
    expect(seq).toBeGreaterThan(1_000)
    expect(written.length).toBeGreaterThan(0)
    expect(written.length).toBeLessThanOrEqual(lastedMs / 50)
    await vi.waitFor(() => expect(seqsOf(written)).toHaveLength(seq), 10_000)
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

test('what was dropped is let go of, and the rest stays in its order', () => {
  const backlog = createBacklog<number>()
  for (let item = 0; item < 10_000; item++) backlog.push(item)
  backlog.drop(6_000)
  expect([backlog.length(), backlog.front(2)]).toEqual([4_000, [6_000, 6_001]])
})
