/** Notices that the computer slept or the process was stopped, on hosts and systems that say nothing too. */
import type { Clock, Log } from './deps.ts'

/** How often it looks, in milliseconds. */
const LOOK_MS = 5_000
/** A look that is late by this time wasn't delayed by a busy computer. */
const LATE_MS = 60_000

export interface SleepWatch {
  /** The system says that the computer has woken up. */
  resumed(): void
  close(): void
}

/** Logs each time without reception and calls `onWoke` after it. */
export function watchSleep({
  clock,
  log,
  onWoke,
}: {
  readonly clock: Pick<Clock, 'now' | 'uptime'>
  readonly log: Pick<Log, 'info'>
  onWoke(): void
}): SleepWatch {
  // Not the wall clock, which the user may change.
  const moment = () => ({ wall: clock.now(), uptime: clock.uptime?.() ?? 0 })
  /** The latest moment in which the process is known to have run. */
  let ran = moment()
  const hasSlept = () => {
    const before = ran
    ran = moment()
    if (ran.uptime - before.uptime <= LATE_MS) return false
    const iso = (at: number) => new Date(at).toISOString()
    log.info('Asleep or stopped: nothing was received.', {
      from: iso(before.wall),
      to: iso(ran.wall),
    })
    return true
  }
  const timer = setInterval(() => {
    if (hasSlept()) onWoke()
  }, LOOK_MS).unref()
  return {
    resumed() {
      hasSlept()
      onWoke()
    },
    close() {
      clearInterval(timer)
    },
  }
}
