import { fc, test } from '@fast-check/vitest'
import { expect } from 'vitest'
import { createBacklog, createSeqBacklog } from './backlog.ts'

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
