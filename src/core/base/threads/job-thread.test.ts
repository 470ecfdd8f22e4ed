import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openTestJobs, type TestJobs } from '../../../../test/support/test-jobs.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import { runJobsHere, startJobThread, type JobThread } from './job-thread.ts'

const ENTRY = new URL('../../../../test/support/job-thread-entry.ts', import.meta.url)

describe.each([
  { where: 'in a thread', start: () => startJobThread<TestJobs>(ENTRY, null) },
  { where: 'here', start: () => Promise.resolve(runJobsHere(() => openTestJobs(null))) },
])('jobs $where', ({ start }) => {
  let thread: JobThread<TestJobs>
  beforeEach(async () => {
    thread = await start()
  })
  afterEach(() => thread.close())

  test('runs jobs with their tools, in the requested order', async () => {
    expect(await thread.run('tools', null)).toBe('the tools')
    const asked = Array.from({ length: 50 }, (_, index) => `job ${index}`)
    await Promise.all(asked.map((text) => thread.run('note', text)))
    expect(await thread.run('order', null)).toEqual(asked)
    expect(await thread.run('echo', { bytes: new Uint8Array([1, 2]), missing: undefined })).toEqual(
      {
        bytes: new Uint8Array([1, 2]),
        missing: undefined,
      },
    )
  })

  test('receives transferred data', async () => {
    const buffer = new ArrayBuffer(1_000)
    expect(await thread.run('size', buffer, [buffer])).toBe(1_000)
    expect(buffer.byteLength).toBe(0)
  })

  test('passes an expected error on as one, and a bug with its code', async () => {
    const expected = await thread.run('expected', null).catch((error: unknown) => error)
    expect(expected).toBeInstanceOf(AppError)
    expect(expected).toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is none.',
      details: { id: 1 },
    })
    const bug = await thread.run('bug', null).catch((error: unknown) => error)
    expect(bug).not.toBeInstanceOf(AppError)
    expect(bug).toMatchObject({ code: 'SQLITE_FULL', message: 'full' })
    expect(await thread.run('echo', 'still there')).toBe('still there')
  })

  test('finishes requested jobs before it stops, and rejects later ones', async () => {
    const asked = thread.run('echo', 'asked before')
    const later = thread.run('later', 50)
    const closed = thread.close()
    expect(await asked).toBe('asked before')
    expect(await later).toBe('later')
    await closed
    await expect(thread.run('echo', 'asked after')).rejects.toThrow(/stopped|closed/)
  })

  test('get a copy of their input and return a copy of their output', async () => {
    const given = { list: [1] }
    const asked = thread.run('echo', given)
    given.list.push(2)
    const output = (await asked) as typeof given
    expect(output).toEqual({ list: [1] })
    expect(await thread.run('echo', Buffer.from('bytes'))).not.toBeInstanceOf(Buffer)
  })
})

describe('a job thread', () => {
  let thread: JobThread<TestJobs>
  beforeEach(async () => {
    thread = await startJobThread<TestJobs>(ENTRY, null)
  })
  afterEach(() => thread.close())

  test('ends a job that its caller cancels while it runs, and one that has not begun', async () => {
    const cancelled = new AbortController()
    const running = thread.run('untilCancelled', null, undefined, cancelled.signal)
    const waiting = thread.run('untilCancelled', null, undefined, cancelled.signal)
    const next = thread.run('echo', 'next')
    cancelled.abort(new Error('Nobody waits.'))
    await expect(running).rejects.toThrow('Nobody waits.')
    await expect(waiting).rejects.toThrow('Nobody waits.')
    expect(await next).toBe('next')
    await expect(thread.run('echo', '', undefined, AbortSignal.abort())).rejects.toThrow()
  })

  test('uses little memory for short-lived data', async () => {
    expect(await thread.run('young', null)).toBeLessThan(8 * 1_048_576)
  })

  test('rejects requested and later jobs if it dies', async () => {
    const dying = thread.run('end', null)
    const behind = thread.run('echo', 'behind')
    await expect(dying).rejects.toThrow(/stopped/)
    await expect(behind).rejects.toThrow(/stopped/)
    await expect(thread.run('echo', 'later')).rejects.toThrow(/stopped/)
  })
})

test('jobs here let the rest of the process run in between', async () => {
  const { run, close } = runJobsHere(() => openTestJobs(null))
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  for (let jobs = 0; turns < 2 && jobs < 1_000_000; jobs++) await run('echo', null)
  clearInterval(timer)
  expect(turns).toBe(2)
  await close()
})

test('a failing setup rejects the start, with its own error', async () => {
  await expect(startJobThread(ENTRY, 'expected')).rejects.toMatchObject({
    code: 'DATABASE_FROM_FUTURE',
    message: 'Too new.',
  })
  await expect(startJobThread(ENTRY, 'bug')).rejects.toMatchObject({ message: 'It broke.' })
  await expect(startJobThread(new URL('./nowhere.ts', import.meta.url), null)).rejects.toThrow()
  expect(() => runJobsHere(() => openTestJobs('expected'))).toThrow(
    expect.objectContaining({ code: 'DATABASE_FROM_FUTURE' }),
  )
  expect(() => runJobsHere(() => openTestJobs('bug'))).toThrow(
    expect.objectContaining({ message: 'It broke.' }),
  )
})
