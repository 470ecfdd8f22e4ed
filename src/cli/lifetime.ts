/** Stops commands on a signal or when their npm is gone, and follows work of the core. */
import { readFileSync } from 'node:fs'
import { whenAborted } from '../core/base/async.ts'
import type { EventName } from '../shared/contract/contract.ts'
import { AppError } from '../shared/contract/errors.ts'
import type { Session } from './session.ts'

const PARENT_CHECK_MS = 500

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Time in which a signal may arrive twice, because a parent forwards it. */
const ECHO_MS = 500

/**
 * Calls `onFirst` on the first signal; a second one ends the process. Returns a function that stops
 * listening.
 */
function onInterruption(
  watchedSignals: readonly NodeJS.Signals[],
  onFirst: (signal: NodeJS.Signals) => void,
): () => void {
  let firstAt: number | null = null
  const onSignal = (signal: NodeJS.Signals) => {
    if (firstAt === null) {
      firstAt = performance.now()
      onFirst(signal)
    } else if (performance.now() - firstAt > ECHO_MS) {
      stopListening()
      process.kill(process.pid, signal)
    }
  }
  const stopListening = () => {
    for (const signal of watchedSignals) process.off(signal, onSignal)
  }
  for (const signal of watchedSignals) process.on(signal, onSignal)
  return stopListening
}

const shells = ['sh', 'dash', 'bash', 'zsh', 'ash', 'busybox']

interface ProcessInfo {
  readonly name: string
  readonly parent: number
}

/** Returns name and parent of a process, if /proc shows them. */
function processOf(pid: number): ProcessInfo | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name may contain parentheses and spaces: `4711 (my (odd) name) S 1 …`.
    const end = text.lastIndexOf(')')
    return {
      name: text.slice(text.indexOf('(') + 1, end),
      parent: Number(text.slice(end + 2).split(' ')[1]),
    }
  } catch {
    return null
  }
}

/** Returns the parents' PIDs as text, which changes if one exits. */
function ancestry(): string {
  const parent = processOf(process.ppid)
  return parent !== null && shells.includes(parent.name)
    ? `${process.ppid} ${parent.parent}`
    : String(process.ppid)
}

/**
 * Runs the task with a signal that aborts when it must stop.
 * A process started by npm also stops if npm is killed: an orphan would keep its ports.
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

/** Runs the work; the first signal cancels it, a second one ends the process at once. */
export async function cancellable<T>(cancel: () => void, work: () => Promise<T>): Promise<T> {
  const stopListening = onInterruption(['SIGINT', 'SIGTERM'], cancel)
  try {
    return await work()
  } finally {
    stopListening()
  }
}

/** Time between reads of a run, in case an event is missed. */
const CHECK_MS = 500

/** Work of the core to wait for. */
interface Following<T> {
  readonly event: EventName
  /** Reads the result; undefined if the work hasn't ended. */
  read(): Promise<T | undefined>
  /** Returns the error if Countersign stops: what happened, and what to do. */
  gone(): string
}

/**
 * Reads at once and after each event until the work ends; undefined if the signal aborts first.
 * Rejects with `DISCONNECTED` if Countersign stops.
 * @param checkMs Interval of additional reads.
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
  let nextChange = Promise.withResolvers<void>()
  const check = () => nextChange.resolve()
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
      nextChange = Promise.withResolvers<void>()
      const ended = await following.read()
      if (ended !== undefined) return ended
      await nextChange.promise
    }
  } finally {
    signal?.removeEventListener('abort', check)
    clearInterval(timer)
    for (const stop of stops) stop()
  }
}

/** Follows a run of the core to its end. The session's signal cancels it, or the first Ctrl+C. */
export async function followRun<T>(
  session: Pick<Session, 'client' | 'closed' | 'stop'>,
  run: Following<T> & { cancel(): Promise<unknown> },
): Promise<T> {
  const { stop } = session
  const cancel = () => void run.cancel().catch(() => undefined)
  const work = () => follow(session, run, { checkMs: CHECK_MS })
  if (stop !== undefined) void whenAborted(stop).then(cancel)
  const ended = stop === undefined ? await cancellable(cancel, work) : await work()
  if (ended === undefined) throw new Error('A run without a signal ended without a result.')
  return ended
}
