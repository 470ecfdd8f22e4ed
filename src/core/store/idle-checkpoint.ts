/**
 * Writes the log back after a quiet while: SQLite waits for a thousand pages, which can take weeks.
 */
import type { Log } from '../base/deps.ts'

interface IdleCheckpointDeps {
  isBusy(): boolean
  writeBack(): Promise<void>
  readonly log: Log
}

/** Milliseconds, longer than gaps of a burst. */
const QUIET_MS = 1_000

export function createIdleCheckpoint({ isBusy, writeBack, log }: IdleCheckpointDeps) {
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> | null = null
  let closed = false

  const wait = () => {
    timer = setTimeout(run, QUIET_MS)
    timer.unref()
  }
  function run(): void {
    timer = null
    if (isBusy()) {
      wait()
      return
    }
    running = writeBack()
      // The next write tries again.
      .catch((error: unknown) =>
        log.warn("The write-ahead log couldn't be written back.", {
          reason: (error as Error).message,
        }),
      )
      .finally(() => {
        running = null
      })
  }

  return {
    written() {
      if (closed) return
      if (timer === null) wait()
      else timer.refresh()
    },
    async close() {
      closed = true
      if (timer !== null) clearTimeout(timer)
      await running
    },
  }
}
