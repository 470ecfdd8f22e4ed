/** Stops long-running commands on a signal, or when the npm that started them is gone. */
import { readFileSync } from 'node:fs'

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
function lookUp(pid: number): KnownProcess | null {
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
  const parent = lookUp(process.ppid)
  return parent !== null && shells.includes(parent.name)
    ? `${process.ppid} ${parent.parent}`
    : String(process.ppid)
}

/**
 * Runs the task with a promise of the reason to stop. If npm is killed, its children aren't told, and an orphan would keep its
 * ports; so a process started by npm (`npx`, `npm run`) stops with it. A process started from a shell keeps running in the
 * background.
 */
export async function withStop<T>(
  env: Readonly<Record<string, string | undefined>>,
  task: (stopped: Promise<string>) => Promise<T>,
): Promise<T> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<string>()
  const before = ancestry()
  const timer =
    env['npm_command'] === undefined
      ? undefined
      : setInterval(() => {
          if (ancestry() !== before) stop('The process that started this one has ended')
        }, PARENT_CHECK_MS)
  const stopListening = onInterruption(signals, (signal) => stop(signal))
  try {
    return await task(stopped)
  } finally {
    clearInterval(timer)
    stopListening()
  }
}

/** The same, with an abort signal. */
export function withStopSignal<T>(
  env: Readonly<Record<string, string | undefined>>,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withStop(env, (stopped) => {
    const stopping = new AbortController()
    void stopped.then(() => stopping.abort())
    return task(stopping.signal)
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

/** Waits for news: `next` resolves at once if `tell` was called since it last did, and after `limitMs` without news. */
export function createNews() {
  let { promise, resolve } = Promise.withResolvers<void>()
  const tell = () => resolve()
  return {
    tell,
    async next(limitMs?: number): Promise<void> {
      const timer = limitMs === undefined ? undefined : setTimeout(tell, limitMs)
      await promise
      clearTimeout(timer)
      ;({ promise, resolve } = Promise.withResolvers<void>())
    },
  }
}
