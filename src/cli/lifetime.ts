/** How long `serve` lives: until it is told to stop, or until the npm that started it is gone. */

/** How often the parent is looked at, in milliseconds. */
const PARENT_CHECK_MS = 500

/**
 * Resolves with the reason to stop. npm may be killed without a word to its children, and an orphan would keep its ports: so
 * where npm started this process (`npx`, `npm run`), the end of its parent is its own. Started from a shell it does not look at
 * its parent, and goes on in the background when the shell ends.
 */
export function untilStopped(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  return new Promise((resolve) => {
    const parent = process.ppid
    const timer =
      env['npm_command'] === undefined
        ? undefined
        : setInterval(() => {
            if (process.ppid !== parent) stop('The process that started this one has ended')
          }, PARENT_CHECK_MS)
    const stop = (reason: string) => {
      clearInterval(timer)
      resolve(reason)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      // Once: a second signal, while things are being closed, ends the process at once.
      process.once(signal, () => {
        stop(signal)
      })
    }
  })
}
