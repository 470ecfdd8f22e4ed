import { once } from 'node:events'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { AppError } from '../../shared/contract/errors.ts'
import { failureSentence } from './async.ts'
import { createRuns, type ActiveRun } from './runs.ts'

type Result = 'done' | 'stopped' | 'failed'

/** Creates runs whose reports are recorded. */
function watched() {
  const progress: number[] = []
  const ended: [id: string, result: Result, wasActive: boolean][] = []
  const runs = createRuns<{ count: number }, Result>({
    onProgress: ({ state }) => progress.push(state.count),
    onFailed: () => 'failed',
    onEnded: ({ id }, result) => {
      ended.push([id, result, runs.isRunning(id)])
    },
  })
  return { runs, progress, ended }
}

async function untilStopped({ stopped }: ActiveRun<unknown>): Promise<Result> {
  if (!stopped.aborted) await once(stopped, 'abort')
  return 'stopped'
}

describe('runs', () => {
  test('a run is active until its work ends, and is reported once', async () => {
    const { runs, ended } = watched()
    const { promise, resolve } = Promise.withResolvers<Result>()
    const run = runs.start('one', { count: 0 }, () => promise)
    expect(runs.get('one')).toBe(run)
    expect(runs.isRunning('two')).toBe(false)
    resolve('done')
    resolve('failed')
    expect(await run.ended).toBe('done')
    expect(runs.get('one')).toBeUndefined()
    expect(ended).toEqual([['one', 'done', false]])
  })

  test('a cancel stops one run, waits for its end and can be repeated', async () => {
    const { runs, ended } = watched()
    runs.start('one', { count: 0 }, untilStopped)
    const other = runs.start('two', { count: 0 }, untilStopped)
    expect(await Promise.all([runs.cancel('one'), runs.cancel('one')])).toEqual([
      'stopped',
      'stopped',
    ])
    expect(other.stopped.aborted).toBe(false)
    expect(ended).toEqual([['one', 'stopped', false]])
    await runs.close()
  })

  test('a cancel before the start or after the end stops nothing', async () => {
    const { runs } = watched()
    expect(await runs.cancel('one')).toBeUndefined()
    const run = runs.start('one', { count: 0 }, () => Promise.resolve('done'))
    expect(run.stopped.aborted).toBe(false)
    expect(await run.ended).toBe('done')
    expect(await runs.cancel('one')).toBeUndefined()
    expect(run.cancelled.aborted).toBe(false)
  })

  test('work sees a cancel in the turn of its start', async () => {
    const { runs } = watched()
    const run = runs.start('one', { count: 0 }, async (mine) => {
      await Promise.resolve()
      return mine.cancelled.aborted ? 'stopped' : 'done'
    })
    run.cancel()
    expect(await run.ended).toBe('stopped')
  })

  test('an id starts again once its run has ended, and not before', async () => {
    const { runs, ended } = watched()
    runs.start('one', { count: 0 }, untilStopped)
    expect(() => runs.start('one', { count: 0 }, untilStopped)).toThrow('already active')
    await runs.cancel('one')
    expect(await runs.start('one', { count: 5 }, () => Promise.resolve('done')).ended).toBe('done')
    expect(ended.map(([, result]) => result)).toEqual(['stopped', 'done'])
  })

  test.each([
    ['rejects', () => Promise.reject(new Error('broken'))],
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
  ])('work that %s has the result that its owner chooses', async (_, work) => {
    const { runs, ended } = watched()
    expect(await runs.start('one', { count: 0 }, work).ended).toBe('failed')
    expect(ended).toEqual([['one', 'failed', false]])
  })

  test('an owner that throws rejects the end, and the run is over', async () => {
    const runs = createRuns<null, void>({
      onFailed: (error) => {
        throw error
      },
    })
    const run = runs.start('one', null, () => Promise.reject(new Error('broken')))
    await expect(run.ended).rejects.toThrow('broken')
    expect(runs.isRunning('one')).toBe(false)
    await runs.close()
  })

  test("closing stops active runs, waits for them and their preparation, and isn't a cancel", async () => {
    const { runs, ended } = watched()
    const one = runs.start('one', { count: 0 }, untilStopped)
    const { promise, resolve } = Promise.withResolvers<void>()
    let two: ActiveRun<unknown> | undefined
    const prepared = runs.track(
      promise.then(() => void (two = runs.start('two', { count: 0 }, untilStopped))),
    )
    const closed = runs.close()
    expect([one.stopped.aborted, one.cancelled.aborted, runs.closing.aborted]).toEqual([
      true,
      false,
      true,
    ])
    resolve()
    await prepared
    await closed
    expect(two?.stopped.aborted).toBe(true)
    expect(new Map(ended.map(([id, result]) => [id, result]))).toEqual(
      new Map([
        ['one', 'stopped'],
        ['two', 'stopped'],
      ]),
    )
    await runs.close()
  })

  test("tracked work that fails doesn't prevent closing", async () => {
    const { runs } = watched()
    const failing = runs.track(Promise.reject(new Error('not allowed')))
    await Promise.all([expect(failing).rejects.toThrow('not allowed'), runs.close()])
  })
})

describe('progress', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('is reported at most ten times per second, the latest within a tenth of a second, and never after the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(120), { minLength: 1, maxLength: 40 }),
        fc.boolean(),
        async (pauses, isCancelled) => {
          const { runs, progress, ended } = watched()
          const { promise, resolve } = Promise.withResolvers<Result>()
          const run = runs.start('one', { count: 0 }, ({ cancelled }) => {
            cancelled.addEventListener('abort', () => resolve('stopped'))
            return promise
          })
          let time = 0
          for (const pause of pauses) {
            run.state.count++
            run.progress()
            vi.advanceTimersByTime(pause)
            time += pause
          }
          expect(progress.length).toBeLessThanOrEqual(Math.floor(time / 100) + 1)
          vi.advanceTimersByTime(100)
          expect(progress.at(-1)).toBe(pauses.length)
          run.state.count++
          run.progress()
          const seen = progress.length
          if (isCancelled) run.cancel()
          else resolve('done')
          await run.ended
          run.progress()
          run.progress.flush()
          vi.advanceTimersByTime(1_000)
          expect(progress).toHaveLength(seen)
          expect(ended).toEqual([['one', isCancelled ? 'stopped' : 'done', false]])
        },
      ),
    )
  })
})

test('a problem is the message of an expected error, or the reference of a bug', () => {
  const log = { info: () => undefined, warn: () => undefined, bug: () => 'ab12' }
  expect(failureSentence(new AppError('NOT_FOUND', 'The hook was deleted.'), log, 'a replay')).toBe(
    'The hook was deleted.',
  )
  expect(failureSentence(new Error('undefined is not a function'), log, 'a replay')).toBe(
    'Stopped by a bug (reference ab12).',
  )
})
