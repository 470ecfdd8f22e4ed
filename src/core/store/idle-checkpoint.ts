/**
 * Writes the write-ahead log back into the database file once nothing was written for a while. SQLite does it by itself only after a
 * thousand pages, which a young database reaches after weeks: until then all that it stores would be in the log alone.
 */
import type { Log } from '../base/deps.ts'

export interface IdleCheckpoint {
  /** Call after each write: the log is written back once no further write follows for a while. */
  written(): void
  /** Resolves when no checkpoint runs any more; none begins after that. */
  close(): Promise<void>
}

export interface IdleCheckpointDeps {
  /** Whether a delivery waits for its commit, or the whole database is being rewritten. */
  isBusy(): boolean
  writeBack(): Promise<void>
  readonly log: Log
}

/** Long enough not to checkpoint between deliveries of a burst, short enough that a crash rarely comes first. */
const QUIET_MS = 1_000

export function createIdleCheckpoint({ isBusy, writeBack, log }: IdleCheckpointDeps): IdleCheckpoint {
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> | null = null
  let closed = false

  const wait = () => {
    timer = setTimeout(run, QUIET_MS)
    // A process that has nothing else to do ends, and closing the database writes the log back.
    timer.unref()
  }
  function run(): void {
    timer = null
    if (isBusy()) {
      wait()
      return
    }
    running = writeBack()
      // The next write tries again; nothing is lost meanwhile.
      .catch((error: unknown) => {
        log.warn("The write-ahead log couldn't be written back.", { reason: (error as Error).message })
      })
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
