/** Which events of many requests go into which commit. */
import { expect, test } from 'vitest'
import type { SendOutcome } from '../../shared/model/send.ts'
import type { PackedSends } from '../store/sends-batch.ts'
import type { Store } from '../store/store.ts'
import { notSent, createRecorder } from './recorder.ts'

const FOREVER_MS = 1_000_000_000
const begun = (seq: number) => ({ seq, at: 1, registeredUrl: null, target: 'http://127.0.0.1:1/' })
const ended = (seq: number, body = '') => ({ ...notSent(seq, 'why'), body: Buffer.from(body) })

/** A recorder over a store that only keeps the seqs of each batch, and the last batch. */
function recorderOver(patienceMs?: number, fails = () => false) {
  const batches: { reached: number[]; begun: number[]; ended: number[]; released: number[] }[] = []
  let last: PackedSends | undefined
  const write = ((_name: string, batch: PackedSends) => {
    last = batch
    batches.push({
      reached: batch.reached.map(([place]) => place),
      begun: batch.begun.map((values) => values[3]),
      ended: batch.ended.map(([seq]) => seq),
      released: [...batch.released],
    })
    return fails()
      ? Promise.reject(new Error('full'))
      : Promise.resolve({ outcomes: batch.ended.map((): SendOutcome => 'first-fail') })
  }) as Store['write']
  return { recorder: createRecorder({ write }, patienceMs), batches, last: () => last }
}

test('events of one turn share a commit, and each caller gets its own result', async () => {
  const { recorder, batches } = recorderOver()
  const outcomes = await Promise.all([
    recorder.begin(begun(1)),
    recorder.end(ended(2)),
    recorder.release(3),
    recorder.begin(begun(4)),
    recorder.reach({ jobId: 'job', place: 5 }),
  ])
  expect(outcomes).toEqual([undefined, 'first-fail', undefined, undefined, undefined])
  expect(batches).toEqual([{ reached: [5], begun: [1, 4], ended: [2], released: [3] }])
})

test('an ending waits for a beginning to share its commit', async () => {
  const { recorder, batches } = recorderOver(FOREVER_MS)
  const ending = recorder.end(ended(1))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(batches).toEqual([])
  await recorder.begin(begun(2))
  await ending
  expect(batches).toEqual([{ reached: [], begun: [2], ended: [1], released: [] }])
})

test('an ending during another commit waits too, and is written alone if nothing else comes', async () => {
  const { recorder, batches } = recorderOver(1)
  const beginning = recorder.begin(begun(1))
  await Promise.all([beginning, recorder.end(ended(2))])
  await recorder.end(ended(3))
  expect(batches).toEqual([
    { reached: [], begun: [1], ended: [2], released: [] },
    { reached: [], begun: [], ended: [3], released: [] },
  ])
})

test('responses are written together, in order', async () => {
  const { recorder, last } = recorderOver()
  await Promise.all([
    recorder.end(ended(1, 'one')),
    recorder.end(ended(2)),
    recorder.end(ended(3, 'three')),
  ])
  expect(last()?.ended.map((values) => values[3])).toEqual([3, 0, 5])
  expect(Buffer.from(last()?.bodies ?? []).toString()).toBe('onethree')
})

test('if a commit fails, all its callers get the error, and the next commit is tried', async () => {
  let isFull = true
  const { recorder } = recorderOver(0, () => isFull)
  const failed = await Promise.allSettled([
    recorder.begin(begun(1)),
    recorder.end(ended(2)),
    recorder.release(3),
  ])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  isFull = false
  await recorder.begin(begun(4))
})
