/** How long a command lives that goes on: until it is told to stop, or until the npm that started it is gone. */
import { readFileSync } from 'node:fs'

/** How often the parents are looked at, in milliseconds. */
const PARENT_CHECK_MS = 500

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** One wish to stop may be heard twice, when whatever started this process hands on what its whole group was told: within so long. */
const ECHO_MS = 500

/** Hears the first of these signals; a second one that is none of its echoes ends the process at once. Returns what stops listening. */
function onInterruption(of: readonly NodeJS.Signals[], hear: (signal: NodeJS.Signals) => void): () => void {
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

/** Name and parent of a process, where the system shows them in /proc. */
function lookUp(pid: number): KnownProcess | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name stands in brackets, and may itself hold brackets and spaces: `4711 (my (odd) name) S 1 …`.
    const end = text.lastIndexOf(')')
    return { name: text.slice(text.indexOf('(') + 1, end), parent: Number(text.slice(end + 2).split(' ')[1]) }
  } catch {
    return null
  }
}

/** The processes that this one was started by, as a text that changes when one of them is gone. npm puts a shell in between. */
function ancestry(): string {
  const parent = lookUp(process.ppid)
  return parent !== null && shells.includes(parent.name) ? `${process.ppid} ${parent.parent}` : String(process.ppid)
}

/**
 * Runs the task with a promise of the reason to stop; when the task has ended, nothing is listened to any more. npm may be killed
 * without a word to its children, and an orphan would keep its ports: so where npm started this process (`npx`, `npm run`), the
 * end of npm is its own. Started from a shell it does not look at its parent, and goes on in the background when the shell ends.
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
  const stopListening = onInterruption(signals, (signal) => {
    stop(signal)
  })
  try {
    return await task(stopped)
  } finally {
    clearInterval(timer)
    stopListening()
  }
}

/** The same for a task that takes a signal: it aborts when there is a reason to stop. */
export function withStopSignal<T>(
  env: Readonly<Record<string, string | undefined>>,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withStop(env, (stopped) => {
    const stopping = new AbortController()
    void stopped.then(() => {
      stopping.abort()
    })
    return task(stopping.signal)
  })
}

/** Runs the work; the first interruption cancels it, and it ends by itself. The second one ends the process at once. */
export async function cancellable<T>(cancel: () => void, work: () => Promise<T>): Promise<T> {
  const stopListening = onInterruption(['SIGINT', 'SIGTERM'], cancel)
  try {
    return await work()
  } finally {
    stopListening()
  }
}
