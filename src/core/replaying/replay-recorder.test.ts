import { expect, onTestFinished, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.ts'
import { endedSend } from '../../../test/support/stored-replay.ts'
import type { Store } from '../store/store.ts'
import type { SendsBatch } from '../store/record-sends.ts'
import { ReplayRecorder } from './replay-recorder.ts'

interface Written {
  readonly ended: readonly number[]
  readonly position: number | undefined
  done(): void
  fail(): void
}

/** Creates a recorder over a store whose writes finish on command. */
function recorderFrom(reached: number, ahead: number, sendCount = 1_000) {
  const writes: Written[] = []
  const failures: unknown[] = []
  const write = ((_name: string, { sends, reached: to }: SendsBatch) => {
    const ended = (JSON.parse(sends) as { position: number }[]).map(({ position }) => position)
    const { promise, resolve, reject } = Promise.withResolvers<{ progress: null }>()
    writes.push({
      ended,
      position: to?.position,
      done: () => resolve({ progress: null }),
      fail: () => reject(new Error('full')),
    })
    return promise
  }) as Store['write']
  const recorder = new ReplayRecorder({ write }, createManualClock(), {
    ...{ replayId: 'replay', reached, lastStarted: reached, sendCount },
    ahead: () => ahead,
    onProgress: () => undefined,
    onFailed: (error) => failures.push(error),
  })
  onTestFinished(() => void recorder.close())
  return {
    recorder,
    writes,
    failures,
    end: (position: number) =>
      recorder.noteEnd(endedSend({ replayId: 'replay', position, deliverySeq: position })),
    positions: () => writes.map(({ position }) => position),
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const isOver = (promise: Promise<unknown> | null) =>
  promise === null
    ? true
    : Promise.race([
        promise.then(() => true),
        turn()
          .then(() => turn())
          .then(() => false),
      ])

test('a request waits until it is recorded that it may be sent, one at a time for a slow endpoint', async () => {
  const { recorder, writes, end, positions } = recorderFrom(0, 0)
  const first = recorder.reserve(1)
  expect(await isOver(first)).toBe(false)
  expect(positions()).toEqual([1])
  writes[0]?.done()
  expect(await isOver(first)).toBe(true)
  recorder.noteStart(1)
  end(1)
  const second = recorder.reserve(2)
  expect(await isOver(second)).toBe(false)
  expect(writes[1]).toMatchObject({ ended: [1], position: 2 })
  writes[1]?.done()
  expect(await isOver(second)).toBe(true)
})

test('requests recorded ahead are sent at once, and more are recorded before they run out, up to the last', async () => {
  const { recorder, writes, positions, end } = recorderFrom(0, 8, 9)
  const first = recorder.reserve(1)
  const second = recorder.reserve(2)
  expect(await isOver(first)).toBe(false)
  expect(positions()).toEqual([8])
  writes[0]?.done()
  await first
  await second
  expect([3, 4].map((position) => recorder.reserve(position))).toEqual([null, null])
  await turn()
  expect(positions()).toEqual([8])
  end(1)
  expect(recorder.reserve(5)).toBe(null)
  await turn()
  expect(positions()).toEqual([8, 9])
  expect(await isOver(recorder.reserve(9))).toBe(false)
})

test('never more than a hundred are in progress or unrecorded', async () => {
  const { recorder, writes, positions, end } = recorderFrom(0, 320)
  void recorder.reserve(1)
  await turn()
  await turn()
  writes[0]?.done()
  await turn()
  for (let position = 1; position <= 101; position++) end(position)
  await turn()
  await turn()
  expect(positions()).toEqual([100, 201])
})

test('at the end, requests that were recorded ahead and not sent are pending again', async () => {
  const { recorder, writes, positions } = recorderFrom(4, 8)
  const first = recorder.reserve(5)
  await isOver(first)
  writes[0]?.done()
  await first
  recorder.noteStart(5)
  const closed = recorder.close()
  await turn()
  expect(positions()).toEqual([12, 5])
  writes[1]?.fail()
  await closed
})

test('if recording fails, all waiting requests fail, and the next ones try again', async () => {
  const { recorder, writes, failures, end, positions } = recorderFrom(0, 8)
  const waiting = Promise.allSettled([recorder.reserve(1)])
  end(1)
  await turn()
  await turn()
  writes[0]?.fail()
  expect((await waiting).map(({ status }) => status)).toEqual(['rejected'])
  expect(failures).toHaveLength(1)
  const next = recorder.reserve(2)
  expect(await isOver(next)).toBe(false)
  expect(positions()).toEqual([9, 9])
  writes[1]?.done()
  expect(await isOver(next)).toBe(true)
})
