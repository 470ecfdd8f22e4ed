/** Stops long-running commands on a signal, or when the npm that started them is gone, and follows work of the core to its end. */
import { readFileSync } from 'node:fs'
import type { EventName } from '../shared/contract/contract.ts'
import { AppError } from '../shared/contract/errors.ts'
import type { Session } from './session.ts'

/** Milliseconds between checks of the parent processes. */
const PARENT_CHECK_MS = 500

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A parent may forward a signal that its whole group also received, so one request can arrive twice within this time. */
const ECHO_MS = 500

/**
 * Calls `hear` on the first of these signals; a second one that isn't a duplicate ends the process at once. Returns a function that
 * stops listening.
 */
function onInterruption(
  of: readonly NodeJS.Signals[],
  hear: (signal: NodeJS.Signals) => void,
): () => void {
  let heardAt: number | null = null
  const onSignal = (signal: NodeJS.Signals) => {
    if (heardAt === null) {
      heardAt = performance.now()
      hear(signal)
    } else if (performance.now() - heardAt > ECHO_MS) {
      stopListening()
      process.kill(process.pid, signal)
    }
  }
  const stopListening = () => {
    for (const signal of of) process.off(signal, onSignal)
  }
  for (const signal of of) process.on(signal, onSignal)
  return stopListening
}

const shells = ['sh', 'dash', 'bash', 'zsh', 'ash', 'busybox']

interface KnownProcess {
  readonly name: string
  readonly parent: number
}

/** Name and parent of a process, if /proc shows them. */
function processOf(pid: number): KnownProcess | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name is in parentheses and may contain parentheses and spaces: `4711 (my (odd) name) S 1 …`.
    const end = text.lastIndexOf(')')
    return {
      name: text.slice(text.indexOf('(') + 1, end),
      parent: Number(text.slice(end + 2).split(' ')[1]),
    }
  } catch {
    return null
  }
}

/** Identifies the parent processes: the text changes when one of them is gone. npm runs commands through a shell. */
function ancestry(): string {
  const parent = processOf(process.ppid)
  return parent !== null && shells.includes(parent.name)
    ? `${process.ppid} ${parent.parent}`
    : String(process.ppid)
}

/**
 * Runs the task with a signal that aborts when it must stop. If npm is killed, its children aren't told, and an orphan would keep
 * its ports; so a process started by npm (`npx`, `npm run`) stops with it. A process started from a shell keeps running in the
 * background.
 */
export async function withStop<T>(
  env: Readonly<Record<string, string | undefined>>,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  const before = ancestry()
  const timer =
    env['npm_command'] === undefined
      ? undefined
      : setInterval(() => {
          if (ancestry() !== before) stop()
        }, PARENT_CHECK_MS)
  const stopListening = onInterruption(signals, stop)
  try {
    return await task(stopping.signal)
  } finally {
    clearInterval(timer)
    stopListening()
  }
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Runs the work; the first signal cancels it, a second one ends the process at once. */
export async function cancellable<T>(cancel: () => void, work: () => Promise<T>): Promise<T> {
  const stopListening = onInterruption(['SIGINT', 'SIGTERM'], cancel)
  try {
    return await work()
  } finally {
    stopListening()
  }
}

/** Milliseconds between reads of a run in case an event is missed. */
const CHECK_MS = 500

interface Following<T> {
  /** News of it. */
  readonly event: EventName
  /** Reads it; undefined if it hasn't ended. */
  read(): Promise<T | undefined>
  /** The error if Countersign stops: what happened, and what to do. */
  gone(): string
}

/**
 * Reads something at once and after each event until it ends; undefined if the signal aborts first. Events only trigger a new read,
 * so merged ones lose nothing. `checkMs`: it is also read this often. Rejects with `DISCONNECTED` if Countersign stops.
 */
export async function follow<T>(
  { client, closed }: Pick<Session, 'client' | 'closed'>,
  following: Following<T>,
  {
    signal,
    checkMs,
  }: { readonly signal?: AbortSignal | undefined; readonly checkMs?: number } = {},
): Promise<T | undefined> {
  let isGone = false
  let news = Promise.withResolvers<void>()
  const check = () => news.resolve()
  const stops = [client.on(following.event, check), client.onGap(check)]
  const timer = checkMs === undefined ? undefined : setInterval(check, checkMs)
  signal?.addEventListener('abort', check)
  void closed.then(() => {
    isGone = true
    check()
  })
  try {
    for (;;) {
      if (signal?.aborted === true) return undefined
      if (isGone) throw new AppError('DISCONNECTED', following.gone())
      // What happens during the read is news again.
      news = Promise.withResolvers<void>()
      const ended = await following.read()
      if (ended !== undefined) return ended
      await news.promise
    }
  } finally {
    signal?.removeEventListener('abort', check)
    clearInterval(timer)
    for (const stop of stops) stop()
  }
}

/** Follows a run of the core to its end. The session's signal cancels it; without one, the first Ctrl+C. */
export async function followRun<T>(
  session: Pick<Session, 'client' | 'closed' | 'stop'>,
  run: Following<T> & { cancel(): Promise<unknown> },
): Promise<T> {
  const { stop } = session
  const cancel = () => void run.cancel().catch(() => undefined)
  const work = () => follow(session, run, { checkMs: CHECK_MS })
  if (stop !== undefined) void aborted(stop).then(cancel)
  const ended = stop === undefined ? await cancellable(cancel, work) : await work()
  if (ended === undefined) throw new Error('A run without a signal ended without a result.')
  return ended
}
