/**
 * A child process that doesn't outlive Countersign. On Windows the system ends it with us (Node starts it in a job that closes with
 * the process). Elsewhere a small shell in between reads from a pipe that only we have open, and ends the program when the pipe
 * closes, whether we closed it or were killed.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

interface GuardedProcess {
  /** Called with each line the program prints, on either stream. */
  onLine(listener: (line: string) => void): void
  /** Resolves when the program has ended, with its exit code, or null for a signal or a failed start, and the reason. */
  readonly ended: Promise<{ readonly code: number | null; readonly reason: string }>
  close(): Promise<void>
}

/** A program that doesn't end when asked is killed after this long, in milliseconds. */
const CLOSE_PATIENCE_MS = 3_000

/**
 * `$1…` is the program with its arguments. The watcher closes its copies of the output, so that the output ends with the program.
 * The second `wait` is needed because the first returns as soon as a signal is handled.
 */
const WATCH = `
exec 3<&0
"$@" 3<&- </dev/null &
program=$!
trap 'kill "$program" 2>/dev/null' TERM INT HUP
{ PATH="$PATH:/usr/bin:/bin"; while read -r _; do :; done; kill "$program" 2>/dev/null; sleep ${CLOSE_PATIENCE_MS / 1_000}; kill -9 "$program" 2>/dev/null; } <&3 >/dev/null 2>&1 &
watcher=$!
exec 3<&-
wait "$program"
code=$?
while kill -0 "$program" 2>/dev/null; do wait "$program"; code=$?; done
kill "$watcher" 2>/dev/null
exit "$code"
`

/** Starts a program. `env` is its complete environment. */
export function startGuarded(
  path: string,
  args: readonly string[],
  {
    env,
    platform,
  }: {
    readonly env: Readonly<Record<string, string | undefined>>
    readonly platform: NodeJS.Platform
  },
): GuardedProcess {
  const isWindows = platform === 'win32'
  const options = { env: { ...env }, stdio: 'pipe', windowsHide: true } as const
  const child: ChildProcess = isWindows
    ? spawn(path, args, options)
    : spawn('/bin/sh', ['-c', WATCH, 'sh', path, ...args], options)
  const listeners: ((line: string) => void)[] = []
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue
    createInterface({ input: stream }).on('line', (line) => {
      for (const listener of listeners) listener(line)
    })
  }
  // The shell reads from this pipe. An error means that it is gone.
  child.stdin?.on('error', () => undefined)

  const ended = new Promise<{ code: number | null; reason: string }>((resolve) => {
    child.once('error', (error) => {
      resolve({ code: null, reason: `Couldn't start: ${error.message}.` })
    })
    child.once('exit', (code, signal) => {
      child.stdin?.destroy()
      resolve({ code, reason: signal === null ? `Exit code ${code ?? 0}.` : `Ended by ${signal}.` })
    })
  })
  return {
    onLine(listener) {
      listeners.push(listener)
    },
    ended,
    async close() {
      if (isWindows) child.kill()
      else child.stdin?.end()
      await ended
    },
  }
}
