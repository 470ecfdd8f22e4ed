/**
 * Writes the write-ahead log back into the database file after a quiet while. SQLite does this only after a thousand pages, which a
 * young database reaches after weeks: until then everything would be in the log only.
 */
import type { Log } from '../base/deps.ts'

export interface IdleCheckpointDeps {
  /** Whether a delivery waits for its commit. */
  isBusy(): boolean
  writeBack(): Promise<void>
  readonly log: Log
}

/** Long enough not to checkpoint between deliveries of a burst, short enough that a crash rarely comes first. */
const QUIET_MS = 1_000

export function createIdleCheckpoint({ isBusy, writeBack, log }: IdleCheckpointDeps) {
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> | null = null
  let closed = false

  const wait = () => {
    timer = setTimeout(run, QUIET_MS)
    // An idle process ends, and closing the database writes the log back.
    timer.unref()
  }
  function run(): void {
    timer = null
    if (isBusy()) {
      wait()
      return
    }
    running = writeBack()
      // The next write tries again; nothing is lost until then.
      .catch((error: unknown) => {
        log.warn("The write-ahead log couldn't be written back.", {
          reason: (error as Error).message,
        })
      })
      .finally(() => {
        running = null
      })
  }

  return {
    /** Call after each write: the log is written back once no further write follows for a while. */
    written() {
      if (closed) return
      if (timer === null) wait()
      else timer.refresh()
    },
    /** Resolves when no checkpoint is running; none starts afterwards. */
    async close() {
      closed = true
      if (timer !== null) clearTimeout(timer)
      await running
    },
  }
}
