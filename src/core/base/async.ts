/** Asynchronous work: closed in order, limited in time, one at a time, or caught up. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Log } from './deps.ts'
import { systemClock } from './system-clock.ts'

export type Closer = () => Promise<void> | void

/** Closes all parts, the last one first. Rejects with the first failure. */
export async function closeAll(closers: Closer[]): Promise<void> {
  const failures: unknown[] = []
  for (const close of closers.splice(0).toReversed()) {
    try {
      await close()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** Yields parts of a long list, so that work can rest in between. */
export function* chunks<T>(list: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size)
}

/** Resolves with the result of `work`, or of `onLate` after `ms` of real time. */
export async function withTimeLimit<T>(ms: number, work: Promise<T>, onLate: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  }).then(onLate)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

type Mutex = <T>(work: () => Promise<T>) => Promise<T>

/** Creates a queue that runs one piece of work at a time. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work, work)
    last = result.catch(() => null)
    return result
  }
}

interface Retry {
  readonly log: Pick<Log, 'warn'>
  readonly warning: string
  readonly afterMs: number
}

/**
 * Creates a runner for all work left to do; requests during a run share the next one.
 * @param work - ends early once `closing` is aborted
 */
export function createCatchUp(work: () => Promise<void>, retry?: Retry) {
  const closing = new AbortController()
  const exclusive = createMutex()
  let next: Promise<void> | null = null
  const settled = () => exclusive(() => Promise.resolve())

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await work()
        return
      } catch (error) {
        if (retry === undefined) throw error
        if (closing.signal.aborted) return
        retry.log.warn(retry.warning, { reason: (error as Error).message })
        await systemClock.sleep(retry.afterMs, closing.signal)
      }
    }
  }

  return {
    request: (): Promise<void> =>
      (next ??= exclusive(async () => {
        next = null
        await run()
      })),
    settled,
    closing: closing.signal,
    close() {
      closing.abort()
      return settled()
    },
  }
}

/** Returns the `AppError` that work fails with, or null. Rejects with any other error. */
export async function refusalOf(work: () => unknown): Promise<AppError | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

/** Returns the result of work, or null for an `AppError`. Rejects with any other error. */
export async function unlessRefused<T>(work: Promise<T>): Promise<T | null> {
  return (await refusalOf(() => work)) === null ? work : null
}

/** Returns a sentence about a failure; a bug is logged. */
export function failureSentence(error: unknown, log: Log, context: string): string {
  return error instanceof AppError
    ? error.message
    : `Stopped by a bug (reference ${log.bug(error, context)}).`
}

export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
