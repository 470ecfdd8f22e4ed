/** Jobs for tests of job threads: they succeed, fail in each way, or end the thread. */
import { setTimeout as delay } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import type { OpenJobs } from '../../src/core/base/threads/job-thread.ts'
import { AppError } from '../../src/shared/contract/errors.ts'

const order: string[] = []
let isCancelled = () => false

const testJobs = {
  echo: (_: string, value: unknown) => value,
  later: (_: string, ms: number) => delay(ms, 'later'),
  tools: (tools: string, _: null) => tools,
  note: (_: string, text: string) => order.push(text),
  order: (_: string, __: null) => order,
  size: (_: string, buffer: ArrayBuffer) => buffer.byteLength,
  expected: (_: string, __: null) => {
    throw new AppError('NOT_FOUND', 'There is none.', { details: { id: 1 } })
  },
  bug: (_: string, __: null) => {
    throw Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
  },
  /** Fills the young generation with short-lived data; returns its size in bytes. */
  young: (_: string, __: null) => {
    const living: object[] = []
    for (let index = 0; index < 600_000; index++) living[index % 30_000] = { index, list: [index] }
    return (
      getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
    )
  },
  untilCancelled: (_: string, __: null) => {
    while (!isCancelled());
  },
  end: (_: string, __: null) => process.exit(1),
} as const

export type TestJobs = typeof testJobs

export function openTestJobs(failure: unknown): OpenJobs<string, TestJobs> {
  if (failure === 'expected') throw new AppError('DATABASE_FROM_FUTURE', 'Too new.')
  if (failure === 'bug') throw new Error('It broke.')
  return {
    tools: 'the tools',
    jobs: testJobs,
    starts: (is) => {
      isCancelled = is
    },
    close: () => undefined,
  }
}
